// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/cluster.h"

#include <csignal>

namespace divisi::sim {

using std::chrono::milliseconds, std::chrono::seconds;

namespace {

/// From the end of a process to its successor.
constexpr Duration restart_delay = milliseconds(700);
constexpr Duration look_interval = seconds(1);
// What a process of a cluster of this size may hold: a timer for each request and connection, messages of a pause.
constexpr std::size_t most_in_a_loop = 2000;
constexpr std::size_t most_waiting = 10'000;

}  // namespace

Cluster::Cluster(ClusterConfig config)
    : config_(config),
      world_(config.seed),
      network_(world_),
      watch_(world_, network_),
      disk_(world_, [this](const control::Event& event) {
          watch_.durable(event, orchestrator_ ? orchestrator_->place().process : "");
      }) {
    start_orchestrator();
    for (int i = 0; i < config.nodes; ++i) {
        const std::string name = "mic-" + std::to_string(i / 2 + 1) + "/node-" + std::to_string(i % 2 + 1);
        nodes_.push_back({NodeId(name), config.one_machine ? "here" : "machine-" + std::to_string(i), nullptr});
        start_node(nodes_.size() - 1);
    }
    for (int i = 0; i < config.clients; ++i) {
        clients_.push_back({});
        start_client(clients_.size() - 1);
    }
    look();
}

Cluster::~Cluster() = default;

Place Cluster::place(const std::string& name, const std::string& machine) {
    alive_.insert(++last_pid_);
    const int life = ++lives_[name];
    // Only the kernel of their own machine says which process a connection belongs to.
    return {name + "#" + std::to_string(life), machine, config_.one_machine ? last_pid_ : 0};
}

void Cluster::kill(Process& process) {
    watch_.say(process.place().process + " ends");
    network_.killed(process.place().process);
    alive_.erase(process.place().pid);
}

// --- processes and who starts them again --------------------------------------------------------

void Cluster::start_orchestrator() {
    OrchestratorProcess::Events events;
    events.over = [this] {
        world_.after(Duration(0), [this, life = lives_["divisid"]] {
            if (life == lives_["divisid"]) end_orchestrator();
        });
    };
    events.ended = [this](std::int64_t pid) { return !alive_.contains(pid); };
    orchestrator_ = std::make_unique<OrchestratorProcess>(
        around(), place("divisid", config_.one_machine ? "here" : "head"), disk_, std::move(events));
}

void Cluster::end_orchestrator() {
    if (!orchestrator_) return;
    kill(*orchestrator_);
    orchestrator_.reset();
    world_.after(restart_delay, [this] { start_orchestrator(); });
}

void Cluster::start_node(std::size_t index) {
    Node& node = nodes_[index];
    if (node.process || node.off) return;
    NodeProcess::Events events;
    events.spawn = [this, index](const InstanceId& id) { spawn(index, id); };
    events.signal = [this](const InstanceId& id, bool force) { signal(id, force); };
    events.exit = [this, index] { world_.after(Duration(0), [this, index] { end_node(index, true); }); };
    const Place here = place(node.id.value(), node.machine);
    watch_.plays(node.id.value(), here.process);
    node.process = std::make_unique<NodeProcess>(around(), here, node.id, std::move(events));
}

/// Its instances hang on it and end with it.
void Cluster::end_node(std::size_t index, bool told) {
    Node& node = nodes_[index];
    if (!node.process) return;
    kill(*node.process);
    node.process.reset();
    std::vector<InstanceId> orphans;
    for (const auto& [id, running] : instances_)
        if (running.node == index) orphans.push_back(id);
    for (const InstanceId& id : orphans) end_instance(id, 0, SIGKILL);
    if (told) world_.after(seconds(3), [this, index] { start_node(index); });
}

void Cluster::start_client(std::size_t index) {
    Client& client = clients_[index];
    const auto promised = [this, index](const std::string& wish, const TaskId&) { clients_[index].wishes.erase(wish); };
    client.process = std::make_unique<ClientProcess>(
        around(), place("client-" + std::to_string(index), config_.one_machine ? "here" : "desk"), client.wishes,
        promised);
}

void Cluster::spawn(std::size_t node, const InstanceId& id) {
    if (instances_.contains(id)) return watch_.violate("two processes of " + id.value());
    instances_[id].node = node;
    world_.after(milliseconds(30), [this, node, id] {
        const auto found = instances_.find(id);
        if (found == instances_.end() || found->second.process) return;
        InstanceProcess::Events events;
        events.exit = [this, id](int status) {
            world_.after(Duration(0), [this, id, status] { end_instance(id, status, 0); });
        };
        events.work_fails = [this] { return config_.work_failure > 0 && world_.chance(config_.work_failure); };
        const Place here = place(id.value(), nodes_[node].machine);
        watch_.plays(id.value(), here.process);
        found->second.process = std::make_unique<InstanceProcess>(around(), here, id, std::move(events));
        if (found->second.terminated) found->second.process->terminate();
    });
}

void Cluster::signal(const InstanceId& id, bool force) {
    world_.after(milliseconds(1), [this, id, force] {
        const auto found = instances_.find(id);
        if (found == instances_.end()) return;
        if (force) return end_instance(id, 0, SIGKILL);
        found->second.terminated = true;
        InstanceProcess* process = found->second.process.get();
        if (process) process->loop().arrive([process] { process->terminate(); });
    });
}

void Cluster::end_instance(InstanceId id, int code, int signal) {
    const auto found = instances_.find(id);
    if (found == instances_.end()) return;
    const std::size_t node = found->second.node;
    if (found->second.process) kill(*found->second.process);
    instances_.erase(found);
    world_.after(milliseconds(5), [this, node, id, code, signal] {
        if (nodes_[node].process) nodes_[node].process->child_ended(id, code, signal);
    });
}

// --- what is asked of it ------------------------------------------------------------------------

void Cluster::submit(const std::string& text, Duration delay) {
    world_.after(delay, [this, text] {
        Client& client = clients_[world_.pick(clients_.size())];
        client.wishes.insert(text);
        if (client.process) client.process->wish(text);
    });
}

void Cluster::stop(const TaskId& task, Duration delay) {
    world_.after(delay, [this, task] {
        if (clients_.front().process) clients_.front().process->stop(task);
    });
}

void Cluster::run(Duration duration) {
    const TimePoint until = world_.now() + duration;
    while (!watch_.violation() && world_.loop().run_next(until)) {}
    if (!watch_.violation()) world_.loop().run_for(until - world_.now());
}

/// Memory is bounded at any moment.
void Cluster::look() {
    world_.after(look_interval, [this] { look(); });
    if (orchestrator_) {
        watch_.holds("divisid", orchestrator_->loop().size(), most_in_a_loop);
        watch_.holds("divisid's queue for the disk", orchestrator_->waiting(), most_waiting);
    }
    for (const Node& node : nodes_)
        if (node.process) watch_.holds(node.id.value(), node.process->loop().size(), most_in_a_loop);
    for (const auto& [id, running] : instances_)
        if (running.process) watch_.holds(id.value(), running.process->loop().size(), most_in_a_loop);
    for (const Client& client : clients_)
        if (client.process) watch_.holds("a client", client.process->loop().size(), most_in_a_loop);
}

std::string Cluster::unsettled() {
    const control::ClusterState& state = watch_.durable();
    if (!orchestrator_) return "divisid is not there";
    for (const Client& client : clients_)
        if (!client.wishes.empty()) return "a client's task " + *client.wishes.begin() + " was never promised";
    for (const auto& [id, task] : state.tasks)
        if (!task.over())
            return "task " + id.value() + " has not ended: " + to_string(task.phase) + " " + task.phase_detail;
    if (!instances_.empty()) return "a process of " + instances_.begin()->first.value() + " stays behind";
    for (const Node& node : nodes_) {
        const auto known = state.nodes.find(node.id);
        if (!node.process || known == state.nodes.end() || known->second.state != control::NodeState::ready)
            return "node " + node.id.value() + " is there and not ready";
    }
    if (orchestrator_->state().sequence != state.sequence) return "divisid knows what is not durable";
    for (const Client& client : clients_)
        if (!client.process || client.process->shown().sequence != state.sequence) return "a client is behind";
    const std::string whole = content(state);
    if (content(orchestrator_->state()) != whole) return "divisid has another state than is durable";
    for (const Client& client : clients_)
        if (content(client.process->shown()) != whole) return "a client shows another state than is durable";
    return {};
}

// --- faults -------------------------------------------------------------------------------------

bool Cluster::kill_instance() {
    if (instances_.empty()) return false;
    end_instance(std::next(instances_.begin(), static_cast<std::ptrdiff_t>(world_.pick(instances_.size())))->first, 0,
                 SIGSEGV);
    return true;
}

bool Cluster::kill_node() {
    const std::size_t index = world_.pick(nodes_.size());
    if (!nodes_[index].process) return false;
    end_node(index, true);
    return true;
}

bool Cluster::kill_client() {
    const std::size_t index = world_.pick(clients_.size());
    if (!clients_[index].process) return false;
    kill(*clients_[index].process);
    clients_[index].process.reset();
    world_.after(restart_delay, [this, index] { start_client(index); });
    return true;
}

bool Cluster::kill_orchestrator() {
    if (!orchestrator_) return false;
    if (world_.chance(0.5)) disk_.crash_at_next_write();
    else end_orchestrator();
    return true;
}

/// A machine that goes off says nothing to anybody.
bool Cluster::power_off_node(Duration away) {
    if (config_.one_machine) return false;
    const std::size_t index = world_.pick(nodes_.size());
    Node& node = nodes_[index];
    if (node.off) return false;
    node.off = true;
    watch_.say(node.machine + " goes off");
    network_.power_off(node.machine);
    end_node(index, false);
    world_.after(away, [this, index] {
        nodes_[index].off = false;
        network_.power_on(nodes_[index].machine);
        start_node(index);
    });
    return true;
}

bool Cluster::part_node(Duration away) {
    if (config_.one_machine) return false;
    const std::size_t first = world_.pick(nodes_.size()), second = world_.pick(nodes_.size());
    const bool head = world_.chance(0.6) || first == second;
    watch_.say(nodes_[first].machine + " is parted");
    network_.part(nodes_[first].machine, head ? "head" : nodes_[second].machine);
    world_.after(away, [this] { network_.heal(); });
    return true;
}

Process* Cluster::find(const std::string& process) {
    const auto is = [&](const auto& one) { return one && one->place().process == process; };
    if (is(orchestrator_)) return orchestrator_.get();
    for (const Node& node : nodes_)
        if (is(node.process)) return node.process.get();
    for (const Client& client : clients_)
        if (is(client.process)) return client.process.get();
    for (const auto& [id, running] : instances_)
        if (is(running.process)) return running.process.get();
    return nullptr;
}

void Cluster::pause(const std::string& process, Duration away) {
    watch_.say(process + " is stopped");
    if (Process* found = find(process)) found->loop().stop();
    world_.after(away, [this, process] {
        if (Process* found = find(process)) found->loop().go_on();
    });
}

bool Cluster::stop_process(Duration away) {
    std::vector<std::string> all;
    for (const Node& node : nodes_)
        if (node.process) all.push_back(node.process->place().process);
    for (const Client& client : clients_)
        if (client.process) all.push_back(client.process->place().process);
    for (const auto& [id, running] : instances_)
        if (running.process) all.push_back(running.process->place().process);
    if (all.empty()) return false;
    pause(all[world_.pick(all.size())], away);
    return true;
}

bool Cluster::stop_orchestrator(Duration away) {
    if (!orchestrator_) return false;
    pause(orchestrator_->place().process, away);
    return true;
}

}  // namespace divisi::sim
