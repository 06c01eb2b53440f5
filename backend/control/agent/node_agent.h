// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <variant>
#include <vector>

#include "backend/control/protocol/message.h"
#include "backend/control/protocol/silence.h"

namespace divisi::control::inline agent {

/// The life of a node agent (draft-li's DPU) without I/O: step(input, now) -> output.
namespace node {

struct Connected {};  ///< the orchestrator answers; Hello was said
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
/// The child was told to keep its process (Output::keeps).
struct Kept {
    InstanceId instance;
    Usage usage;  ///< of this instance until now
};
/// It could not be told: it is about to end.
struct KeepFailed {
    InstanceId instance;
};
struct Load {
    double load = 0;
    Bytes memory_free = 0;
    std::vector<InstanceUsage> usages = {};
    MachineFigures machine = {};
};                    ///< measured by the adapter, with every tick
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
};  ///< SIGTERM, or SIGKILL
/// Stop a process, and let it go on after so long.
struct Pause {
    InstanceId instance;
    Duration time{};
};
/// A kept process plays another instance from now on.
struct PassOn {
    InstanceId from;
    StartInstance what;
};

struct Output {
    std::vector<SendUp> sends;
    std::vector<Spawn> spawns;
    std::vector<Signal> signals;
    std::vector<InstanceId> keeps;  ///< tell it so; Kept or KeepFailed follows
    std::vector<PassOn> passes;
    std::vector<Pause> pauses;
    bool die = false;  ///< at once, with all processes, as if everything was killed
    bool exit = false;
    bool dismissed = false;       ///< with `exit`: the orchestrator said goodbye, and nobody came back
    std::optional<Error> failed;  ///< why it exits, when not asked to
    std::optional<Error> told;    ///< what its registration met, for whoever reads this machine's terminal or log
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
        std::optional<TimePoint> kill_at;  ///< after SIGTERM
        bool forced = false;
        /// Its instance is over, and the process waits until then for another, in lived time.
        std::optional<TimePoint> kept_until = std::nullopt;
        bool keeping = false;  ///< it was asked to be kept
        /// Came before it was known whether it can be.
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
    std::vector<InstanceExited> unsaid_;  ///< of the time without an orchestrator
    bool connected_ = false;
    bool registered_ = false;
    bool ending_ = false;
    bool dismissed_ = false;  ///< ending_ for the orchestrator's goodbye; not once it is back
    /// When the orchestrator went away with children running, or with a goodbye, in lived time. Children are ended
    /// after orphan_grace; after a goodbye they and this agent end after farewell_grace.
    std::optional<TimePoint> orphaned_;
    bool farewell_ = false;
    /// Since when the registration has been refused, by one who may not have noticed our last connection's end.
    std::optional<TimePoint> refused_since_;
    bool register_again_ = false;
    TimePoint now_{};
    LivedTime time_;
    TimePoint lived_{};
    node::Output output_;
};

/// From SIGTERM to SIGKILL of an instance that does not end.
inline constexpr Duration kill_grace = std::chrono::seconds(3);
/// How long instances live without an orchestrator: longer than a network or an orchestrator that pauses is away.
inline constexpr Duration orphan_grace = std::chrono::seconds(60);
/// The same after its goodbye, for the agent itself too. An orchestrator that is only started again is back by then.
inline constexpr Duration farewell_grace = std::chrono::seconds(5);
/// How long a process is kept for another instance: the orchestrator decides in milliseconds once a task is over.
inline constexpr Duration kept_grace = std::chrono::seconds(10);
/// How long a registration is tried that another process's fading registration may stand in the way of.
inline constexpr Duration registration_grace = std::chrono::seconds(30);

}  // namespace divisi::control::inline agent
