// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <variant>
#include <vector>

#include "backend/control/protocol/message.h"
#include "backend/control/protocol/node_messages.h"
#include "backend/control/protocol/silence.h"

namespace divisi::control::inline agent {

/// The lifecycle of a node agent (draft-li's DPU) without I/O: step(input, now) -> output.
namespace node {

struct Connected {};  ///< the orchestrator answers, and Hello was sent
struct Disconnected {};
struct FromOrchestrator {
    std::uint64_t correlation = 0;
    Message message;
};
struct Spawned {
    InstanceId instance;
    std::int64_t pid = 0;
};
struct SpawnFailed {
    InstanceId instance;
    Error error;
};
struct ChildExited {
    InstanceId instance;
    std::int32_t code = 0;
    std::int32_t signal = 0;
    std::string output;
    Usage usage = {};
};
/// The child has confirmed that its process is kept (Output::keeps).
struct Kept {
    InstanceId instance;
    Usage usage;  ///< usage of the old instance so far
};
/// The agent could not tell the child to keep its process; the process is about to end.
struct KeepFailed {
    InstanceId instance;
};
struct Load {
    double load = 0;
    Bytes memory_free = 0;
    std::vector<InstanceUsage> usages = {};
    MachineFigures machine = {};
};                    ///< measured by the adapter at every tick
struct Terminate {};  ///< SIGTERM, SIGINT, or the parent died
using Input = std::variant<Connected, Disconnected, FromOrchestrator, Spawned, SpawnFailed, ChildExited, Load,
                           Terminate, Kept, KeepFailed>;

struct SendUp {
    std::uint64_t correlation = 0;
    Message message;
};
struct Spawn {
    StartInstance what;
};
struct Signal {
    InstanceId instance;
    bool force = false;
};  ///< sends SIGTERM, or SIGKILL if `force` is set
/// Pauses a process for a time.
struct Pause {
    InstanceId instance;
    Duration time{};
};
/// Makes a kept process run another instance.
struct PassOn {
    InstanceId from;
    StartInstance what;
};

struct Output {
    std::vector<SendUp> sends;
    std::vector<Spawn> spawns;
    std::vector<Signal> signals;
    std::vector<InstanceId> keeps;  ///< children to tell to keep their processes; the answer is Kept or KeepFailed
    std::vector<PassOn> passes;
    std::vector<Pause> pauses;
    bool die = false;  ///< end immediately with all processes, as in a crash
    bool exit = false;
    bool dismissed = false;       ///< together with `exit`: the orchestrator said goodbye and has not returned
    std::optional<Error> failed;  ///< error that causes the exit; none if the exit was requested
    std::optional<Error> told;    ///< registration error, for this machine's terminal or log
};

}  // namespace node

class NodeAgent {
public:
    explicit NodeAgent(NodeInfo info) : info_(std::move(info)) {}

    node::Output step(const node::Input& input, TimePoint now);
    std::size_t children() const { return children_.size(); }

private:
    struct Child {
        std::int64_t pid = 0;
        std::optional<TimePoint> kill_at;  ///< time at which to send SIGKILL, after SIGTERM
        bool forced = false;
        /// Lived time until which the process waits for another instance after its own instance has ended.
        std::optional<TimePoint> kept_until = std::nullopt;
        bool keeping = false;  ///< whether the process was told to continue after its instance ends
        /// The instance to start in this process, if the process can be kept. Otherwise the instance gets a new
        /// process.
        std::optional<StartInstance> next = std::nullopt;
    };

    void on(const node::Connected&);
    void on(const node::Disconnected&);
    void on(const node::FromOrchestrator& input);
    void on(const node::Spawned& input);
    void on(const node::SpawnFailed& input);
    void on(const node::ChildExited& input);
    void on(const node::Load& input);
    void on(const node::Terminate&);
    void on(const node::Kept& input);
    void on(const node::KeepFailed& input);
    void start(const StartInstance& what);
    void start_next(Child& child);
    void forget(const InstanceId& instance);
    void make_fault(const FaultInstance& what);
    void end_kept();
    void ask_to_end(const InstanceId& instance, Child& child);
    void say_exited(InstanceExited exited);
    void register_node();
    void refused(const Error& error);

    NodeInfo info_;
    std::map<InstanceId, Child> children_;
    std::vector<InstanceExited> unsaid_;  ///< exits that happened without an orchestrator and are still to be reported
    bool connected_ = false;
    bool registered_ = false;
    bool ending_ = false;
    bool dismissed_ = false;  ///< ending because of the orchestrator's goodbye; reset when the orchestrator is back
    /// Lived time at which the orchestrator was lost; set only if children were running or the orchestrator said
    /// goodbye. Without a goodbye, children are ended after orphan_grace. After a goodbye, children and this agent end
    /// after farewell_grace.
    std::optional<TimePoint> orphaned_;
    bool farewell_ = false;
    /// Time since which the registration has been refused. The orchestrator may not have noticed yet that this agent's
    /// previous connection has ended.
    std::optional<TimePoint> refused_since_;
    bool register_again_ = false;
    TimePoint now_{};
    LivedTime time_;
    TimePoint lived_{};
    node::Output output_;
};

/// Time between SIGTERM and SIGKILL for an instance that does not end.
inline constexpr Duration kill_grace = std::chrono::seconds(3);
/// Time for which instances live without an orchestrator. The time must exceed a pause of the network or of the
/// orchestrator.
inline constexpr Duration orphan_grace = std::chrono::seconds(60);
/// Time for which instances and the agent itself live after the orchestrator's goodbye. A restarted orchestrator is
/// back by then.
inline constexpr Duration farewell_grace = std::chrono::seconds(5);
/// Time for which a process is kept for another instance. The orchestrator decides within milliseconds after a task is
/// over.
inline constexpr Duration kept_grace = std::chrono::seconds(10);
/// Time for which a registration is retried. The registration of an earlier process may block the new one until the old
/// one expires.
inline constexpr Duration registration_grace = std::chrono::seconds(30);

}  // namespace divisi::control::inline agent
