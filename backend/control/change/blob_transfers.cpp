// SPDX-License-Identifier: Apache-2.0
#include "backend/control/change/blob_transfers.h"

#include <algorithm>
#include <cstdio>

#include "backend/control/types/error_texts.h"
#include "backend/mesh/base/place.h"

namespace divisi::control::inline change {
namespace {

/// Time in which nodes must open their ends of a transfer. A node opens two sockets within milliseconds, but a busy
/// node needs longer.
constexpr Duration opening_patience = std::chrono::seconds(10);
/// Number of low bits of a transfer number. These bits count the transfers begun between two events of the log. Their
/// range exceeds the number of transfers that can wait at a time.
constexpr int bits_between_events = 16;
static_assert(most_waiting_transfers + most_own_transfers < std::size_t{1} << bits_between_events);

Sid sid_of(std::uint64_t number, const char* end) {
    return Sid(std::string(mesh::blob_root) + "/" + std::to_string(number) + "/" + end);
}

std::string rate_text(Bytes size, double seconds) {
    char text[64];
    std::snprintf(text, sizeof text, " in %.3g s, %.3g MB/s", seconds, static_cast<double>(size) / 1e6 / seconds);
    return text;
}

}  // namespace

// --- orders -------------------------------------------------------------------------------------

Result<void> BlobTransfers::check(const BringBlob& message) const {
    if (!is_blob_hash(message.hash)) return make_error(error_text("transfer-of-no-blob"), message.hash);
    for (const NodeId& node : {message.from, message.to}) {
        if (!context_.state().nodes.contains(node)) return make_error(error_text("blob-node-unknown"), node.value());
        if (!context_.sessions().of(node)) return make_error(error_text("blob-node-away"), node.value());
        if (context_.state().nodes.at(node).info.blob_endpoint.empty())
            return make_error(error_text("transfer-node-serves-no-files"), node.value());
    }
    return {};
}

void BlobTransfers::handle(const Received& received, const BringBlob& message) {
    if (auto fits = check(message); !fits) return context_.refuse(received, fits.error());
    if (message.from == message.to)
        return context_.refuse(received, make_error(error_text("blob-to-itself"), message.to.value()));
    if (find(message) != transfers_.end())
        return context_.refuse(received, make_error(error_text("blob-on-its-way"), message.to.value()));
    if (count(true) >= most_waiting_transfers)
        return context_.refuse(received, make_error(error_text("too-many-blob-transfers"), "blobs",
                                                    {std::to_string(most_waiting_transfers)}));
    Transfer transfer{message.hash, {message.from, {}, {}}, {message.to, {}, {}}};
    transfer.client = Client{received.peer, received.correlation};
    transfer.asked = context_.lived();
    wait(std::move(transfer));
}

Result<void> BlobTransfers::bring(const std::string& hash, const NodeId& from, const NodeId& to, TransferListener& who,
                                  std::vector<std::string> values, std::uint64_t order) {
    DIVISI_TRY(check({hash, from, to}));
    if (const auto found = find({hash, from, to}, values); found != transfers_.end()) {
        found->second.listeners.push_back({&who, order});
        return {};
    }
    if (count(false) >= most_own_transfers)
        return make_error(error_text("too-many-copies"), "blobs", {std::to_string(most_own_transfers)});
    Transfer transfer{hash, {from, {}, {}}, {to, {}, {}}};
    transfer.listeners.push_back({&who, order});
    transfer.values = std::move(values);
    transfer.asked = context_.lived();
    wait(std::move(transfer));
    return {};
}

bool BlobTransfers::withdraw(const std::string& hash, const NodeId& to, const TransferListener& who,
                             std::uint64_t order) {
    const auto is_meant = [&](const Listener& one) { return one.who == &who && one.order == order; };
    const auto found = std::ranges::find_if(transfers_, [&](const auto& entry) {
        const Transfer& one = entry.second;
        return one.hash == hash && one.sink.node == to && std::ranges::any_of(one.listeners, is_meant);
    });
    if (found == transfers_.end() || found->second.stage != Stage::waiting) return false;
    auto& listeners = found->second.listeners;
    // erases only one entry, since the listener may have ordered the same blob for another task too
    listeners.erase(std::ranges::find_if(listeners, is_meant));
    if (!found->second.client && found->second.listeners.empty()) transfers_.erase(found);
    return true;
}

std::set<NodeId> BlobTransfers::forget_copies(const std::string& hash) {
    const auto copies = copies_.extract(hash);
    return copies.empty() ? std::set<NodeId>() : copies.mapped();
}

/// Finds a transfer that brings everything this order needs. An order to bring the blob
/// from another node does not join a transfer that only asks the receiving node whether it has the blob.
BlobTransfers::Transfers::iterator BlobTransfers::find(const BringBlob& order, const std::vector<std::string>& values) {
    return std::ranges::find_if(transfers_, [&](const auto& entry) {
        const Transfer& one = entry.second;
        const bool asks = one.source.node == one.sink.node && order.from != order.to;
        return one.hash == order.hash && one.sink.node == order.to && !asks &&
               (one.values.empty() || one.values == values);
    });
}

std::size_t BlobTransfers::count(bool of_clients) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        transfers_, [&](const auto& entry) { return entry.second.client.has_value() == of_clients; }));
}

void BlobTransfers::wait(Transfer transfer) {
    const bool again = transfer.attempts > 0;
    say(transfer, Severity::info,
        std::string(again ? "restarts the transfer of " : "transfers ") + transfer.hash.substr(0, 12) + "... from " +
            transfer.source.node.value() + " to " + transfer.sink.node.value());
    transfers_.emplace(take_number(), std::move(transfer));
    start_next();
}

/// Returns a new transfer number, which is also the incarnation of the transfer's ends. Numbers increase across
/// restarts. Each event has its own range of numbers: a restart appends an event, so earlier numbers lie in the ranges
/// of earlier events.
std::uint64_t BlobTransfers::take_number() {
    last_number_ = std::max(last_number_ + 1, context_.state().sequence << bits_between_events);
    return last_number_;
}

/// Logs a client's transfer. The orchestrator's own transfers are logged by the state machines that ordered them; with
/// a checkpoint every second they would fill the log.
void BlobTransfers::say(const Transfer& transfer, Severity severity, std::string text) {
    if (transfer.client) context_.append(Noted{severity, "blobs", "", std::move(text)});
}

void BlobTransfers::start_next() {
    for (auto next = next_waiting(); next != transfers_.end(); next = next_waiting()) start(next->first, next->second);
}

BlobTransfers::Transfers::iterator BlobTransfers::next_waiting() {
    std::array<std::size_t, 2> running{};  // number of running transfers: of the orchestrator, of clients
    for (const auto& [number, transfer] : transfers_)
        if (transfer.stage != Stage::waiting) ++running[transfer.client ? 1 : 0];
    if (running[0] + running[1] >= most_transfers) return transfers_.end();
    const bool clients_first = running[1] <= running[0];
    auto next = transfers_.end();
    for (auto one = transfers_.begin(); one != transfers_.end(); ++one) {
        if (one->second.stage != Stage::waiting) continue;
        if (one->second.client.has_value() == clients_first) return one;
        if (next == transfers_.end()) next = one;
    }
    return next;
}

void BlobTransfers::start(std::uint64_t number, Transfer& transfer) {
    const NodeId &from = transfer.source.node, &to = transfer.sink.node;
    transfer.by_mesh = devices_.entry(from, to) && devices_.entry(to, from);
    transfer.stage = transfer.by_mesh ? Stage::opening : Stage::under_way;
    transfer.deadline = context_.lived() + opening_patience;
    if (!transfer.by_mesh) {
        const NodeInfo& info = context_.state().nodes.at(from).info;
        context_.tell(to, FetchBlob{number, transfer.hash, info.blob_endpoint, info.blob_key, transfer.values});
        return;
    }
    const Sid source = sid_of(number, "source"), sink = sid_of(number, "sink");
    context_.tell(from, OpenBlobEnd{number, transfer.hash, source, sink, false});
    context_.tell(to, OpenBlobEnd{number, transfer.hash, sink, source, true, transfer.values});
}

// --- ends of a transfer -------------------------------------------------------------------------

void BlobTransfers::handle(const Received& received, const BlobEndOpened& message) {
    const auto found = transfers_.find(message.transfer);
    if (found == transfers_.end() || found->second.stage != Stage::opening) return;
    Transfer& transfer = found->second;
    const NodeId& node = context_.sessions().at(received.peer).node;
    for (End* end : {&transfer.source, &transfer.sink}) {
        if (end->node != node) continue;
        if (message.error) return fail(message.transfer, *message.error);
        end->endpoint = message.endpoint;
    }
    if (transfer.source.endpoint.empty() || transfer.sink.endpoint.empty()) return;
    transfer.stage = Stage::published;
    publish();
}

bool BlobTransfers::has_ends(const Transfer& transfer) const {
    return transfer.by_mesh && (transfer.stage == Stage::published || transfer.stage == Stage::under_way);
}

void BlobTransfers::publish() {
    std::vector<BlobEnd> ends;
    for (const auto& [number, transfer] : transfers_) {
        if (!has_ends(transfer)) continue;
        ends.push_back({transfer.source.node, sid_of(number, "source"), number, transfer.source.endpoint});
        ends.push_back({transfer.sink.node, sid_of(number, "sink"), number, transfer.sink.endpoint});
    }
    devices_.set_blob_ends(std::move(ends));
}

/// Joins the ends of transfers once all gateways know both ends, and again after gateways or routers have changed.
void BlobTransfers::poll(bool ways_changed) {
    for (auto& [number, transfer] : transfers_) {
        const bool begins = transfer.stage == Stage::published && devices_.all_told();
        const bool goes_on = transfer.stage == Stage::under_way && transfer.by_mesh && ways_changed;
        if (!begins && !goes_on) continue;
        transfer.stage = Stage::under_way;
        join(number, transfer.source, transfer.sink);
        join(number, transfer.sink, transfer.source);
    }
}

void BlobTransfers::join(std::uint64_t number, End& here, const End& there) {
    const auto entry = devices_.entry(here.node, there.node);
    if (!entry || entry == here.entry) return;  // there is no gateway yet, so the end waits
    here.entry = entry;
    context_.tell(here.node, JoinBlobEnds{number, entry->endpoint, entry->key});
}

void BlobTransfers::close_ends(std::uint64_t number, const Transfer& transfer) {
    if (transfer.stage == Stage::waiting) return;
    for (const NodeId& node : {transfer.source.node, transfer.sink.node}) context_.tell(node, CloseBlobEnd{number});
}

// --- completion ---------------------------------------------------------------------------------

void BlobTransfers::handle(const Received& received, const BlobFetched& message) {
    const auto found = transfers_.find(message.transfer);
    if (found == transfers_.end() || context_.sessions().at(received.peer).node != found->second.sink.node) return;
    if (!message.error) return succeed(message.transfer, message.size);
    const bool passes = message.error->code == ErrorCode::unavailable || message.error->code == ErrorCode::deadline;
    if (passes && found->second.attempts + 1 < most_attempts) begin_anew(message.transfer, *message.error);
    else fail(message.transfer, *message.error);
}

void BlobTransfers::succeed(std::uint64_t number, Bytes size) {
    const Transfer& transfer = transfers_.at(number);
    const double seconds = std::chrono::duration<double>(context_.lived() - transfer.asked).count();
    const bool by_mesh = transfer.by_mesh;
    if (!transfer.client) {
        brought_.emplace_back(transfer.hash, transfer.sink.node);
        copies_[transfer.hash].insert(transfer.sink.node);
    }
    say(transfer, Severity::info,
        transfer.sink.node.value() + " has " + transfer.hash.substr(0, 12) + "..., " + format_bytes(size) +
            (seconds > 0 ? rate_text(size, seconds) : "") + (by_mesh ? " through the mesh" : " directly"));
    for (const auto& [who, order] : transfer.listeners) who->arrived(transfer.hash, transfer.sink.node, order, size);
    end(number, BlobBrought{size, seconds, by_mesh}, std::nullopt);
}

void BlobTransfers::fail(std::uint64_t number, const Error& why) {
    const Transfer& transfer = transfers_.at(number);
    say(transfer, Severity::warning,
        transfer.hash.substr(0, 12) + "... was not transferred from " + transfer.source.node.value() + " to " +
            transfer.sink.node.value() + ": " + why.message());
    end(number, Refused{why}, why);
}

void BlobTransfers::begin_anew(std::uint64_t number, const Error& why) {
    Transfer transfer = std::move(transfers_.extract(number).mapped());
    say(transfer, Severity::warning, transfer.hash.substr(0, 12) + "... is still being transferred: " + why.message());
    close_ends(number, transfer);
    ++transfer.attempts;
    transfer.stage = Stage::waiting;
    for (End* end : {&transfer.source, &transfer.sink}) *end = {end->node, {}, {}};
    publish();
    wait(std::move(transfer));
}

void BlobTransfers::end(std::uint64_t number, Message answer, const std::optional<Error>& error) {
    const Transfer transfer = std::move(transfers_.extract(number).mapped());
    close_ends(number, transfer);
    publish();
    const auto& client = transfer.client;
    if (client && client->correlation != 0 && context_.sessions().contains(client->peer))
        context_.send(client->peer, std::move(answer), client->correlation);
    start_next();
    for (const auto& [who, order] : transfer.listeners) who->brought(transfer.hash, transfer.sink.node, order, error);
}

void BlobTransfers::node_gone(const NodeId& node) {
    std::vector<std::uint64_t> lost;
    for (const auto& [number, transfer] : transfers_)
        if (transfer.source.node == node || transfer.sink.node == node) lost.push_back(number);
    for (const std::uint64_t number : lost)
        if (transfers_.contains(number))  // a listener may have withdrawn the order meanwhile
            fail(number, make_error(error_text("blob-node-lost"), node.value()));
}

void BlobTransfers::check_deadlines() {
    std::vector<std::uint64_t> late;
    for (const auto& [number, transfer] : transfers_)
        if (transfer.stage == Stage::opening && context_.lived() >= transfer.deadline) late.push_back(number);
    for (const std::uint64_t number : late)
        if (transfers_.contains(number)) fail(number, make_error(error_text("blob-nodes-silent"), "blobs"));
}

std::optional<TimePoint> BlobTransfers::next_deadline() const {
    std::optional<TimePoint> next;
    for (const auto& [number, transfer] : transfers_)
        if (transfer.stage == Stage::opening && (!next || transfer.deadline < *next)) next = transfer.deadline;
    return next;
}

}  // namespace divisi::control::inline change
