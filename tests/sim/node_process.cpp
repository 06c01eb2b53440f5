// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/node_process.h"

#include "backend/control/types/blob_types.h"

namespace divisi::sim {

using namespace control;

namespace {

/// Delay from the report that a blob exists to its writing, for InjectedBug::brought_before_durable.
constexpr Duration late_writing = std::chrono::seconds(2);
/// Delay before an ordered drop of a blob, as in the node agent.
constexpr Duration drop_delay = std::chrono::seconds(2);
constexpr Duration answer_deadline = std::chrono::seconds(10);

NodeInfo info_of(const NodeId& id, const Place& place) {
    NodeInfo info;
    info.id = id;
    info.host = info.machine = place.machine;
    info.pid = place.pid;
    info.blob_endpoint = NodeProcess::blob_endpoint(id);
    return info;
}

}  // namespace

NodeProcess::NodeProcess(Surroundings around, Place place, NodeId id, FakeBlobStore& store, Events events,
                         InjectedBug bug)
    : Process(around, std::move(place)),
      store_(store),
      bug_(bug),
      events_(std::move(events)),
      agent_(info_of(id, place_)),
      orchestrator_(loop_, sockets(), {orchestrator_address}, hello("divisi-node", Role::agent), answer_deadline),
      timer_(loop_) {
    link::AgentLink::Events heard;
    heard.up = [this] { feed(node::Connected{}); };
    heard.down = [this] { feed(node::Disconnected{}); };
    heard.message = [this](std::uint64_t correlation, const Message& message) {
        if (!take(message)) feed(node::FromOrchestrator{correlation, message});
    };
    orchestrator_.start(std::move(heard));
    tick();
}

void NodeProcess::tick() {
    timer_.start(heartbeat_interval, [this] { tick(); });
    feed(node::Load{});
}

void NodeProcess::feed(const node::Input& input) {
    const node::Output output = agent_.step(input, loop_.now());
    for (const auto& up : output.sends) orchestrator_.send(up.correlation, up.message);
    for (const auto& one : output.spawns) events_.spawn(one.what.instance);
    for (const auto& one : output.signals) events_.signal(one.instance, one.force);
    for (const InstanceId& one : output.keeps) {
        const bool told = events_.keep(one);
        loop_.post([this, one, told] {
            if (told) feed(node::Kept{one, {}});
            else feed(node::KeepFailed{one});
        });
    }
    for (const auto& one : output.passes) events_.pass_on(one.from, one.what.instance);
    if (output.failed) watch().violate(place_.process + " gave up: " + output.failed->message());
    if (output.exit) events_.exit();
}

void NodeProcess::child_ended(const InstanceId& instance, int code, int signal) {
    loop_.arrive([this, instance, code, signal] { feed(node::ChildExited{instance, code, signal, ""}); });
}

/// Handles messages about blobs; returns false for all others.
bool NodeProcess::take(const Message& message) {
    if (const auto* what = get_if<FetchBlob>(&message)) {
        fetch(*what);
        return true;
    }
    const auto* drop = get_if<DropBlobs>(&message);
    if (!drop) return false;
    loop_.after(drop_delay, [this, hashes = drop->hashes, named = world().now()] { drop_unused(hashes, named); });
    return true;
}

/// Drops blobs that no task uses, like DroppedBlobs of agents/node. A blob is kept if another task uses the same bytes.
void NodeProcess::drop_unused(const std::vector<std::string>& hashes, TimePoint named) {
    for (const std::string& hash : hashes) {
        const auto used = store_.used.find(hash);
        const bool again = used != store_.used.end() && used->second > named;
        if (!again && !watch().keeps(hash)) store_.blobs.erase(hash);
    }
}

/// Writes a blob only later, although the node has already reported it.
void NodeProcess::write_late(const std::string& hash) {
    auto blob = store_.blobs.extract(hash);
    if (blob.empty()) return;
    loop_.after(late_writing, [this, hash, bytes = blob.mapped()] { store_.put(hash, bytes, world().now()); });
}

void NodeProcess::fetch(const FetchBlob& what) {
    const Duration bringing = world().between(std::chrono::milliseconds(5), std::chrono::milliseconds(100));
    loop_.after(bringing, [this, what] {
        const Result<Bytes> size = events_.fetch(what.hash, what.endpoint);
        if (bug_ == InjectedBug::brought_before_durable) write_late(what.hash);
        BlobFetched fetched;
        fetched.transfer = what.transfer;
        if (size) fetched.size = *size;
        else fetched.error = size.error();
        orchestrator_.send(0, fetched);
    });
}

}  // namespace divisi::sim
