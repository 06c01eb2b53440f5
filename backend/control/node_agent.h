// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <variant>
#include <vector>

#include "backend/control/message.h"

namespace divisi::control {

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
};
struct Load {
    double load = 0;
    Bytes memory_free = 0;
};                    ///< measured by the adapter, with every tick
struct Terminate {};  ///< SIGTERM, SIGINT, or the parent died
using Input =
    std::variant<Connected, Disconnected, FromOrchestrator, Spawned, SpawnFailed, ChildExited, Load, Terminate>;

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

struct Output {
    std::vector<SendUp> sends;
    std::vector<Spawn> spawns;
    std::vector<Signal> signals;
    bool exit = false;
    std::optional<Error> failed;  ///< why it exits, when not asked to
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
    };

    void on(const node::Connected&);
    void on(const node::Disconnected&);
    void on(const node::FromOrchestrator& input);
    void on(const node::Spawned& input);
    void on(const node::SpawnFailed& input);
    void on(const node::ChildExited& input);
    void on(const node::Load& input);
    void on(const node::Terminate&);
    void ask_to_end(const InstanceId& instance, Child& child);

    NodeInfo info_;
    std::map<InstanceId, Child> children_;
    bool connected_ = false;
    bool ending_ = false;
    /// When the orchestrator went away with children running; they are ended after orphan_grace.
    std::optional<TimePoint> orphaned_;
    /// Since when the registration has been refused, by one who may not have noticed our last connection's end.
    std::optional<TimePoint> refused_since_;
    bool register_again_ = false;
    TimePoint now_{};
    node::Output output_;
};

/// From SIGTERM to SIGKILL of an instance that does not end.
inline constexpr Duration kill_grace = std::chrono::seconds(3);
/// How long instances may live without an orchestrator; a restarted one has ended their task.
inline constexpr Duration orphan_grace = std::chrono::seconds(5);

}  // namespace divisi::control
