// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/simulated_cluster.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace divisi::sim {

using namespace control;
using std::chrono::milliseconds;

namespace {

/// A task text here is "name stages steps"; the plan follows from it.
PlanSummary plan_of(const SubmitTask& submission) {
    PlanSummary plan;
    std::istringstream words(submission.text);
    words >> plan.name >> plan.stages >> plan.steps;
    plan.cuts.resize(static_cast<std::size_t>(plan.stages - 1), "cut");
    plan.plan_hash = submission.text;
    return plan;
}

}  // namespace

struct SimulatedCluster::Node {
    std::string name;
    std::uint64_t life = 0;            ///< tells a process from its successor of the same name
    std::unique_ptr<NodeAgent> agent;  ///< none while crashed
    PeerId peer{};
    bool connected = false;
};

struct SimulatedCluster::Instance {
    int node = 0;
    std::uint64_t life = 0;  ///< tells a process from its successor of the same name
    std::unique_ptr<InstanceLife> machine;
    PeerId peer{};
    bool connected = false;
    bool ending = false;
    std::int64_t steps = 0;
    bool holds_loss = false;
    std::string plan_hash;
};

SimulatedCluster::SimulatedCluster(std::uint64_t seed, int nodes, Faults faults) : random_(seed), faults_(faults) {
    start_orchestrator();
    for (int i = 0; i < nodes; ++i) {
        nodes_.push_back(std::make_unique<Node>());
        nodes_.back()->name = "mic-" + std::to_string(i / 2 + 1) + "/node-" + std::to_string(i % 2 + 1);
        start_node(i);
    }
    tick();
}

SimulatedCluster::~SimulatedCluster() = default;

void SimulatedCluster::after(Duration delay, Task task) { queue_.push({now_ + delay, order_++, std::move(task)}); }
Duration SimulatedCluster::random_delay() {
    return Duration(std::uniform_int_distribution<std::int64_t>(1, faults_.delay_max.count())(random_));
}
bool SimulatedCluster::chance(double p) { return std::uniform_real_distribution<>(0, 1)(random_) < p; }
void SimulatedCluster::violate(const std::string& what) {
    if (violations_.size() < 20) violations_.push_back("at event " + std::to_string(log_.size()) + ": " + what);
}

std::size_t SimulatedCluster::live_instances() const { return instances_.size(); }

void SimulatedCluster::submit(const std::string& name, int stages, int steps, Duration delay) {
    after(delay, [=, this] {
        if (!orchestrator_up_) return submit(name, stages, steps, milliseconds(500));
        const PeerId peer = connect(Role::operate);
        listeners_[peer] = [=, this](std::uint64_t correlation, const Message& message) {
            // A cluster that has no node yet refuses; the client tries again.
            if (correlation == 7 && std::holds_alternative<Refused>(message))
                submit(name, stages, steps, milliseconds(500));
        };
        SubmitTask task;
        task.text = name + " " + std::to_string(stages) + " " + std::to_string(steps);
        deliver_up(peer, 7, task);
    });
}

void SimulatedCluster::stop(const std::string& task, Duration delay) {
    after(delay, [=, this] {
        if (orchestrator_up_) deliver_up(connect(Role::operate), 8, StopTask{TaskId(task), "no longer needed"});
    });
}

void SimulatedCluster::run(Duration until, Duration settle) {
    const TimePoint faults_end = now_ + until;
    const TimePoint end = faults_end + settle;
    inject_faults();
    while (!queue_.empty() && queue_.top().time <= end) {
        const Scheduled next = queue_.top();
        queue_.pop();
        now_ = next.time;
        if (faulty_ && now_ > faults_end) faulty_ = false;
        next.task();
        if (!violations_.empty()) return;
    }
}

// --- orchestrator -----------------------------------------------------------------------------

void SimulatedCluster::start_orchestrator() {
    orchestrator_ = std::make_unique<Orchestrator>();
    ++orchestrator_life_;
    for (const Event& event : log_) orchestrator_->replay(event);
    orchestrator_up_ = true;
    carry_out(orchestrator_->start("sim", "1", now_));
}

void SimulatedCluster::crash_orchestrator() {
    orchestrator_up_ = false;
    listeners_.clear();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const int index = static_cast<int>(i);
        Node& node = *nodes_[i];
        if (!std::exchange(node.connected, false)) continue;
        node_step(index, node::Disconnected{});
        after(milliseconds(300) + random_delay(), [=, this, life = node.life] { connect_node(index, life); });
    }
    for (const auto& [id, life] : lives()) {
        if (!std::exchange(instances_.at(id)->connected, false)) continue;
        instance_step(id, instance::Disconnected{});
        after(milliseconds(300) + random_delay(), [this, id = id, life = life] { connect_instance(id, life); });
    }
    after(milliseconds(700), [this] { start_orchestrator(); });
}

void SimulatedCluster::to_orchestrator(const Input& input) {
    if (orchestrator_up_) carry_out(orchestrator_->step(input, now_));
}

/// Beside the orchestrator, which goes on meanwhile, and may crash; one after the other.
void SimulatedCluster::plan(const Job& job) {
    planned_ = std::max(planned_, now_ + random_delay());
    after(planned_ - now_, [this, job, life = orchestrator_life_] {
        if (life == orchestrator_life_)
            to_orchestrator(JobDone{job.id, plan_of(*std::get<Planning>(job.what).submission)});
    });
}

void SimulatedCluster::carry_out(const Output& output) {
    for (const Job& job : output.jobs) plan(job);
    for (const Event& event : output.events) {
        log_.push_back(event);
        check_invariants(event);
    }
    for (const Send& send : output.sends) {
        TimePoint& last = last_down_[send.peer];
        last = std::max(last, now_ + random_delay());
        after(last - now_, [this, send] {
            if (const auto found = listeners_.find(send.peer); found != listeners_.end())
                std::function(found->second)(send.correlation, send.message);
        });
    }
}

PeerId SimulatedCluster::connect(Role role, const std::string& process) {
    const PeerId peer(next_peer_++);
    to_orchestrator(PeerConnected{peer, {true, std::nullopt, "sim"}});
    deliver_up(peer, 0, Hello{"sim", "1", role, "", process});
    return peer;
}

void SimulatedCluster::connect_node(int index, std::uint64_t life) {
    Node& node = *nodes_[static_cast<std::size_t>(index)];
    if (!node.agent || node.life != life || node.connected) return;
    if (!orchestrator_up_) return after(milliseconds(500), [=, this] { connect_node(index, life); });
    node.peer = connect(Role::agent, node.name + " life " + std::to_string(life));
    node.connected = true;
    listeners_[node.peer] = [this, index](std::uint64_t c, const Message& m) {
        node_step(index, node::FromOrchestrator{c, m});
    };
    node_step(index, node::Connected{});
}

void SimulatedCluster::connect_instance(const InstanceId& id, std::uint64_t life) {
    const auto found = instances_.find(id);
    if (found == instances_.end() || found->second->life != life || found->second->connected) return;
    if (!orchestrator_up_) return after(milliseconds(500), [=, this] { connect_instance(id, life); });
    Instance& instance = *found->second;
    instance.peer = connect(Role::agent, id.value() + " life " + std::to_string(life));
    instance.connected = true;
    listeners_[instance.peer] = [this, id, life](std::uint64_t c, const Message& m) {
        const auto running = instances_.find(id);
        if (running != instances_.end() && running->second->life == life)
            instance_step(id, instance::FromOrchestrator{c, m});
    };
    instance_step(id, instance::Connected{});
}

/// Neither end has heard of it: one notices at once, the other when it has been silent for long enough, or when its
/// process comes back.
void SimulatedCluster::break_connection(PeerId peer) {
    ++faults_injected_;
    listeners_.erase(peer);
    broken_.insert(peer);
    after(chance(0.5) ? random_delay() : peer_timeout, [this, peer] { to_orchestrator(PeerGone{peer}); });
}

Duration SimulatedCluster::time_away() {
    return Duration(std::uniform_int_distribution<std::int64_t>(1, faults_.away_max.count())(random_));
}

std::vector<std::pair<InstanceId, std::uint64_t>> SimulatedCluster::lives() const {
    std::vector<std::pair<InstanceId, std::uint64_t>> all;
    for (const auto& [id, instance] : instances_) all.emplace_back(id, instance->life);
    return all;
}

void SimulatedCluster::disconnect(PeerId peer) {
    listeners_.erase(peer);
    TimePoint& last = last_up_[peer];
    last = std::max(last, now_ + random_delay());
    after(last - now_, [this, peer] { to_orchestrator(PeerGone{peer}); });
}

void SimulatedCluster::deliver_up(PeerId peer, std::uint64_t correlation, Message message) {
    TimePoint& last = last_up_[peer];
    last = std::max(last, now_ + random_delay());
    after(last - now_, [this, peer, correlation, message = std::move(message)] {
        if (broken_.contains(peer)) return;
        to_orchestrator(Received{peer, correlation, message});
    });
}

void SimulatedCluster::check_invariants(const Event& event) {
    if (event.sequence != log_.size()) violate("the log's sequence has a gap");
    if (const auto* step = std::get_if<StepDone>(&event.body)) {
        if (step->record.step != ++last_step_[step->task]) violate("steps of " + step->task.value() + " out of order");
    }
    if (const auto* ended = std::get_if<TaskEnded>(&event.body)) {
        if (++endings_[ended->task] > 1) violate("task " + ended->task.value() + " ended twice");
        const TaskView& task = orchestrator_->state().tasks.at(ended->task);
        if (ended->outcome == Outcome::succeeded && task.step != task.steps)
            violate("task " + task.id.value() + " succeeded after " + std::to_string(task.step) + " steps");
        if (ended->outcome == Outcome::failed && !ended->error) violate("a failure without a reason");
    }
    std::map<NodeId, TaskId> holders;
    for (const auto& [id, instance] : orchestrator_->state().instances) {
        if (orchestrator_->state().tasks.at(instance.task).over()) continue;
        const auto [holder, fresh] = holders.emplace(instance.node, instance.task);
        if (!fresh && holder->second != instance.task) violate("two tasks hold node " + instance.node.value());
    }
}

// --- nodes and instances ----------------------------------------------------------------------

void SimulatedCluster::start_node(int index) {
    Node& node = *nodes_[static_cast<std::size_t>(index)];
    NodeInfo info;
    info.id = NodeId(node.name);
    node.agent = std::make_unique<NodeAgent>(info);
    node.life = next_life_++;
    connect_node(index, node.life);
}

void SimulatedCluster::crash_node(int index) {
    Node& node = *nodes_[static_cast<std::size_t>(index)];
    node.agent.reset();
    if (std::exchange(node.connected, false)) disconnect(node.peer);
    std::vector<InstanceId> orphans;
    for (const auto& [id, instance] : instances_)
        if (instance->node == index) orphans.push_back(id);
    for (const InstanceId& id : orphans) end_instance(id, 0, 9);  // their lifeline breaks
    after(std::chrono::seconds(3), [this, index] { start_node(index); });
}

void SimulatedCluster::node_step(int index, const node::Input& input) {
    Node& node = *nodes_[static_cast<std::size_t>(index)];
    if (!node.agent) return;
    const node::Output output = node.agent->step(input, now_);
    for (const auto& send : output.sends)
        if (node.connected) deliver_up(node.peer, send.correlation, send.message);
    for (const auto& spawn : output.spawns) start_instance(index, spawn.what);
    for (const auto& signal : output.signals) {
        const auto found = instances_.find(signal.instance);
        if (found == instances_.end()) continue;
        const std::uint64_t life = found->second->life;
        after(milliseconds(signal.force ? 1 : 50), [this, id = signal.instance, life, force = signal.force] {
            const auto running = instances_.find(id);
            if (running == instances_.end() || running->second->life != life) return;
            if (force) end_instance(id, 0, 9);
            else instance_step(id, instance::Terminate{});
        });
    }
}

void SimulatedCluster::start_instance(int node, const StartInstance& start) {
    if (instances_.contains(start.instance)) return violate("two processes of " + start.instance.value());
    auto instance = std::make_unique<Instance>();
    instance->node = node;
    instance->life = next_life_++;
    RegisterInstance registration;
    registration.instance = start.instance;
    registration.sid = start.sid;
    instance->machine = std::make_unique<InstanceLife>(registration);
    const std::uint64_t life = instance->life;
    instances_[start.instance] = std::move(instance);
    after(random_delay(), [this, id = start.instance, life] { connect_instance(id, life); });
}

void SimulatedCluster::end_instance(const InstanceId& id, int code, int signal) {
    const auto found = instances_.find(id);
    if (found == instances_.end()) return;
    const int node = found->second->node;
    if (found->second->connected) disconnect(found->second->peer);
    instances_.erase(found);
    after(milliseconds(5), [=, this] { node_step(node, node::ChildExited{id, code, signal, ""}); });
}

void SimulatedCluster::instance_step(const InstanceId& id, const instance::Input& input) {
    const auto found = instances_.find(id);
    if (found == instances_.end()) return;
    instance_output(id, found->second->life, found->second->machine->step(input, now_));
}

void SimulatedCluster::instance_output(const InstanceId& id, std::uint64_t life, const instance::Output& output) {
    Instance& instance = *instances_.at(id);
    for (const auto& send : output.sends)
        if (instance.connected) deliver_up(instance.peer, send.correlation, send.message);
    if (output.prepare) {
        std::istringstream words(output.prepare->deploy.text);
        std::string name;
        int stages = 0;
        words >> name >> stages >> instance.steps;
        instance.holds_loss = output.prepare->deploy.stage == stages - 1;
        instance.plan_hash = output.prepare->deploy.plan_hash;
        if (output.prepare->peers.size() != static_cast<std::size_t>(stages)) violate("a peer is missing");
        const bool fails = faulty_ && chance(faults_.work_failure);
        after(random_delay(), [this, id, life, fails] {
            const auto running = instances_.find(id);
            if (running == instances_.end() || running->second->life != life) return;
            if (fails) return instance_step(id, instance::WorkFailed{{ErrorCode::failed, "cannot prepare", "", ""}});
            instance_step(id, instance::Prepared{running->second->plan_hash});
        });
    }
    if (output.run) work(id, life, 1);
    if (output.exit && !instance.ending) {
        instance.ending = true;
        after(milliseconds(20), [this, id, life, code = *output.exit] {
            const auto running = instances_.find(id);
            if (running != instances_.end() && running->second->life == life) end_instance(id, code, 0);
        });
    }
}

void SimulatedCluster::work(const InstanceId& id, std::uint64_t life, std::int64_t step) {
    after(milliseconds(100), [=, this] {
        const auto running = instances_.find(id);
        if (running == instances_.end() || running->second->life != life || running->second->ending) return;
        Instance& instance = *running->second;
        if (step > instance.steps)
            return instance_step(id, instance::RunFinished{{TaskId(), id, instance.steps, "h", "p", 1}});
        if (instance.holds_loss) {
            StepRecord record;
            record.step = step;
            instance_step(id, instance::StepFinished{record});
        }
        work(id, life, step + 1);
    });
}

// --- time and faults --------------------------------------------------------------------------

void SimulatedCluster::tick() {
    to_orchestrator(Tick{});
    for (std::size_t i = 0; i < nodes_.size(); ++i) node_step(static_cast<int>(i), node::Load{});
    std::vector<InstanceId> ids;
    for (const auto& [id, instance] : instances_) ids.push_back(id);
    for (const InstanceId& id : ids) {
        instance_step(id, instance::Tick{});
        const auto found = instances_.find(id);
        if (found != instances_.end() && found->second->connected) deliver_up(found->second->peer, 0, Heartbeat{});
    }
    after(milliseconds(500), [this] { tick(); });
}

void SimulatedCluster::inject_faults() {
    if (!faulty_) return;
    std::vector<InstanceId> ids;
    for (const auto& [id, instance] : instances_) ids.push_back(id);
    for (const InstanceId& id : ids)
        if (chance(faults_.instance_crash)) {
            ++faults_injected_;
            end_instance(id, 0, 11);
        }
    for (std::size_t i = 0; i < nodes_.size(); ++i)
        if (nodes_[i]->agent && chance(faults_.node_crash)) {
            ++faults_injected_;
            crash_node(static_cast<int>(i));
        }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const int index = static_cast<int>(i);
        Node& node = *nodes_[i];
        if (!node.connected || !chance(faults_.connection_break)) continue;
        break_connection(node.peer);
        node.connected = false;
        node_step(index, node::Disconnected{});
        after(time_away(), [=, this, life = node.life] { connect_node(index, life); });
    }
    for (const auto& [id, life] : lives()) {
        const auto found = instances_.find(id);
        if (found == instances_.end() || !found->second->connected || !chance(faults_.connection_break)) continue;
        break_connection(found->second->peer);
        found->second->connected = false;
        instance_step(id, instance::Disconnected{});
        after(time_away(), [this, id = id, life = life] { connect_instance(id, life); });
    }
    if (orchestrator_up_ && chance(faults_.orchestrator_crash)) {
        ++faults_injected_;
        crash_orchestrator();
    }
    after(std::chrono::seconds(1), [this] { inject_faults(); });
}

}  // namespace divisi::sim
