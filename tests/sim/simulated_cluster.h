// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "backend/control/instance_life.h"
#include "backend/control/node_agent.h"
#include "backend/control/orchestrator.h"

namespace divisi::sim {

/// How likely the faults are, per simulated second and process, and how slow messages may be.
struct Faults {
    double instance_crash = 0.02;
    double node_crash = 0.005;
    double orchestrator_crash = 0.005;
    double work_failure = 0.01;  ///< preparing or running ends in an error
    Duration delay_max = std::chrono::milliseconds(400);
    double connection_break = 0.01;  ///< of a process to the orchestrator, both live on; what is under way is lost
    Duration away_max = std::chrono::seconds(15);  ///< until it has reconnected
};

/// The production state machines of orchestrator, nodes and instances, wired by a network, processes and
/// a log that are all driven by one seed. Connections are ordered and lossless while they live, as TCP's
/// are; they break when either end crashes, and by themselves, with all that was under way. Every violated
/// invariant is collected as a sentence.
class SimulatedCluster {
public:
    SimulatedCluster(std::uint64_t seed, int nodes, Faults faults);
    ~SimulatedCluster();

    /// Submits a task of `stages` stages and `steps` steps after `delay`.
    void submit(const std::string& name, int stages, int steps, Duration delay);
    void stop(const std::string& task, Duration delay);
    /// Runs until `until` with faults, then without, until nothing is left to do or `settle` has passed.
    void run(Duration until, Duration settle);

    const control::ClusterState& state() const { return orchestrator_->state(); }
    const std::vector<std::string>& violations() const { return violations_; }
    std::size_t events() const { return log_.size(); }
    std::size_t live_instances() const;
    std::size_t faults_injected() const { return faults_injected_; }

private:
    struct Node;
    struct Instance;
    using Task = std::function<void()>;
    struct Scheduled {
        TimePoint time;
        std::uint64_t order;
        Task task;
        bool operator<(const Scheduled& other) const {
            return time != other.time ? time > other.time : order > other.order;
        }
    };

    void after(Duration delay, Task task);
    Duration random_delay();
    bool chance(double probability);
    void violate(const std::string& what);

    void start_orchestrator();
    void crash_orchestrator();
    void to_orchestrator(const control::Input& input);
    void plan(const control::Job& job);
    void carry_out(const control::Output& output);
    void deliver_up(control::PeerId peer, std::uint64_t correlation, control::Message message);
    void check_invariants(const control::Event& event);

    void start_node(int index);
    void crash_node(int index);
    void node_step(int index, const control::node::Input& input);
    void start_instance(int node, const control::StartInstance& start);
    void end_instance(const InstanceId& id, int code, int signal);
    void instance_step(const InstanceId& id, const control::instance::Input& input);
    void instance_output(const InstanceId& id, std::uint64_t life, const control::instance::Output& output);
    void work(const InstanceId& id, std::uint64_t life, std::int64_t step);
    control::PeerId connect(control::Role role, const std::string& process = {});
    void disconnect(control::PeerId peer);
    void connect_node(int index, std::uint64_t life);
    void connect_instance(const InstanceId& id, std::uint64_t life);
    void break_connection(control::PeerId peer);
    Duration time_away();
    std::vector<std::pair<InstanceId, std::uint64_t>> lives() const;
    void tick();
    void inject_faults();

    std::mt19937_64 random_;
    Faults faults_;
    bool faulty_ = true;
    TimePoint now_{std::chrono::seconds(1000)};
    std::uint64_t order_ = 0, next_peer_ = 1, next_life_ = 1;
    std::priority_queue<Scheduled> queue_;
    std::unique_ptr<control::Orchestrator> orchestrator_;
    bool orchestrator_up_ = false;
    std::uint64_t orchestrator_life_ = 0;  ///< tells its processes apart
    TimePoint planned_{};                  ///< when the last job is done
    std::vector<control::Event> log_;
    std::vector<std::unique_ptr<Node>> nodes_;
    std::map<InstanceId, std::unique_ptr<Instance>> instances_;
    /// Who listens at the other end of a connection to the orchestrator, and when its last message arrives.
    std::map<control::PeerId, std::function<void(std::uint64_t, const control::Message&)>> listeners_;
    std::map<control::PeerId, TimePoint> last_up_, last_down_;
    std::set<control::PeerId> broken_;  ///< what is under way on them does not arrive
    std::vector<std::string> violations_;
    std::map<TaskId, std::int64_t> last_step_;
    std::map<TaskId, int> endings_;
    std::size_t faults_injected_ = 0;
};

}  // namespace divisi::sim
