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

// Messages between functional modules (draft 002, 4.2) and the service mesh orchestrator (SMO). A module observes and
// advises; the SMO decides.

/// The inputs that a module may subscribe to.
enum class ModuleInput : std::uint8_t {
    services = 1,  ///< signaling type 1: the processes that serve SIDs, and their health
    routes = 2,    ///< type 2: the two paths between gateways, and how flows are divided among them
    load = 3,      ///< type 4: nodes, and the load of instances
    quality = 4,   ///< type 5: the quality of links and flows
    topology = 5,  ///< MICs with their gateways, routers and links
    tasks = 6,     ///< running tasks with their steps, units and dependencies
};

enum class AdviceKind : std::uint8_t {
    path_priority = 1,   ///< share of a flow's tensors on the first of its two paths, in percent
    node_avoidance = 2,  ///< place no instance on the node while other nodes have room
    traffic = 3,         ///< window: bytes that a device promises to a flow
    drain = 4,           ///< place no instance on the node
};

/// A module's description of itself. Several processes of one name may be connected: one process advises, and the
/// others wait as replacements.
struct ModuleInfo {
    std::string name;
    std::string version;
    std::vector<ModuleInput> inputs;
    std::vector<AdviceKind> advice;
    bool sync = false;           ///< whether placements wait for this module's advice, at most sync_answer
    std::int64_t period_ms = 0;  ///< time between two Observe messages
    std::int64_t pid = 0;
};

struct Advice {
    AdviceKind kind = AdviceKind::path_priority;
    std::string from, to;       ///< gateways or SIDs, empty: all flows; for a node, its name in `from`
    std::int64_t value = 0;     ///< value in percent or bytes; unused for a node
    double confidence = 0;      ///< confidence from 0 to 1
    std::int64_t valid_ms = 0;  ///< how long the advice is valid after its arrival
    std::string reason;
};
/// Returns the advice as text, for example "share:mg-1:mg-2=40" or "avoid:mic-1/node-2".
std::string to_text(const Advice& advice);

enum class AdviceOutcome : std::uint8_t {
    taken = 1,
    refused = 2,
    held = 3,     ///< accepted, and its effect on steps was measured
    expired = 4,  ///< accepted, and no longer valid
};

/// Median step times of a task before and after advice was accepted.
struct AdviceEffect {
    TaskId task;
    double before_ms = 0, after_ms = 0;
};

/// The outcome of a piece of advice.
struct AdviceEcho {
    std::uint64_t number = 0;  ///< number of the advice, counted per module
    Advice advice;
    AdviceOutcome outcome = AdviceOutcome::taken;
    std::string why;     ///< why the advice was refused or reverted
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
/// The route from one gateway to another.
struct ObservedRoute {
    std::string from, to;
    std::int64_t share = 100;                ///< percent of tensors on the first path
    std::vector<std::string> first, second;  ///< devices from end to end; `second` is empty if there is no second path
};
struct ObservedNode {
    NodeId node;
    MicId mic;
    std::string host;
    double cores = 0;
    double load = 0;  ///< computing threads of all programs on the node's host
    double own = 0;   ///< computing threads that belong to instances of this cluster
    Bytes memory_free = 0;
    std::int32_t tasks = 0;  ///< tasks that run on the node
};
struct ObservedInstance {
    InstanceId instance;
    NodeId node;
    double busy_share = 0, wait_share = 0;  ///< shares of wall time in the last interval
};
/// One direction of a link.
struct ObservedLink {
    std::string from, to;
    bool usable = false;
    std::uint64_t queued_bytes = 0, credit_bytes = 0;
    mesh::Quality quality;
};
struct ObservedFlow {
    TaskId task;
    Sid source, destination;
    std::uint32_t path_index = 0;   ///< 1: the tensors on the second path
    std::vector<std::string> path;  ///< all devices from gateway to gateway
    mesh::Quality quality;
};
struct ObservedDevice {
    std::string name;
    mesh::DeviceRole role = mesh::DeviceRole::router;
    MicId mic;  ///< gateways only
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

/// The current state of everything that a module has subscribed to.
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

// --- the five module messages, and client requests ----------------------------------------------

/// Describe: sent by a module over every new connection. Answered by Done, or Refused.
struct DescribeModule {
    ModuleInfo module;
};
/// Observe: sent to a module. Answered by Advise with the same number, even if there is no advice. The next periodic
/// Observe waits for that answer; an Observe for a placement does not wait.
struct Observe {
    std::uint64_t number = 0;
    TimePoint time{};
    bool placing = false;  ///< whether a placement waits for the answer, which must arrive within sync_answer
    Observation seen;
};
/// Advise: sent by a module, not answered. Echo follows for each piece of advice.
struct Advise {
    std::uint64_t observed = 0;  ///< number of the Observe message that this message answers
    std::vector<Advice> advice;
};
/// Echo: sent to a module.
struct Echo {
    std::vector<AdviceEcho> echoes;
};
/// Control: sent to a module when its state changes.
struct ControlModule {
    bool advises = false;              ///< whether it advises; false: it waits, is off, or another version advises
    std::vector<TaskId> without = {};  ///< tasks for which the module is off
    bool stop = false;                 ///< true: the module must end in an orderly way
    std::string reason = {};
};

enum class ModuleState : std::uint8_t {
    advises = 1,
    stands_by = 2,  ///< another process of the same name advises
    off = 3,        ///< switched off by policy
    gone = 4,       ///< the connection of the process ended
    cut_off = 5,    ///< cut off due to too many messages, invalid advice or a hang; may reconnect after a while
};
const char* to_string(ModuleInput input);
const char* to_string(AdviceKind kind);
const char* to_string(AdviceOutcome outcome);
const char* to_string(ModuleState state);

/// One of the newest pieces of a module's advice, as clients see it.
struct AdviceView {
    AdviceEcho echo;
    TimePoint given{};        ///< time when the module last gave the advice, including repetitions
    TimePoint until{};        ///< end of the advice's validity; none if the advice was refused
    std::uint64_t again = 0;  ///< number of identical repetitions
};
struct RefusalReason {
    std::string why;
    std::uint64_t count = 0;
};

/// A module's process as clients see it.
struct ModuleView {
    ModuleInfo info;
    ModuleState state = ModuleState::gone;
    std::string detail;                ///< why the process is gone, cut off or off
    TimePoint heard{};                 ///< time of the last message of the process
    std::vector<std::string> without;  ///< tasks for which the module is off
    std::uint64_t given = 0, taken = 0, refused = 0;
    std::uint64_t missed = 0;             ///< placements decided without an answer of the process
    std::uint64_t expired = 0;            ///< pieces of accepted advice that expired or were reverted
    double answer_ms = 0;                 ///< median answer time of the newest observations; 0: no answer yet
    std::vector<AdviceView> newest;       ///< newest advice first, at most most_shown_advice
    std::vector<RefusalReason> refusals;  ///< newest reasons first, at most most_refusal_reasons
};
/// Sent by clients. Answered by ModulesState.
struct QueryModules {
    using Answer = struct ModulesState;
};
struct ModulesState {
    std::vector<ModuleView> modules;  ///< modules ordered by name, then in order of arrival
    TimePoint time{};                 ///< the orchestrator's time, to compute ages
};
/// Sent by operators: ends the processes of a module, or lets another version of it advise. Answered by Done.
struct ChangeModule {
    std::string name;
    bool stop = false;
    std::string version;  ///< the version that advises from now on; empty with `stop`
};

/// Maximum number of pieces of advice, and of refusal reasons, shown for a module: as many as fit on a screen.
inline constexpr std::size_t most_shown_advice = 16, most_refusal_reasons = 8;
/// Time for which a placement waits for a module's answer.
inline constexpr Duration sync_answer = std::chrono::milliseconds(10);

// Bounds that a functional module's advice must meet to be considered.

/// Minimum confidence of advice. Below this value, the module itself considers its advice more likely wrong than right.
inline constexpr double least_confidence = 0.5;
/// Bounds for the validity of advice. Advice is temporary, since it is based on predictions. Only operators make
/// permanent settings.
inline constexpr Duration least_validity = std::chrono::seconds(1), most_validity = std::chrono::minutes(10);

}  // namespace divisi::control::inline types
