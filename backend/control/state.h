// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>

#include "backend/control/event.h"

namespace divisi::control {

struct NodeView {
    NodeInfo info;
    NodeState state = NodeState::ready;
    TimePoint since{};
    std::string reason;
};

struct InstanceView {
    InstanceId id;
    TaskId task;
    Sid sid;
    NodeId node;
    std::int32_t stage = 0;
    InstanceState state = InstanceState::placed;
    TimePoint since{};
    std::string detail;
};

struct TaskView {
    TaskId id;
    std::string name;
    std::string text;
    std::string folder;
    std::string skeleton;
    std::vector<FileRef> files;
    std::string submitted_by;
    std::int64_t priority = 0;
    TaskPhase phase = TaskPhase::queued;
    std::string phase_detail;
    Outcome outcome = Outcome::none;
    std::optional<Error> error;
    TimePoint submitted{}, started{}, ended{};
    Generation generation = 0;
    std::vector<std::string> cuts;
    std::int64_t steps = 0;
    std::int64_t batch = 0;
    std::string model;
    std::string plan_hash;
    std::vector<UnitView> units;
    std::int64_t step = 0;               ///< last step done
    std::deque<StepRecord> history;      ///< the last history_limit steps
    std::deque<EvalRecord> evaluations;  ///< likewise
    std::vector<WeightsStored> weights;  ///< newest per instance

    bool over() const { return phase == TaskPhase::ended; }
};

/// What a measured link holds for.
struct LinkKey {
    std::string from_host, to_host;
    LinkTransport transport = LinkTransport::ipc;
    auto operator<=>(const LinkKey&) const = default;  // NOLINT(modernize-use-nullptr)
};
struct LinkView {
    LinkMeasured link;
    TimePoint measured{};
};
LinkKey key_of(const LinkMeasured& link);

/// Links that the state keeps, the newest: those of 64 hosts with each other, which is what is surveyed.
inline constexpr std::size_t link_limit = 64 * 64;
/// Steps that the state keeps per task; older ones stay in the event log.
inline constexpr std::size_t history_limit = 5000;
/// Ended tasks that the state keeps; older ones stay in the event log.
inline constexpr std::size_t ended_task_limit = 200;
/// Events that the state keeps for the log view.
inline constexpr std::size_t recent_limit = 500;

/// What the cluster is: the fold of its events. Orchestrator and clients run the same apply().
struct ClusterState {
    std::string name;
    std::string version;
    std::uint64_t sequence = 0;  ///< of the last event applied
    TimePoint time{};            ///< of the last event applied
    std::map<NodeId, NodeView> nodes;
    std::map<InstanceId, InstanceView> instances;
    std::map<TaskId, TaskView> tasks;
    std::map<std::string, KeyChanged> keys;  ///< by public key, without the revoked
    std::deque<Event> recent;                ///< the last recent_limit events but steps, for the log view
    std::map<LinkKey, LinkView> links;       ///< as last measured
    std::vector<StatedLink> stated_links;    ///< of the cluster file that the orchestrator was started with
};

/// Folds one event in. An event that was applied already (its sequence is not above the state's) is ignored.
void apply(ClusterState& state, const Event& event);

}  // namespace divisi::control
