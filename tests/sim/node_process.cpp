// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/node_process.h"

namespace divisi::sim {

using namespace control;

namespace {

constexpr Duration answer_deadline = std::chrono::seconds(10);

NodeInfo info_of(const NodeId& id, const Place& place) {
    NodeInfo info;
    info.id = id;
    info.host = info.machine = place.machine;
    info.pid = place.pid;
    return info;
}

}  // namespace

NodeProcess::NodeProcess(Surroundings around, Place place, NodeId id, Events events)
    : Process(around, std::move(place)),
      events_(std::move(events)),
      agent_(info_of(id, place_)),
      orchestrator_(loop_, sockets(), orchestrator_address, hello("divisi-node", Role::agent), answer_deadline),
      timer_(loop_) {
    link::AgentLink::Events heard;
    heard.up = [this] { feed(node::Connected{}); };
    heard.down = [this] { feed(node::Disconnected{}); };
    heard.message = [this](std::uint64_t correlation, const Message& message) {
        feed(node::FromOrchestrator{correlation, message});
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
    if (output.failed) watch().violate(place_.process + " gave up: " + output.failed->message());
    if (output.exit) events_.exit();
}

void NodeProcess::child_ended(const InstanceId& instance, int code, int signal) {
    loop_.arrive([this, instance, code, signal] { feed(node::ChildExited{instance, code, signal, ""}); });
}

}  // namespace divisi::sim
