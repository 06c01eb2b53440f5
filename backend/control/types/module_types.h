// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/ids.h"
#include "backend/base/units.h"
#include "backend/control/types/mesh_types.h"
#include "backend/control/types/types.h"
#include "backend/mesh/registry/registration.h"

namespace divisi::control::inline types {

// What functional modules (draft 002, 4.2) and the service mesh orchestrator (SMO) tell each other. A module observes
// and advises; the SMO decides.

/// What a module may subscribe to.
enum class ModuleInput : std::uint8_t {
    services = 1,  ///< signaling type 1: who serves which SID, and how well it is
    routes = 2,    ///< type 2: the two paths from gateway to gateway, and how flows are dealt to them
    load = 3,      ///< type 4: nodes, and what instances are busy with
    quality = 4,   ///< type 5: how links and flows fare
    topology = 5,  ///< MICs with their gateways, routers and links
    tasks = 6,     ///< runs with their steps, units and what these depend on
};

enum class AdviceKind : std::uint8_t {
    path_priority = 1,   ///< share of a flow's tensors that go by the first of its two paths, in percent
    node_avoidance = 2,  ///< place no instance there while other nodes have room
    traffic = 3,         ///< window: bytes that a device promises to a flow
    drain = 4,           ///< place no instance there
};

/// What a module says of itself. Several processes of one name may be connected: one of them advises, the others stand
/// by to be exchanged for it.
struct ModuleInfo {
    std::string name;
    std::string version;
    std::vector<ModuleInput> inputs;
    std::vector<AdviceKind> advice;
    bool sync = false;           ///< it is asked ahead of a placement, and has sync_answer for it
    std::int64_t period_ms = 0;  ///< from one Observe to the next
    std::int64_t pid = 0;
};

struct Advice {
    AdviceKind kind = AdviceKind::path_priority;
    std::string from, to;       ///< gateways or SIDs; of a node its name alone; none: all flows
    std::int64_t value = 0;     ///< percent or bytes; nothing of a node
    double confidence = 0;      ///< 0 to 1
    std::int64_t valid_ms = 0;  ///< from its arrival on
    std::string reason;
};
/// "share:mg-1:mg-2=40", "avoid:mic-1/node-2".
std::string to_text(const Advice& advice);

enum class AdviceOutcome : std::uint8_t {
    taken = 1,
    refused = 2,
    held = 3,     ///< it was taken, and its steps were measured since
    expired = 4,  ///< it was taken, and is not valid any longer
};

/// What a step of a task took around an advice that was taken; medians.
struct AdviceEffect {
    TaskId task;
    double before_ms = 0, after_ms = 0;
};

/// What became of an advice.
struct AdviceEcho {
    std::uint64_t number = 0;  ///< of the advice, in the order in which this module gave them
    Advice advice;
    AdviceOutcome outcome = AdviceOutcome::taken;
    std::string why;     ///< it was refused, or taken back
    std::string change;  ///< "policy 4: share:mg-1:mg-2=40 (was 100)"
    std::vector<AdviceEffect> effects;
};

// --- observations ------------------------------------------------------------------------------

struct ObservedService {
    Sid sid;
    std::uint64_t incarnation = 0;
    NodeId node;
    MicId mic;
    mesh::Health health = mesh::Health::active;
};
/// From one gateway to another.
struct ObservedRoute {
    std::string from, to;
    std::int64_t share = 100;                ///< percent by the first path
    std::vector<std::string> first, second;  ///< devices from end to end; without a second path it is empty
};
struct ObservedNode {
    NodeId node;
    MicId mic;
    std::string host;
    double cores = 0;
    double load = 0;  ///< threads that compute on its host, of whatever program
    double own = 0;   ///< of these, threads of instances of this cluster
    Bytes memory_free = 0;
    std::int32_t tasks = 0;  ///< that run there
};
struct ObservedInstance {
    InstanceId instance;
    NodeId node;
    double busy_share = 0, wait_share = 0;  ///< of wall time, in the last interval
};
/// One way of a link.
struct ObservedLink {
    std::string from, to;
    bool usable = false;
    std::uint64_t queued_bytes = 0, credit_bytes = 0;
    mesh::Quality quality;
};
struct ObservedFlow {
    TaskId task;
    Sid source, destination;
    std::uint32_t strand = 0;       ///< 1: those that go by the second path
    std::vector<std::string> path;  ///< devices from gateway to gateway
    mesh::Quality quality;
};
struct ObservedDevice {
    std::string name;
    mesh::DeviceRole role = mesh::DeviceRole::router;
    MicId mic;  ///< of a gateway
    bool up = false;
    std::vector<std::string> neighbours;
};
struct ObservedUnit {
    Sid sid;
    std::string kind;
    NodeId node;
    std::vector<Sid> depends_on;
};
struct ObservedTask {
    TaskId task;
    TaskPhase phase = TaskPhase::queued;
    std::int64_t step = 0, steps = 0;
    double step_ms = 0;  ///< median of the newest steps; 0: none yet
    std::vector<ObservedUnit> units;
};

/// What a module has subscribed to, as it stands.
struct Observation {
    std::vector<ObservedService> services;
    std::vector<ObservedRoute> routes;
    std::vector<ObservedNode> nodes;
    std::vector<ObservedInstance> instances;
    std::vector<ObservedLink> links;
    std::vector<ObservedFlow> flows;
    std::vector<ObservedDevice> devices;
    std::vector<ObservedTask> tasks;
};

// --- the five messages, and what clients ask ----------------------------------------------------

/// Describe, from a module over every new connection. Answered by Done, or Refused.
struct DescribeModule {
    ModuleInfo module;
};
/// Observe, to a module. Answered by Advise with its number, also where there is nothing to advise: the next one waits
/// for that.
struct Observe {
    std::uint64_t number = 0;
    TimePoint time{};
    bool placing = false;  ///< a task is to be placed: the answer counts within sync_answer
    Observation seen;
};
/// Advise, from a module, not answered; Echo follows for each advice.
struct Advise {
    std::uint64_t observed = 0;  ///< number of the Observe
    std::vector<Advice> advice;
};
/// Echo, to a module.
struct Echo {
    std::vector<AdviceEcho> echoes;
};
/// Control, to a module: how it stands from now on.
struct ControlModule {
    bool advises = false;              ///< false: it stands by, is off, or another version advises
    std::vector<TaskId> without = {};  ///< tasks for which it is off
    bool stop = false;                 ///< end in order
    std::string reason = {};
};

enum class ModuleState : std::uint8_t {
    advises = 1,
    stands_by = 2,  ///< another process of its name advises
    off = 3,        ///< by policy
    gone = 4,       ///< its connection ended
    cut_off = 5,    ///< it flooded, lied or hung; it is let in again after a while
};
const char* to_string(ModuleInput input);
const char* to_string(AdviceKind kind);
const char* to_string(AdviceOutcome outcome);
const char* to_string(ModuleState state);

/// One of a module's newest advices, as clients see it.
struct AdviceView {
    AdviceEcho echo;
    TimePoint given{};        ///< last, with `again`
    TimePoint until{};        ///< it holds, or held; of one that was refused: none
    std::uint64_t again = 0;  ///< times that it was given once more as it stood
};
struct RefusalReason {
    std::string why;
    std::uint64_t count = 0;
};

/// As clients see a module's process.
struct ModuleView {
    ModuleInfo info;
    ModuleState state = ModuleState::gone;
    std::string detail;                ///< why it is gone, cut off or off
    TimePoint heard{};                 ///< its last message
    std::vector<std::string> without;  ///< tasks for which it is off
    std::uint64_t given = 0, taken = 0, refused = 0;
    std::uint64_t missed = 0;             ///< placements that were decided without its answer
    std::uint64_t expired = 0;            ///< of those that were taken: no longer valid, or taken back
    double answer_ms = 0;                 ///< to an observation, median of the newest; 0: it has answered none
    std::vector<AdviceView> newest;       ///< the newest first, most_shown_advice
    std::vector<RefusalReason> refusals;  ///< the newest first, most_refusal_reasons
};
/// From clients. Answered by ModulesState.
struct QueryModules {};
struct ModulesState {
    std::vector<ModuleView> modules;  ///< by name, then in the order of their arrival
    TimePoint time{};                 ///< of the orchestrator, for ages
};
/// From operators: end the processes of a module, or let that of another version advise. Answered by Done.
struct ChangeModule {
    std::string name;
    bool stop = false;
    std::string version;  ///< that advises from now on; beside `stop` empty
};

/// A screenful.
inline constexpr std::size_t most_shown_advice = 16, most_refusal_reasons = 8;
/// For which a placement waits for an answer.
inline constexpr Duration sync_answer = std::chrono::milliseconds(10);

}  // namespace divisi::control::inline types
