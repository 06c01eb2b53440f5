// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/sim/client_process.h"
#include "tests/sim/disk.h"
#include "tests/sim/instance_process.h"
#include "tests/sim/node_process.h"
#include "tests/sim/orchestrator_process.h"

namespace divisi::sim {

struct ClusterConfig {
    std::uint64_t seed = 1;
    int nodes = 3, clients = 2;
    bool one_machine = false;  ///< true: all processes on one machine, as if embedded; false: a machine for each node
    double work_failure = 0;   ///< probability that preparing fails, and that each step fails
    InjectedBug bug = InjectedBug::none;
};

/// A cluster of simulated processes over one network and one disk. It restarts divisid, nodes and clients after they
/// end, as systemd or the embedding program would. Each node manages its own instances.
class Cluster {
public:
    explicit Cluster(ClusterConfig config);
    ~Cluster();

    World& world() { return world_; }
    Network& network() { return network_; }
    Disk& disk() { return disk_; }
    Watch& watch() { return watch_; }

    /// Lets a client submit this task (task_text.h) after `delay`.
    void submit(const std::string& text, Duration delay);
    /// Stops a task after `delay`, if the task exists by then.
    void stop(const TaskId& task, Duration delay);

    // A random client sends the operations below for an operator. recut() and drain() return false if the client is not
    // connected or, for recut(), if no task trains.
    /// Requests another plan for a task in training: other cuts, another number of stages, or the previous plan.
    bool recut();
    /// Drains a node, or ends the drain if a node is already draining.
    bool drain();
    /// Ends all drains, so that every node accepts instances again.
    void end_drains();

    /// Runs the simulation for `duration`, or until the first violation of an invariant.
    void run(Duration duration);
    /// Returns the first problem after all faults have ended; empty if everything is correct.
    std::string unsettled();
    void quiet() { config_.work_failure = 0; }

    // The faults below each pick a victim of their kind at random. They return false if the victim is not running, or
    // if the fault needs several machines and there is only one.
    bool kill_instance();
    bool kill_node();
    bool kill_client();
    bool kill_orchestrator();
    /// If `loses_disk`, the node's blobs are lost as well.
    bool power_off_node(Duration away, bool loses_disk = false);
    bool part_node(Duration away);
    /// Pauses a node and all its instances and later resumes them, as when a virtual machine is moved.
    bool stop_node(Duration away);
    /// Pauses a node, an instance or a client, and later resumes it.
    bool stop_process(Duration away);
    bool stop_orchestrator(Duration away);

private:
    /// A process that runs one instance after another. Its key is the instance that its node has assigned. Until the
    /// previous instance has ended, the process still runs that instance.
    struct Running {
        std::unique_ptr<InstanceProcess> process;  ///< null while the process starts, and between two instances
        std::size_t node = 0;
        bool terminated = false;
        bool kept = false;  ///< whether the process continues after its instance, which has ended or was told to end
        std::optional<std::int64_t> pid = std::nullopt;  ///< none until the process has started
        std::optional<std::vector<std::uint64_t>> learned = std::nullopt;
    };
    struct Node {
        NodeId id;
        std::string machine;
        std::unique_ptr<NodeProcess> process;
        bool off = false;
        std::unique_ptr<FakeBlobStore> store = std::make_unique<FakeBlobStore>();
    };
    struct Client {
        std::set<std::string> wishes;
        std::unique_ptr<ClientProcess> process;
    };

    Surroundings around() { return {world_, network_, watch_}; }
    Place place(const std::string& name, const std::string& machine);
    Place place(const std::string& name, const std::string& machine, std::int64_t pid);
    std::string machine_of(std::size_t node) const;
    void start_orchestrator();
    void end_orchestrator();
    void start_node(std::size_t index);
    void end_node(std::size_t index, bool told);
    void start_client(std::size_t index);
    void spawn(std::size_t node, const InstanceId& id);
    void start_instance(const InstanceId& id);
    bool keep(const InstanceId& id);
    bool ask(control::Message message);
    void pass_on(std::size_t node, const InstanceId& from, const InstanceId& to);
    void instance_exits(const std::string& process, int status);
    void signal(const InstanceId& id, bool force);
    void end_instance(InstanceId id, int code, int signal);  ///< `id` may be a key of instances_
    Result<Bytes> fetch(std::size_t to, const std::string& hash, const std::string& endpoint);
    void check_checkpoints();
    bool is_on_disks(const control::Checkpoint& checkpoint) const;
    bool is_readable(const control::Checkpoint& checkpoint, const control::SegmentSnapshot& part) const;
    void pause(const std::string& process, Duration away);
    Process* find(const std::string& process);
    void kill(Process& process);
    void poll();

    ClusterConfig config_;
    World world_;
    Network network_;
    Watch watch_;
    Disk disk_;
    std::map<std::string, int> lives_;
    std::int64_t last_pid_ = 0;
    std::set<std::int64_t> alive_;
    std::unique_ptr<OrchestratorProcess> orchestrator_;
    std::vector<Node> nodes_;
    std::vector<Client> clients_;
    std::map<InstanceId, Running> instances_;
};

}  // namespace divisi::sim
