// SPDX-License-Identifier: Apache-2.0
// Measures the load of a large cluster on its orchestrator: the real state machines of orchestrator, node agents and
// instances, in virtual time and without sockets.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <sstream>
#include <utility>

#include "backend/control/agent/instance_life.h"
#include "backend/control/agent/node_agent.h"
#include "backend/control/dispatch/orchestrator.h"
#include "backend/control/network/device_book.h"
#include "backend/control/network/route_adverts.h"
#include "backend/control/protocol/connection_messages.h"
#include "backend/control/protocol/state_messages.h"
#include "backend/control/state/incarnation.h"
#include "backend/mesh/base/topology.h"
#include "backend/wire/message_codec.h"
#include "tests/bench/mesh/benches.h"

namespace divisi::bench {
namespace {

using namespace control;
using std::chrono::milliseconds, std::chrono::seconds, std::chrono::steady_clock;

constexpr int stages = 8;  ///< stages of each task, one node each
constexpr int nodes_of_mic = 20, nodes_of_router = 5, nodes_of_task = 10;
/// Two routers form the core, all others the edge. A path between any two MICs is gateway, edge, core, edge, gateway,
/// however large the cluster is. So the size of a flow's report does not grow with the cluster.
constexpr int cores = 2;
constexpr std::size_t devices_of_path = 5;
/// Quality that a device reports of every flow and neighbour. Paths are fast and in use, so that they can be compared.
constexpr mesh::Quality quality{1e8, 0.5, 0.01, 1e-3, 3e-3, 0, 0};
constexpr Duration slice = milliseconds(10), report_interval = milliseconds(500), step_time = seconds(1);
constexpr int slices_of_report = report_interval / slice;
/// Time until the effects of the start have ended: a device that could not follow a change gets the whole table 5 s
/// later.
constexpr Duration settling = seconds(10);
/// Largest allowed growth of the messages and the CPU share per node, from the smallest to the largest cluster. Some
/// growth is expected, because more data mean colder caches.
constexpr double most_growth = 1.25;

[[noreturn]] void give_up(const std::string& why) {
    std::fprintf(stderr, "%s\n", why.c_str());
    std::exit(1);
}

/// Adds the seconds of its lifetime to a sum.
class Watch {
public:
    explicit Watch(double& sum) : sum_(sum) {}
    ~Watch() { sum_ += std::chrono::duration<double>(steady_clock::now() - begin_).count(); }

private:
    double& sum_;
    steady_clock::time_point begin_ = steady_clock::now();
};

/// Work of the orchestrator since the last query.
struct Load {
    double core_s = 0;  ///< CPU time of the state machines
    double wire_s = 0;  ///< CPU time for decoding received messages and encoding sent ones
    std::int64_t in = 0, out = 0;
    std::int64_t bytes = 0;
};

/// A peer with a connection to the orchestrator.
class Actor {
public:
    virtual ~Actor() = default;
    virtual void connected() = 0;
    virtual void take(std::uint64_t correlation, const Message& message) = 0;
    virtual void tick() = 0;  ///< runs every report_interval
};

/// The orchestrator with all its peers. Messages arrive immediately and in order, as bytes.
class Country {
public:
    TimePoint now{seconds(1000)};
    Load load;

    Country() { pass(core_.start("scale", "1", now)); }
    Orchestrator& core() { return core_; }

    /// Connects an actor and returns its number. From then on the actor receives the orchestrator's messages.
    std::uint64_t connect(std::unique_ptr<Actor> actor, Role role) {
        const std::uint64_t peer = actors_.size() + 1;
        actors_.push_back(std::move(actor));
        feed(PeerConnected{PeerId(peer), {true, role, "bench", ""}});
        say(peer, 1'000'000, Hello{"bench", "1", role, "", process_name(peer)});
        actors_[peer - 1]->connected();
        return peer;
    }
    /// Returns the number of the next peer, for actors that must know it before they connect.
    std::uint64_t next_peer() const { return actors_.size() + 1; }

    void say(std::uint64_t peer, std::uint64_t correlation, const Message& message) {
        auto bytes = wire::encode(message);
        if (!bytes) give_up(bytes.error().message());
        waiting_.push_back({peer, correlation, wire::type_of(message), *std::move(bytes)});
    }
    /// Delivers messages until no peer has messages to send.
    void settle() {
        while (!waiting_.empty() || !answers_.empty()) {
            if (!answers_.empty()) {
                const Answer answer = std::move(answers_.front());
                answers_.pop_front();
                actors_[answer.peer - 1]->take(answer.correlation, answer.message);
                continue;
            }
            const Mail mail = std::move(waiting_.front());
            waiting_.pop_front();
            Received received{PeerId(mail.peer), mail.correlation, {}};
            {
                const Watch watch(load.wire_s);
                auto message = wire::decode(mail.type, std::as_bytes(std::span(mail.bytes)));
                if (!message) give_up(message.error().message());
                received.message = *std::move(message);
            }
            ++load.in;
            load.bytes += static_cast<std::int64_t>(mail.bytes.size());
            feed(received);
        }
    }
    /// Advances virtual time; every peer reports in its own time slice.
    void run(Duration time) {
        for (const TimePoint end = now + time; now < end; now += slice, ++slices_) {
            for (std::size_t i = static_cast<std::size_t>(slices_ % slices_of_report); i < actors_.size();
                 i += static_cast<std::size_t>(slices_of_report))
                actors_[i]->tick();
            if (slices_ % 10 == 0) feed(Tick{});
            settle();
        }
    }

private:
    struct Mail {
        std::uint64_t peer = 0, correlation = 0;
        wire::MessageType type{};
        std::string bytes;
    };
    struct Answer {
        std::uint64_t peer = 0, correlation = 0;
        Message message;
    };

    static std::string process_name(std::uint64_t peer) {
        char text[40];
        std::snprintf(text, sizeof text, "%032llx", static_cast<unsigned long long>(peer));
        return text;
    }
    static PlanSummary plan_of(const SubmitTask& submission) {
        PlanSummary plan;
        std::istringstream words(submission.text);
        words >> plan.name >> plan.stages >> plan.steps;
        plan.cuts.resize(static_cast<std::size_t>(plan.stages - 1), "cut");
        plan.plan_hash = submission.text;
        return plan;
    }
    void feed(const Input& input) {
        Output output;
        {
            const Watch watch(load.core_s);
            output = core_.step(input, now);
        }
        pass(std::move(output));
    }
    void pass(Output output) {
        for (Send& send : output.sends) {
            {
                const Watch watch(load.wire_s);
                const auto bytes = wire::encode(send.message);
                if (!bytes) give_up(bytes.error().message());
                load.bytes += static_cast<std::int64_t>(bytes->size());
            }
            ++load.out;
            answers_.push_back({send.peer.value(), send.correlation, std::move(send.message)});
        }
        for (const Job& job : output.jobs)
            if (const auto* planning = get_if<Planning>(&job.what))
                feed(JobDone{job.id, plan_of(*planning->submission)});
    }

    Orchestrator core_;
    std::vector<std::unique_ptr<Actor>> actors_;
    std::deque<Mail> waiting_;
    std::deque<Answer> answers_;
    int slices_ = 0;
};

/// An instance whose steps take a second.
class InstanceActor final : public Actor {
public:
    InstanceActor(Country& country, std::uint64_t self, RegisterInstance registration)
        : country_(country), self_(self), id_(registration.instance), life_(std::move(registration)) {}

    void connected() override { feed(instance::Connected{}); }
    void take(std::uint64_t correlation, const Message& message) override {
        feed(instance::FromOrchestrator{correlation, message});
    }
    void tick() override {
        feed(instance::Tick{});
        if (life_.state() != InstanceState::running) return;
        InstanceLoad load;
        load.instance = id_;
        load.step = step_;
        load.operation = "forward 3 of step " + std::to_string(step_);
        feed(instance::LoadMeasured{load});
        if (!last_ || country_.now < next_step_) return;
        StepRecord record;
        record.step = ++step_;
        record.loss = 1.0F / static_cast<float>(step_);
        record.generation = generation_;
        next_step_ = country_.now + step_time;
        feed(instance::StepFinished{record});
    }

private:
    void feed(const instance::Input& input) {
        const instance::Output output = life_.step(input, country_.now);
        for (const auto& up : output.sends) country_.say(self_, up.correlation, up.message);
        if (!output.prepare) return;
        generation_ = output.prepare->deploy.generation;
        last_ = output.prepare->deploy.stage == stages - 1;
        feed(instance::Prepared{output.prepare->deploy.plan_hash, 0, "float32[8,1024,768]", "float32[8,1024,768]"});
    }

    Country& country_;
    std::uint64_t self_;
    InstanceId id_;
    InstanceLife life_;
    Generation generation_ = 1;
    bool last_ = false;
    std::int64_t step_ = 0;
    TimePoint next_step_{};
};

class NodeActor final : public Actor {
public:
    NodeActor(Country& country, std::uint64_t self, NodeInfo info)
        : country_(country), self_(self), agent_(std::move(info)) {}

    void connected() override { feed(node::Connected{}); }
    void take(std::uint64_t correlation, const Message& message) override {
        feed(node::FromOrchestrator{correlation, message});
    }
    void tick() override {
        node::Load load{0.5, Bytes{8} << 30, {}};
        for (const InstanceId& one : instances_) load.usages.push_back({one, {}});
        feed(load);
    }

private:
    void feed(const node::Input& input) {
        const node::Output output = agent_.step(input, country_.now);
        for (const auto& up : output.sends) country_.say(self_, up.correlation, up.message);
        for (const auto& spawn : output.spawns) begin(spawn.what);
    }
    void begin(const StartInstance& what) {
        feed(node::Spawned{what.instance, 1});
        RegisterInstance registration;
        registration.instance = what.instance;
        registration.sid = what.sid;
        registration.data_endpoint = "tcp://10.0.0.1:7700 tcp://10.0.0.1:7701";
        registration.pid = 1;
        instances_.push_back(what.instance);
        country_.connect(std::make_unique<InstanceActor>(country_, country_.next_peer(), std::move(registration)),
                         Role::agent);
    }

    Country& country_;
    std::uint64_t self_;
    NodeAgent agent_;
    std::vector<InstanceId> instances_;
};

/// Computes the traffic of each device from the newest table. The stages of a task send each other tensors and
/// gradients by the first path between their gateways. The result is the same for all devices, so it is computed once.
class Traffic {
public:
    struct Share {
        std::vector<NeighbourReport> neighbours;
        std::vector<FlowReport> flows;
    };

    void take(const MeshTable& table) {
        if (table.revision <= table_.revision) return;
        table_ = table;
        paths_.clear();
        stale_ = true;
    }
    void take(const MeshChange& change) {
        if (!apply(table_, change)) return;  // another device has already applied it
        if (!change.devices.empty() || !change.links.empty()) paths_.clear();
        stale_ = true;
    }
    const Share& of(std::uint32_t device) {
        if (std::exchange(stale_, false)) work_out();
        return shares_[device];
    }

private:
    static mesh::RoutingId routing_id(std::uint32_t id) { return mesh::RoutingId(static_cast<std::uint16_t>(id)); }

    void work_out() {
        shares_.clear();
        for (const TableLink& link : table_.links)
            for (const auto& [here, there] : {std::pair(link.a, link.b), std::pair(link.b, link.a)})
                shares_[here].neighbours.push_back({there, true, 0, 4096, 8u << 20, quality});
        if (paths_.empty()) lay_out();
        for (std::size_t i = 1; i < table_.places.size(); ++i) {  // places of a task are in the order of its stages
            const TablePlace &one = table_.places[i - 1], &next = table_.places[i];
            if (one.task != next.task || one.gateway == next.gateway) continue;
            add_flow(one, next);
            add_flow(next, one);
        }
    }
    void lay_out() {
        std::vector<mesh::Device> devices;
        for (const TableDevice& one : table_.devices)
            devices.push_back({routing_id(one.id), one.name, one.role, one.mic, one.endpoint, one.key, true, 0});
        std::vector<mesh::Link> links;
        for (const TableLink& one : table_.links)
            links.push_back({routing_id(one.a), routing_id(one.b), one.latency_s, one.bytes_per_s, 0, true});
        if (!topology_.set(std::move(devices), std::move(links))) give_up("the route table is not a valid topology");
    }
    const std::vector<std::uint32_t>& path(std::uint32_t from, std::uint32_t to) {
        const auto [known, fresh] = paths_.try_emplace({from, to});
        if (!fresh) return known->second;
        const auto ways = mesh::two_paths(topology_, routing_id(from), routing_id(to));
        if (!ways) give_up("no path connects two gateways");
        for (const mesh::RoutingId id : ways->primary) known->second.push_back(id.value());
        if (known->second.size() != devices_of_path) give_up("the path length changes with the cluster size");
        return known->second;
    }
    void add_flow(const TablePlace& from, const TablePlace& to) {
        const auto& devices = path(from.gateway, to.gateway);
        for (auto here = devices.begin(); here != devices.end(); ++here)
            shares_[*here].flows.push_back(
                {from.task, from.sid, to.sid, {here, devices.end()}, 4096, 8u << 20, 0, 8u << 20, 0, quality});
    }

    MeshTable table_;
    bool stale_ = false;
    mesh::Topology topology_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> paths_;
    std::map<std::uint32_t, Share> shares_;  ///< share of each device
};

/// Acts as a gateway or router.
class DeviceActor final : public Actor {
public:
    DeviceActor(Country& country, std::uint64_t self, DeviceInfo info, std::shared_ptr<Traffic> traffic)
        : country_(country), self_(self), info_(std::move(info)), traffic_(std::move(traffic)) {}

    void connected() override { country_.say(self_, 1, RegisterDevice{info_, 0}); }
    void take(std::uint64_t, const Message& message) override {
        if (const auto* table = get_if<MeshTable>(&message)) {
            table_ = table->revision;
            traffic_->take(*table);
        }
        // A change that the device could not follow is answered later with the whole table, as in a cluster.
        if (const auto* change = get_if<MeshChange>(&message); change && change->since == table_) {
            table_ = change->revision;
            traffic_->take(*change);
        }
        if (const auto* known = get_if<DeviceRegistered>(&message)) id_ = known->id;
    }
    void tick() override {
        if (id_ == 0) return;
        bytes_ += 1 << 20;
        DeviceReport report;
        report.table = table_;
        report.period = ++period_;
        const Traffic::Share& share = traffic_->of(id_);
        report.neighbours = share.neighbours;
        for (NeighbourReport& one : report.neighbours) one.sent_bytes = bytes_;
        report.flows = share.flows;
        for (FlowReport& one : report.flows) one.out_bytes = bytes_;
        country_.say(self_, 0, report);
    }

private:
    Country& country_;
    std::uint64_t self_;
    DeviceInfo info_;
    std::shared_ptr<Traffic> traffic_;
    std::uint32_t id_ = 0;
    std::uint64_t table_ = 0, period_ = 0, bytes_ = 0;
};

/// Submits the tasks and, like a console, watches all events.
class ClientActor final : public Actor {
public:
    ClientActor(Country& country, std::uint64_t self, int tasks) : country_(country), self_(self), tasks_(tasks) {}

    void connected() override {
        country_.say(self_, 1, Subscribe{});
        for (int i = 0; i < tasks_; ++i)
            country_.say(self_, 2, SubmitTask{"scale " + std::to_string(stages) + " 1000000", "/", "", {}, "bench"});
    }
    void take(std::uint64_t, const Message& message) override {
        if (const auto* snapshot = get_if<Snapshot>(&message); snapshot && snapshot->more)
            country_.say(self_, 1, FetchSnapshotPage{snapshot->page + 1});
    }
    void tick() override { country_.say(self_, 0, Heartbeat{}); }

private:
    Country& country_;
    std::uint64_t self_;
    int tasks_;
};

DeviceInfo device(const std::string& name, const std::string& mic, std::vector<std::string> neighbours) {
    DeviceInfo info;
    info.name = name;
    info.role = mic.empty() ? mesh::DeviceRole::router : mesh::DeviceRole::gateway;
    info.mic = MicId(mic);
    info.endpoint = "tcp://10.0.0.1:7620";
    info.neighbours = std::move(neighbours);
    info.buffer = Bytes{256} << 20;
    return info;
}

/// Returns names like "mic-007". Placement uses names, so a task that does not fit in the rest of one MIC continues in
/// the next.
std::string numbered(const char* name, int number) {
    char text[32];
    std::snprintf(text, sizeof text, "%s-%03d", name, number);
    return text;
}

/// Adds routers in two layers: each core router has half of the edge routers. Each gateway has three or four separate
/// edge routers, some connected to the first core router and some to the second. So any two gateways have two paths
/// without a common router. Among equal paths, the one with the lowest numbers is chosen: every other gateway uses the
/// second core router.
void add_mesh(Country& country, int mics, int routers) {
    const auto traffic = std::make_shared<Traffic>();
    const auto add = [&](DeviceInfo info) {
        country.connect(std::make_unique<DeviceActor>(country, country.next_peer(), std::move(info), traffic),
                        Role::agent);
        country.settle();
    };
    const auto router = [](int number) { return numbered("sr", number); };
    for (int i = 0; i < cores; ++i) add(device(router(i), "", {}));
    std::vector<std::vector<std::string>> edges(static_cast<std::size_t>(mics));
    for (int i = 0; i < routers - cores; ++i) {
        const int mic = i % mics, round = i / mics;
        const std::string name = router(cores + i);
        add(device(name, "", {router((mic + round) % cores)}));
        edges[static_cast<std::size_t>(mic)].push_back(name);
    }
    for (int i = 0; i < mics; ++i)
        add(device(numbered("mg", i), numbered("mic", i), edges[static_cast<std::size_t>(i)]));
}

void add_nodes(Country& country, int count) {
    for (int i = 0; i < count; ++i) {
        NodeInfo info;
        info.mic = MicId(numbered("mic", i / nodes_of_mic));
        info.id = NodeId(info.mic.value() + "/" + numbered("node", i % nodes_of_mic));
        info.host = info.machine = numbered("host", i);
        info.fingerprint = "f";
        info.devices = {{"cpu", "a processor", 8, Bytes{32} << 30}};
        info.blob_endpoint = "tcp://10.0.0.1:7610";
        country.connect(std::make_unique<NodeActor>(country, country.next_peer(), std::move(info)), Role::agent);
        country.settle();
    }
}

struct Row {
    double in = 0, out = 0;      ///< messages per second
    double bytes = 0;            ///< bytes per second in both directions
    double core = 0, whole = 0;  ///< share of a core: state machines alone, and with encoding
    double set_up_s = 0;         ///< the orchestrator's CPU time until all tasks run
};

Row measure(int nodes, int rounds) {
    Country country;
    const int mics = (nodes + nodes_of_mic - 1) / nodes_of_mic, routers = nodes / nodes_of_router,
              tasks = nodes / nodes_of_task;
    add_mesh(country, mics, routers);
    add_nodes(country, nodes);
    country.run(seconds(1));
    country.connect(std::make_unique<ClientActor>(country, country.next_peer(), tasks), Role::operate);
    const auto running = [&] {
        return std::ranges::count_if(country.core().state().tasks,
                                     [](const auto& task) { return task.second.step > 0; });
    };
    for (int i = 0; i < 60 && running() < tasks; ++i) country.run(seconds(1));
    if (running() < tasks) give_up("only " + std::to_string(running()) + " of " + std::to_string(tasks) + " tasks run");
    Row row;
    row.set_up_s = country.load.core_s + country.load.wire_s;
    country.run(settling);
    constexpr int virtual_s = 10;
    for (int round = 0; round < rounds; ++round) {
        country.load = {};
        country.run(seconds(virtual_s));
        const Load& load = country.load;
        const double core = load.core_s / virtual_s, whole = (load.core_s + load.wire_s) / virtual_s;
        // keeps the minimum, because disturbances only add time
        if (round == 0 || whole < row.whole) row.core = core, row.whole = whole;
        row.in = static_cast<double>(load.in) / virtual_s;
        row.out = static_cast<double>(load.out) / virtual_s;
        row.bytes = static_cast<double>(load.bytes) / virtual_s;
    }
    return row;
}

}  // namespace

int scale_bench(const Arguments& arguments) {
    const int rounds = arguments.empty() ? 3 : std::max(1, std::atoi(arguments.front()));
    constexpr int sizes[] = {125, 250, 500, 1000};
    std::printf("an orchestrator without sockets and log, one watching client; tasks of %d stages, a step a second\n",
                stages);
    std::printf(
        "MICs behind two layers of routers, any two of them %zu devices apart; a second is one of the cluster\n",
        devices_of_path);
    std::printf(
        "msg/s, kB/s: control messages to and from the orchestrator, and their bytes; core %%: what its state\n"
        "machines take of one core; +codec %%: with decoding and encoding; set up s: its time until all run\n");
    std::printf("%6s %5s %8s %6s %11s %11s %8s %9s %9s %12s %9s\n", "nodes", "MICs", "routers", "tasks", "msg/s in",
                "msg/s out", "kB/s", "core %", "+codec %", "us a message", "set up s");
    std::vector<Row> rows;
    for (const int nodes : sizes) {
        rows.push_back(measure(nodes, rounds));
        const Row& row = rows.back();
        std::printf("%6d %5d %8d %6d %11.0f %11.0f %8.0f %9.2f %9.2f %12.1f %9.2f\n", nodes,
                    (nodes + nodes_of_mic - 1) / nodes_of_mic, nodes / nodes_of_router, nodes / nodes_of_task, row.in,
                    row.out, 1e-3 * row.bytes, 100 * row.core, 100 * row.whole, 1e6 * row.whole / (row.in + row.out),
                    row.set_up_s);
        std::fflush(stdout);
    }
    const double times = static_cast<double>(sizes[3]) / sizes[0];
    const double messages = (rows[3].in + rows[3].out) / (rows[0].in + rows[0].out) / times;
    const double share = rows[3].whole / rows[0].whole / times, bytes = rows[3].bytes / rows[0].bytes / times;
    std::printf(
        "from %d to %d nodes, in proportion to them: messages %.2f, share of a core %.2f (wanted: %.2f at most), "
        "bytes %.2f\n",
        sizes[0], sizes[3], messages, share, most_growth, bytes);
    return messages <= most_growth && share <= most_growth ? 0 : 1;
}

}  // namespace divisi::bench
