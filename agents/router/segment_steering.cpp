// SPDX-License-Identifier: Apache-2.0
#include "agents/router/segment_steering.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "agents/router/steering_guard.h"

namespace divisi::router {
namespace {

/// Time limit for a guard's first answer. It is longer than the time for which a guard waits for the end of its
/// predecessor.
constexpr int first_answer_ms = 10'000;
/// Interval at which the routes are sent to the guard again. The kernel removes routes together with their interface,
/// and the guard then reinstalls them.
constexpr Duration sent_again_after = std::chrono::seconds(5);
constexpr Duration new_guard_after = std::chrono::seconds(1);
/// Lowest number of a descriptor that Child::start can pass to a child.
constexpr int lowest_kept_fd = 5;

Error no_socket() { return {ErrorCode::failed, std::string("no socket: ") + std::strerror(errno), "--srv6", ""}; }

}  // namespace

SegmentSteering::SegmentSteering(link::EventLoop& loop, mesh::DeviceRole role, std::string folder,
                                 std::function<void(const std::string&)> tell)
    : loop_(loop), role_(role), folder_(std::move(folder)), tell_(std::move(tell)) {}

SegmentSteering::~SegmentSteering() {
    if (socket_.is_open()) loop_.unwatch_fd(socket_.get());
    socket_.close();
}

Result<void> SegmentSteering::start() {
    DIVISI_TRY(spawn());
    pollfd waiting{socket_.get(), POLLIN, 0};
    std::string text(most_guard_bytes, '\0');
    if (::poll(&waiting, 1, first_answer_ms) <= 0)
        return Error{ErrorCode::deadline, "the guard process of the routes does not answer", "--srv6",
                     "see whether `ip -6 route` hangs"};
    const ssize_t size = ::recv(socket_.get(), text.data(), text.size(), MSG_DONTWAIT);
    text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    if (text != guard_ready)
        return Error{ErrorCode::unsupported, text.empty() ? "the guard process of the routes has ended" : text, "", ""};
    loop_.watch_fd(socket_.get(), [this] { hear(); });
    return {};
}

Result<void> SegmentSteering::spawn() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return no_socket();
    socket_ = file::Descriptor(ends[0]);
    const file::Descriptor low(ends[1]);
    const file::Descriptor kept(::fcntl(ends[1], F_DUPFD_CLOEXEC, lowest_kept_fd));
    if (!kept.is_open()) return no_socket();
    process::ChildSpec spec;
    spec.program = process::program_folder() / (std::string("divisi-") + to_string(role_));
    spec.arguments = {guard_argument, folder_};
    spec.kept_fd = kept.get();
    DIVISI_ASSIGN(guard_, process::Child::start(spec));
    return {};
}

void SegmentSteering::table(mesh::RoutingId self, const mesh::Topology& topology, const std::string& orchestrator) {
    mesh::steering::Table table{self, topology, {}, reachable_ipv6(orchestrator)};
    names_.clear();
    for (const mesh::Device& device : topology.devices()) {
        names_[device.id] = device.name;
        if (const auto address = reachable_ipv6(device.endpoint)) table.addresses[device.id] = *address;
    }
    step(std::move(table));
}

void SegmentSteering::neighbours(const std::vector<mesh::Relay::NeighbourView>& views) {
    mesh::steering::Neighbours event;
    for (const auto& view : views) event.usable[view.id] = view.usable;
    step(std::move(event));
}

void SegmentSteering::step(mesh::steering::Event event) {
    const mesh::Steering& wanted = routes_.step(std::move(event), loop_.now());
    if (wanted != wanted_) sent_.reset();
    wanted_ = wanted;
    tell_paths();
    if (!sent_ || loop_.now() - *sent_ >= sent_again_after) send();
}

void SegmentSteering::send() {
    if (!socket_.is_open()) return;
    const std::string text = to_text(wanted_);
    // An empty message would mean the end of the device. If the socket is full, the next report sends the state again.
    const std::string bytes = text.empty() ? "\n" : text;
    if (bytes.size() > most_guard_bytes)
        return tell_("SRv6: too many gateways for one message; the routes stay unchanged");
    if (::send(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) sent_ = loop_.now();
}

void SegmentSteering::hear() {
    std::string text(most_guard_bytes, '\0');
    const ssize_t size = ::recv(socket_.get(), text.data(), text.size(), MSG_DONTWAIT);
    // A guard that is killed with unread requests resets the socket; the messages that it sent before can still be
    // read.
    if (size < 0 && (errno == EAGAIN || errno == EINTR || errno == ECONNRESET)) return;
    if (size <= 0) return guard_ended();
    text.resize(static_cast<std::size_t>(size));
    if (text != guard_ready) tell_("SRv6: " + text);
}

void SegmentSteering::guard_ended() {
    loop_.unwatch_fd(socket_.get());
    socket_.close();
    tell_("SRv6: the guard of the routes has ended; another guard is started");
    loop_.after(new_guard_after, [this] { respawn(); });
}

/// Starts a new guard, which finds the routes by their mark and the settings in the file.
void SegmentSteering::respawn() {
    guard_.reset();
    sent_.reset();
    if (const auto started = spawn(); !started) {
        socket_.close();
        tell_("SRv6: the guard cannot be started and is tried again: " + started.error().message());
        loop_.after(new_guard_after, [this] { respawn(); });
        return;
    }
    loop_.watch_fd(socket_.get(), [this] { hear(); });
}

std::vector<control::SegmentPath> SegmentSteering::paths() const {
    std::vector<control::SegmentPath> all;
    for (const auto& [id, path] : told_) {
        if (path.size() <= 2) continue;  // a path without routers uses the host's own routes
        control::SegmentPath one;
        for (const mesh::RoutingId hop : path) one.path.push_back(hop.value());
        all.push_back(std::move(one));
    }
    return all;
}

void SegmentSteering::tell_paths() {
    for (const auto& [id, name] : names_) {
        const mesh::Path path = routes_.path_to(id);
        if (path == std::exchange(told_[id], path)) continue;
        std::string by;
        for (std::size_t i = 1; i + 1 < path.size(); ++i) by += (by.empty() ? "" : ", ") + names_[path[i]];
        tell_(by.empty() ? "SRv6: packets to " + name + " use this host's own routes"
                         : "SRv6: packets to " + name + " go through " + by);
    }
}

}  // namespace divisi::router
