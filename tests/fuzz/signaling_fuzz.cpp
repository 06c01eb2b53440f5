// SPDX-License-Identifier: Apache-2.0
// Fuzzes signaling from hostile gateways, routers, modules, nodes, instances and clients, several messages in an input.
// Covers how the messages are decoded, and how the orchestrator reacts.
#include <cstdio>
#include <cstdlib>
#include <set>

#include "backend/control/dispatch/orchestrator.h"
#include "backend/control/network/route_adverts.h"
#include "backend/control/protocol/access_messages.h"
#include "backend/control/protocol/connection_messages.h"
#include "backend/control/protocol/fault_messages.h"
#include "backend/control/protocol/instance_messages.h"
#include "backend/control/protocol/node_messages.h"
#include "backend/control/protocol/policy_messages.h"
#include "backend/control/protocol/state_messages.h"
#include "backend/control/types/module_types.h"
#include "backend/wire/message_codec.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/control/plan_at_once.h"

using namespace divisi;
using namespace divisi::control;
using namespace std::chrono_literals;

namespace {

/// The sender of a record, as a number from 1. If the highest bit is also set, one second passes before the message.
enum Sender : std::uint8_t { admin = 1, viewer, node, first_gateway, last_gateway, router, module, instance, stranger };
constexpr std::uint8_t a_second_later = 0x80;
constexpr std::size_t most_records = 12;
const TaskId task("t-1");
const InstanceId played("t-1/stage-0/0#1");

void hold(const char* what, bool holds) {
    if (holds) return;
    std::fprintf(stderr, "violated: %s\n", what);
    std::abort();
}

Result<PlanSummary> plan_of(const SubmitTask&) {
    PlanSummary plan;
    plan.name = "t";
    plan.stages = 1;
    plan.steps = 10;
    plan.plan_hash = "hash";
    plan.units = {{{Sid("t-1/load/0"), "load", {}, {}}, 0},
                  {{Sid("t-1/stage-0-forward/0"), "forward", {}, {Sid("t-1/load/0")}}, 0}};
    return plan;
}

DeviceInfo device(const std::string& name, const std::string& mic) {
    DeviceInfo info;
    info.name = name;
    info.role = mic.empty() ? mesh::DeviceRole::router : mesh::DeviceRole::gateway;
    info.mic = MicId(mic);
    info.endpoint = "ipc://" + name;
    info.neighbours = {mic.empty() ? "mg-1" : "sr-1", "mg-2"};
    info.buffer = 256 << 20;
    return info;
}

ModuleInfo module_info() { return {"trend", "1", {ModuleInput::quality}, {AdviceKind::traffic}, true, 1000, 0}; }

/// A fixture with an orchestrator, one peer of each kind, and a running task.
struct Cluster {
    Orchestrator core;
    TimePoint now{1000s};
    MeshTable table;          ///< as a device stores it
    std::set<PeerId> closed;  ///< peers whose connections have ended, so their messages are skipped
    bool ended = false;       ///< the orchestrator was told to end

    Cluster() {
        (void)core.start("fuzz", "1", now);
        for (std::uint8_t peer = admin; peer <= instance; ++peer) {
            const Role role = peer == admin    ? Role::admin
                              : peer == viewer ? Role::viewer
                              : peer == module ? Role::module
                                               : Role::agent;
            const bool owner = peer != viewer;
            (void)step(PeerConnected{PeerId(peer), {owner, role, "someone", owner ? "" : "key"}});
            say(peer, Hello{"fuzz", "1", role, "", std::string(32, static_cast<char>('0' + peer))});
        }
        (void)step(PeerConnected{PeerId(stranger), {false, {}, "nobody", "key of nobody"}});
        say(node, RegisterNode{{NodeId("m-1/n"), MicId("m-1"), "host", "f", {}, "ipc://b", "", 1}});
        say(first_gateway, RegisterDevice{device("mg-1", "m-1"), 0});
        say(last_gateway, RegisterDevice{device("mg-2", "m-2"), 0});
        say(router, RegisterDevice{device("sr-1", ""), 0});
        say(module, DescribeModule{module_info()});
        say(admin, Subscribe{});
        say(admin, SubmitTask{"t", "/", "", {}, "me"});
        say(instance, RegisterInstance{played, sid_of(played), "ipc://d", "", "f", 1});
    }
    Output step(const Input& input) {
        now += 1ms;
        Output output = test::plan_at_once(core, core.step(input, now), now, plan_of);
        closed.insert(output.closes.begin(), output.closes.end());
        ended |= output.exit;
        return output;
    }
    void say(std::uint8_t peer, const Message& message) { (void)step(Received{PeerId(peer), 1, message}); }
};

/// Checks that the orchestrator can read back what it logs, and that its messages can be encoded.
void check(const Output& output) {
    for (const Event& event : output.events) {
        const auto bytes = wire::encode_event(event);
        hold("an event can be encoded", bytes.ok());
        hold("an event can be decoded", wire::decode_event(std::as_bytes(std::span(*bytes))).ok());
    }
    for (const Send& send : output.sends) hold("an answer can be encoded", wire::encode(send.message).ok());
    hold("a message causes at most 256 events", output.events.size() <= 256);
}

std::string said(std::uint8_t sender, const Message& message) {
    return fuzz_record(sender, static_cast<char>(wire::type_of(message)) + wire::encode(message).value());
}

/// Returns seeds of signaling types 1 to 5 and of the other messages of a mesh.
std::vector<std::string> of_the_mesh() {
    DeviceReport report;
    report.table = 1;
    report.neighbours = {{3, true, 10, 20, 30}};
    report.flows = {{task, Sid("t-1/stage-0/0"), Sid("t-1/stage-1/0"), {1, 3, 2}, 1, 2, 3, 4, 1}};
    report.signals = {{TimePoint(1s), 1, 3, "rsvp", 0}};
    report.requests = {{}};
    report.period = 4;
    const std::vector<AbnormalFlow> flows{{task, Sid("t-1/stage-0/0"), Sid("t-1/stage-1/0"), {1, 3, 2}}};
    MeshTable table;
    table.revision = 3;
    table.devices = {{7, "mg-1", mesh::DeviceRole::gateway, MicId("m"), "ipc://x", "key"}};
    table.places = {{TaskId("t"), Sid("t/s/0"), 7, "ipc://z", "key"}};
    return {said(first_gateway | a_second_later, report) + said(admin, QueryMesh{}),
            said(router, RegisterDevice{device("sr-1", ""), 3}),
            said(first_gateway, AbnormalState{mesh::AbnormalKind::neighbour_silent, 3, TimePoint(1s), flows}),
            said(first_gateway, PolicyAnswer{1, Error{ErrorCode::unsupported, "w", "h", "n"}}),
            said(router, table) + said(router, MeshChange{3, 4, {}, {}, table.places, {Sid("t/s/0")}}),
            said(admin, SetPolicies{{"share:mg-1:mg-2=40", "window=4MiB"}}) + said(admin, QueryPolicies{}) +
                said(admin, RollBackPolicies{1}),
            said(admin, FaultLink{{"mg-1", "sr-1", true, 0, 0}}) + said(admin, HealFaults{"sr-1", "mg-1"}),
            said(admin, QueryRequests{0, "mg-1", task, true}) + said(admin, QuerySignals{3})};
}

std::vector<std::string> of_others() {
    Advise advise;
    advise.advice = {{AdviceKind::traffic, "mg-1", "mg-2", 4 << 20, 0.9, 2000, "why"}};
    NodeReport alive{NodeId("m-1/n"), 0.5, Bytes{1} << 30, {played}};
    StepRecord step;
    step.step = 1;
    return {said(module | a_second_later, advise) + said(module, DescribeModule{module_info()}),
            said(node, alive) + said(node, InstanceExited{played, 1, 0, "output"}) +
                said(node, LogLines{{{0, {}, Severity::warning, "instance " + played.value(), {}, {}, {}, "a line"}}}),
            said(instance, InstancePrepared{played, "hash", 2}) + said(instance, StepReport{task, played, step}) +
                said(instance, LoadReport{InstanceLoad{played}}),
            said(instance, InstanceFailed{played, Error{ErrorCode::failed, "w", "h", "n"}}),
            said(stranger, Hello{"divisictl", "0.1", Role::viewer, "key"}) + said(stranger, Subscribe{}),
            said(viewer, StopTask{task, "why"}) + said(viewer, QueryLog{"t", "text", 5, 100, 900, true, "step_done"}),
            said(admin, KillInstance{Sid("t-1/stage-0/0")}) + said(admin, KillNode{NodeId("m-1/n")}) +
                said(admin, PauseInstance{Sid("t-1/stage-0/0"), 2.5}),
            said(admin, ChangeKey{{"key of nobody", "bob", Role::operate, false}}) + said(admin, QueryModules{})};
}

}  // namespace

std::vector<std::string> fuzz_seeds() {
    std::vector<std::string> seeds = of_the_mesh();
    for (std::string& one : of_others()) seeds.push_back(std::move(one));
    return seeds;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto records = fuzz_records(std::as_bytes(std::span(data, size)), most_records);
    if (records.empty()) return 0;
    Cluster cluster;
    for (const FuzzRecord& record : records) {
        if (record.bytes.empty()) continue;
        auto message = wire::decode(std::to_integer<wire::MessageType>(record.bytes[0]), record.bytes.subspan(1));
        if (!message) continue;
        if (record.kind & a_second_later) {
            cluster.now += 1s;
            check(cluster.step(Tick{}));
        }
        if (const auto* whole = get_if<MeshTable>(&*message)) cluster.table = *whole;
        if (const auto* change = get_if<MeshChange>(&*message)) (void)apply(cluster.table, *change);
        const PeerId sender(1 + ((record.kind & 0x7f) + stranger - 1) % stranger);
        if (!cluster.closed.contains(sender)) check(cluster.step(Received{sender, 1, *std::move(message)}));
        if (cluster.ended) return 0;
    }
    cluster.now += 10s;
    check(cluster.step(Tick{}));
    return 0;
}
