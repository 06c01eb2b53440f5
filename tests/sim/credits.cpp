// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/credits.h"

#include <optional>
#include <utility>

#include "backend/frame/control_frame.h"
#include "backend/frame/frame.h"
#include "backend/mesh/route/hops.h"

namespace divisi::sim {

using namespace link;

namespace {

/// Returns the RESV in these parts; none if they contain another message.
std::optional<mesh::RsvpMessage> resv_of(const Parts& parts) {
    if (parts.size() != 2 || parts[0].bytes.size() != frame::control_header_bytes) return std::nullopt;
    auto message = mesh::decode(parts[1].bytes);
    if (!message || message->type != mesh::RsvpType::credit_resv || !message->credit) return std::nullopt;
    return *std::move(message);
}

/// Returns the parts with a RESV that credits each freed byte twice.
Parts with_twice_the_credit(const Parts& parts, mesh::RsvpMessage& resv) {
    resv.credit->allowed_bytes += resv.credit->allowed_bytes - mesh::window_of(resv);
    return {parts[0], Part::of(mesh::encode(resv).value())};  // the encoded size does not change
}

}  // namespace

void Credits::told(const std::string& device, const mesh::RsvpMessage& resv) {
    Account& account = accounts_[resv.credit->incarnation];
    account.allowed = resv.credit->allowed_bytes;
    account.window = mesh::window_of(resv);
    const std::uint64_t freed = account.allowed - account.window;
    if (freed > account.sent)
        watch_.violate(device + " gives credit above its buffer: it returns " + std::to_string(freed) + " bytes, and " +
                       std::to_string(account.sent) + " were sent");
}

void Credits::sent(const std::string& device, std::uint64_t reservation, std::uint64_t bytes) {
    const auto account = accounts_.find(reservation);
    if (account == accounts_.end()) return watch_.violate(device + " sends by a reservation that nobody has made");
    account->second.sent += bytes;
}

/// A channel to a neighbour, for chunks or for signaling. It records credit and sent bytes.
class AccountedChannel final : public Channel {
public:
    AccountedChannel(DeviceSockets& sockets, std::unique_ptr<Channel> channel, Purpose purpose)
        : sockets_(sockets), channel_(std::move(channel)), purpose_(purpose) {}
    Sent send(const Parts& parts) override {
        return purpose_ == Purpose::data ? sockets_.send_chunk(*channel_, parts)
                                         : sockets_.send_signal(*channel_, parts);
    }

private:
    DeviceSockets& sockets_;
    std::unique_ptr<Channel> channel_;
    Purpose purpose_;
};

DeviceSockets::DeviceSockets(Transport& sockets, std::string device, std::set<std::string> neighbours, Credits& credits,
                             InjectedBug bug)
    : sockets_(sockets), device_(std::move(device)), neighbours_(std::move(neighbours)), credits_(credits), bug_(bug) {}

Result<std::unique_ptr<Listener>> DeviceSockets::listen(const ListenOptions& options, Listener::Events events) {
    return sockets_.listen(options, std::move(events));
}

Result<std::unique_ptr<Channel>> DeviceSockets::connect(const Address& address, Purpose purpose,
                                                        const std::string& identity, Channel::Events events) {
    DIVISI_ASSIGN(std::unique_ptr<Channel> channel, sockets_.connect(address, purpose, identity, std::move(events)));
    // Instances free tensors without a RESV, so their channels are not accounted.
    if (purpose == Purpose::data && !neighbours_.contains(address.endpoint)) return channel;
    return std::unique_ptr<Channel>(std::make_unique<AccountedChannel>(*this, std::move(channel), purpose));
}

Sent DeviceSockets::send_chunk(Channel& channel, const Parts& parts) {
    const Sent sent = channel.send(parts);
    if (sent != Sent::yes || parts.size() != 2 || parts[1].bytes.empty()) return sent;
    if (const auto header = frame::decode_header(parts[0].bytes)) {
        has_sent_ = true;
        credits_.sent(device_, mesh::reservation_of(*header), parts[1].bytes.size());
    }
    return sent;
}

Sent DeviceSockets::send_signal(Channel& channel, const Parts& parts) {
    auto resv = resv_of(parts);
    if (!resv) return channel.send(parts);
    const bool twice = bug_ == InjectedBug::returns_credit_twice;
    const Sent sent = channel.send(twice ? with_twice_the_credit(parts, *resv) : parts);
    if (sent == Sent::yes) credits_.told(device_, *resv);
    return sent;
}

}  // namespace divisi::sim
