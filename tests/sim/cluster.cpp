// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/cluster.h"

#include <algorithm>
#include <csignal>

#include "backend/control/change/recuts.h"
#include "tests/sim/task_text.h"

namespace divisi::sim {

using std::chrono::milliseconds, std::chrono::seconds;

namespace {

/// Time between the end of a process and the start of its successor.
constexpr Duration restart_delay = milliseconds(700);
constexpr Duration poll_interval = seconds(1);
// Limits for the memory of one process in a cluster of this size: the timers of requests and connections in its loop,
// and the messages that accumulate during a pause.
constexpr std::size_t most_in_a_loop = 2000;
constexpr std::size_t most_waiting = 10'000;
/// Longest time from writing a snapshot to the commit of its checkpoint. If the disk was lost in between, a missing
/// snapshot is excused.
constexpr Duration longest_commit = seconds(60);

}  // namespace

Cluster::Cluster(ClusterConfig config)
    : config_(config),
      world_(config.seed),
      network_(world_),
      watch_(world_, network_),
      disk_(world_, [this](const control::Event& event) {
          watch_.durable(event, orchestrator_ ? orchestrator_->place().process : "");
          check_checkpoints();
      }) {
    watch_.ask_of_disks([this](const control::TaskView& task) {
        return std::ranges::any_of(task.checkpoints, [&](const auto& one) { return is_on_disks(one); });
    });
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
    poll();
}

Cluster::~Cluster() = default;

Place Cluster::place(const std::string& name, const std::string& machine) {
    alive_.insert(++last_pid_);
    return place(name, machine, config_.one_machine ? last_pid_ : 0);
}

/// `pid` is 0 if the orchestrator runs on another machine: only the local kernel reports the process of a connection.
Place Cluster::place(const std::string& name, const std::string& machine, std::int64_t pid) {
    const int life = ++lives_[name];
    return {name + "#" + std::to_string(life), machine, pid};
}

void Cluster::kill(Process& process) {
    watch_.say(process.place().process + " ends");
    network_.killed(process.place().process);
    alive_.erase(process.place().pid);
}

// --- processes and their restart ----------------------------------------------------------------

void Cluster::start_orchestrator() {
    OrchestratorProcess::Events events;
    events.over = [this] {
        world_.after(Duration(0), [this, life = lives_["divisid"]] {
            if (life == lives_["divisid"]) end_orchestrator();
        });
    };
    events.ended = [this](std::int64_t pid) { return !alive_.contains(pid); };
    orchestrator_ = std::make_unique<OrchestratorProcess>(
        around(), place("divisid", config_.one_machine ? "here" : "head"), disk_, std::move(events), config_.bug);
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
    events.keep = [this](const InstanceId& id) { return keep(id); };
    events.pass_on = [this, index](const InstanceId& from, const InstanceId& to) { pass_on(index, from, to); };
    events.fetch = [this, index](const std::string& hash, const std::string& endpoint) {
        return fetch(index, hash, endpoint);
    };
    const Place here = place(node.id.value(), node.machine);
    watch_.plays(node.id.value(), here.process);
    node.process = std::make_unique<NodeProcess>(around(), here, node.id, *node.store, std::move(events), config_.bug);
}

/// Ends a node and all its instances, since they are its child processes.
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
    world_.after(milliseconds(30), [this, id] { start_instance(id); });
}

void Cluster::start_instance(const InstanceId& id) {
    const auto found = instances_.find(id);
    if (found == instances_.end() || found->second.process) return;
    Running& running = found->second;
    const std::string& machine = nodes_[running.node].machine;
    const Place here = running.pid ? place(id.value(), machine, *running.pid) : place(id.value(), machine);
    running.pid = here.pid;
    InstanceProcess::Events events;
    events.exit = [this, process = here.process](int status) {
        world_.after(Duration(0), [this, process, status] { instance_exits(process, status); });
    };
    events.work_fails = [this] { return config_.work_failure > 0 && world_.chance(config_.work_failure); };
    watch_.plays(id.value(), here.process);
    running.process = std::make_unique<InstanceProcess>(
        around(), here, id, InstanceProcess::Machine{*nodes_[running.node].store, running.learned, config_.bug},
        std::move(events));
    if (running.terminated) running.process->terminate();
}

/// Ends the instance but keeps its process. The instance ends when its process handles the message. Before that, the
/// node may already have assigned the process to the next instance.
bool Cluster::keep(const InstanceId& id) {
    const auto found = instances_.find(id);
    if (found == instances_.end() || !found->second.process || found->second.terminated) return false;
    found->second.kept = true;
    InstanceProcess* process = found->second.process.get();
    process->loop().arrive([process] { process->terminate(); });
    return true;
}

void Cluster::pass_on(std::size_t node, const InstanceId& from, const InstanceId& to) {
    if (instances_.contains(to)) return watch_.violate("two processes of " + to.value());
    auto running = instances_.extract(from);
    if (running.empty()) return spawn(node, to);
    running.key() = to;
    running.mapped().kept = false;
    const bool waits = !running.mapped().process;
    instances_.insert(std::move(running));
    if (waits) world_.after(milliseconds(1), [this, to] { start_instance(to); });
}

/// Keeps the process if it is reserved or already assigned to another instance; otherwise ends it.
void Cluster::instance_exits(const std::string& process, int status) {
    for (auto& [id, running] : instances_) {
        if (!running.process || running.process->place().process != process) continue;
        const bool has_next = running.process->id() != id;
        if (running.terminated || (!running.kept && !has_next)) return end_instance(id, status, 0);
        watch_.say(process + " ends, and its process waits");
        running.learned = running.process->weights();
        running.process.reset();
        if (has_next && !running.kept)
            world_.after(milliseconds(1), [this, next = InstanceId(id)] { start_instance(next); });
        return;
    }
}

void Cluster::signal(const InstanceId& id, bool force) {
    world_.after(milliseconds(1), [this, id, force] {
        const auto found = instances_.find(id);
        if (found == instances_.end()) return;
        if (force) return end_instance(id, 0, SIGKILL);
        found->second.terminated = true;
        InstanceProcess* process = found->second.process.get();
        if (process) process->loop().arrive([process] { process->terminate(); });
        else if (found->second.pid) end_instance(id, 0, 0);  // the process is idle: it is kept to run another instance
    });
}

void Cluster::end_instance(InstanceId id, int code, int signal) {
    const auto found = instances_.find(id);
    if (found == instances_.end()) return;
    const std::size_t node = found->second.node;
    if (found->second.process) kill(*found->second.process);
    else if (found->second.pid) alive_.erase(*found->second.pid);
    instances_.erase(found);
    world_.after(milliseconds(5), [this, node, id, code, signal] {
        if (nodes_[node].process) nodes_[node].process->child_ended(id, code, signal);
    });
}

// --- requests from scenarios --------------------------------------------------------------------

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

bool Cluster::ask(control::Message message) {
    const Client& client = clients_[world_.pick(clients_.size())];
    return client.process && client.process->ask(std::move(message));
}

bool Cluster::recut() {
    std::vector<const control::TaskView*> trained;
    for (const auto& [id, task] : watch_.durable().tasks)
        if (control::trains_now(task)) trained.push_back(&task);
    if (trained.empty()) return false;
    control::Recut wish;
    wish.task = trained[world_.pick(trained.size())]->id;
    switch (world_.pick(5)) {
        case 0: wish.undo = true; break;
        case 1:
        case 2: wish.stages = 1 + static_cast<std::int32_t>(world_.pick(nodes_.size())); break;
        default:
            for (std::int32_t op = 0; op + 1 < file_operators; ++op)
                if (world_.chance(0.5)) wish.cuts.push_back(cut_after(op));
            if (wish.cuts.empty()) wish.stages = 1;
    }
    return ask(std::move(wish));
}

bool Cluster::drain() {
    control::DrainNode wish;
    for (const auto& [id, node] : watch_.durable().nodes)
        if (node.draining) wish = {id, true};
    if (!wish.undo) wish.node = nodes_[world_.pick(nodes_.size())].id;
    return ask(wish);
}

void Cluster::end_drains() {
    for (const auto& [id, node] : watch_.durable().nodes)
        if (node.draining) (void)ask(control::DrainNode{id, true});
}

void Cluster::run(Duration duration) {
    const TimePoint until = world_.now() + duration;
    while (!watch_.violation() && world_.loop().run_next(until)) {}
    if (!watch_.violation()) world_.loop().run_for(until - world_.now());
}

/// Checks periodically that the memory of every process is bounded.
void Cluster::poll() {
    world_.after(poll_interval, [this] { poll(); });
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
    if (!orchestrator_) return "divisid is not running";
    for (const Client& client : clients_)
        if (!client.wishes.empty()) return "a client's task " + *client.wishes.begin() + " was never promised";
    for (const auto& [id, task] : state.tasks)
        if (!task.over())
            return "task " + id.value() + " has not ended: " + to_string(task.phase) + " " + task.phase_detail;
    if (std::string left = watch_.left_behind(); !left.empty()) return left;
    if (!instances_.empty()) return "a process of " + instances_.begin()->first.value() + " stays behind";
    for (const Node& node : nodes_) {
        const auto known = state.nodes.find(node.id);
        if (!node.process || known == state.nodes.end() || known->second.state != control::NodeState::ready)
            return "node " + node.id.value() + " is there and not ready";
        if (known->second.draining) return "node " + node.id.value() + " is still drained";
    }
    if (orchestrator_->state().sequence != state.sequence) return "divisid's state is ahead of the durable state";
    for (const Client& client : clients_)
        if (!client.process || client.process->shown().sequence != state.sequence) return "a client is out of date";
    const std::string whole = content(state);
    if (content(orchestrator_->state()) != whole) return "divisid's state differs from the durable state";
    for (const Client& client : clients_)
        if (content(client.process->shown()) != whole) return "a client's state differs from the durable state";
    return {};
}

// --- blobs --------------------------------------------------------------------------------------

Result<Bytes> Cluster::fetch(std::size_t to, const std::string& hash, const std::string& endpoint) {
    const auto from =
        std::ranges::find_if(nodes_, [&](const Node& node) { return NodeProcess::blob_endpoint(node.id) == endpoint; });
    if (from == nodes_.end() || !from->process || !network_.connects(from->machine, nodes_[to].machine))
        return Error{ErrorCode::unavailable, "the node does not answer", endpoint, "try again"};
    const auto blob = from->store->blobs.find(hash);
    if (blob == from->store->blobs.end())
        return Error{ErrorCode::not_found, "the node does not have the blob", hash, "take another node's"};
    nodes_[to].store->put(hash, std::string(blob->second), world_.now());
    return static_cast<Bytes>(blob->second.size());
}

/// Checks that each committed snapshot can be read as long as one of the disks that hold it survives.
void Cluster::check_checkpoints() {
    for (const auto& [id, task] : watch_.durable().tasks)
        for (const control::Checkpoint& checkpoint : task.checkpoints)
            for (const control::SegmentSnapshot& part : checkpoint.parts)
                if (!is_readable(checkpoint, part))
                    watch_.violate("the snapshot of " + part.sid.value() + " after step " +
                                   std::to_string(checkpoint.step) + " is missing although its disks are not lost");
}

bool Cluster::is_on_disks(const control::Checkpoint& checkpoint) const {
    return std::ranges::all_of(checkpoint.parts, [&](const control::SegmentSnapshot& part) {
        return std::ranges::any_of(nodes_, [&](const Node& node) {
            return std::ranges::count(part.nodes, node.id) > 0 && node.store->blobs.contains(part.hash);
        });
    });
}

bool Cluster::is_readable(const control::Checkpoint& checkpoint, const control::SegmentSnapshot& part) const {
    bool excused = !part.nodes.empty();
    for (const Node& node : nodes_) {
        if (std::ranges::find(part.nodes, node.id) == part.nodes.end()) continue;
        if (node.store->blobs.contains(part.hash)) return true;
        const auto& lost = node.store->lost;
        excused &= lost && *lost + longest_commit >= checkpoint.time;
    }
    return excused;
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

/// A machine that powers off does not close its connections: its peers are not notified.
bool Cluster::power_off_node(Duration away, bool loses_disk) {
    if (config_.one_machine) return false;
    const std::size_t index = world_.pick(nodes_.size());
    Node& node = nodes_[index];
    if (node.off) return false;
    node.off = true;
    watch_.say(node.machine + (loses_disk ? " is lost with its disk" : " goes off"));
    network_.power_off(node.machine);
    end_node(index, false);
    if (loses_disk) node.store->lose(world_.now());
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

bool Cluster::stop_node(Duration away) {
    const std::size_t index = world_.pick(nodes_.size());
    if (!nodes_[index].process) return false;
    std::vector<std::string> there{nodes_[index].process->place().process};
    for (const auto& [id, running] : instances_)
        if (running.process && running.node == index) there.push_back(running.process->place().process);
    for (const std::string& process : there) pause(process, away);
    return true;
}

bool Cluster::stop_orchestrator(Duration away) {
    if (!orchestrator_) return false;
    pause(orchestrator_->place().process, away);
    return true;
}

}  // namespace divisi::sim
