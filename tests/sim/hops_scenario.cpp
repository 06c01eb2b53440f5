// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "backend/frame/end.h"
#include "backend/link/data_endpoint.h"
#include "backend/link/mesh_port.h"
#include "tests/sim/blob_process.h"
#include "tests/sim/credits.h"
#include "tests/sim/scenario.h"
#include "tests/sim/stage_process.h"

namespace divisi::sim {

using std::chrono::milliseconds, std::chrono::seconds;

namespace {

const TaskId task_id("gpt-1");
constexpr std::int32_t stages = 4;
constexpr std::int64_t steps = 120;
constexpr Duration longest_fault = seconds(4);
/// Longest time from the end of a fault to the next step. It covers reconnecting, and DataFlow's timeout for data lost
/// with a device.
constexpr Duration longest_stall = seconds(12);
/// Longest time from the last step until no data is in flight.
constexpr Duration longest_rest = seconds(30);
constexpr std::uint64_t buffer = 16u << 20;
/// Maximum bytes that the stages of one MIC may have sent without acknowledgement, with room for retransmissions.
constexpr std::uint64_t own_bytes = 16u << 20;

struct Member {
    const char* name;
    const char* mic;  ///< MIC of a gateway; empty for a router
};
// Two disjoint paths, the second one router longer: mg-a, sr-1, mg-b and mg-a, sr-2, sr-3, mg-b.
constexpr std::array<Member, 5> members = {{{"mg-a", "a"}, {"mg-b", "b"}, {"sr-1", ""}, {"sr-2", ""}, {"sr-3", ""}}};
constexpr std::array<std::pair<std::size_t, std::size_t>, 5> links = {{{0, 2}, {2, 1}, {0, 3}, {3, 4}, {4, 1}}};

mesh::RoutingId id_of(std::size_t member) { return mesh::RoutingId(static_cast<std::uint16_t>(member + 1)); }
std::string machine_of(std::size_t member) { return std::string("machine-") + members[member].name; }
std::string endpoint_of(const std::string& name) { return link::DataEndpoint::at("mem://" + name).text(); }
/// Places neighbouring stages in different MICs, so that every edge is a flow.
std::size_t gateway_of(std::int32_t stage) { return static_cast<std::size_t>(stage % 2); }

mesh::Topology topology() {
    std::vector<mesh::Device> devices;
    for (std::size_t i = 0; i < members.size(); ++i) {
        const bool gateway = *members[i].mic != '\0';
        devices.push_back({id_of(i), members[i].name, gateway ? mesh::DeviceRole::gateway : mesh::DeviceRole::router,
                           MicId(members[i].mic), endpoint_of(members[i].name), "", true, 0});
    }
    std::vector<mesh::Link> all;
    for (const auto& [a, b] : links) all.push_back({id_of(a), id_of(b), 1e-4, 1e9, 0, true});
    mesh::Topology made;
    (void)made.set(std::move(devices), std::move(all));
    return made;
}

/// Returns the endpoints at which gateways and routers receive chunks.
std::set<std::string> data_endpoints() {
    std::set<std::string> all;
    for (const Member& member : members) all.insert(link::DataEndpoint::parse(endpoint_of(member.name)).data);
    return all;
}

/// The process of one gateway or router.
class DeviceProcess final : public Process {
public:
    DeviceProcess(Surroundings around, std::size_t member, std::uint32_t boot, Credits& credits, InjectedBug bug)
        : Process(around, {members[member].name, machine_of(member)}),
          accounted_(sockets(), members[member].name, data_endpoints(), credits, bug),
          port_(loop_, accounted_, members[member].name, events()) {
        mesh::RelayConfig config;
        config.self = id_of(member);
        config.role = *members[member].mic ? mesh::DeviceRole::gateway : mesh::DeviceRole::router;
        config.buffer = buffer;
        config.window = 1u << 20;
        config.boot = boot;
        const auto bound = port_.listen(std::string("mem://") + members[member].name);
        if (!bound) watch().violate(bound.error().message());
        port_.start(config);
        std::map<std::uint64_t, mesh::Place> places;
        link::MeshPort::Instances instances;
        for (std::int32_t stage = 0; stage < stages; ++stage) {
            const Sid sid = StageProcess::sid(stage);
            places[frame::flow_id(sid)] = {task_id, sid, id_of(gateway_of(stage))};
            if (gateway_of(stage) == member) instances[frame::flow_id(sid)] = {endpoint_of(sid.value()), ""};
        }
        const TaskId blobs(mesh::blob_root);
        for (const auto& [sid, at] : {std::pair(blob_source, 0), std::pair(blob_sink, 1)}) {
            const auto gateway = static_cast<std::size_t>(at);
            places[frame::flow_id(sid)] = {blobs, sid, id_of(gateway)};
            if (gateway == member) instances[frame::flow_id(sid)] = {endpoint_of(sid.value()), ""};
        }
        port_.set_table(topology(), std::move(places), std::move(instances));
    }
    link::MeshPort& port() { return port_; }
    /// Checks the invariants that hold at all times.
    void poll() {
        const mesh::Relay& relay = port_.relay();
        if (relay.promised() > buffer) watch().violate(place_.process + " promises more than its buffer");
        if (relay.held() > buffer + own_bytes) watch().violate(place_.process + " holds more than its buffer");
        if (!accounted_.take_sent()) return;
        for (const auto& flow : relay.flows())  // a negative credit appears as a large unsigned number
            if (flow.credit > buffer) watch().violate(place_.process + " has a negative credit, or one above a buffer");
    }

private:
    link::MeshPort::Events events() {
        return {[this](const Error& error) { watch().say(place_.process + ": " + error.message()); }, {}, {}};
    }

    DeviceSockets accounted_;
    link::MeshPort port_;
};

class HopsWorld {
public:
    HopsWorld(std::uint64_t seed, InjectedBug bug)
        : world_(seed), network_(world_), watch_(world_, network_), bug_(bug) {
        // Connections keep the order of messages and duplicate none.
        network_.weather({milliseconds(1), milliseconds(30), 0.02, 0, 0});
        for (std::size_t i = 0; i < members.size(); ++i) begin(i);
        StageConfig config;
        config.task = frame::flow_id(task_id);
        config.stages = stages;
        config.steps = steps;
        config.operation = milliseconds(5);
        config.numbers = 40'000;  // 320 kB, five chunks
        for (std::int32_t i = 0; i < stages; ++i) {
            stages_.push_back(std::make_unique<StageProcess>(
                around(), config, i,
                [this](Generation generation, std::int64_t step) { progress_.done(generation, step); }));
            stages_.back()->set_chunk_bytes(64u << 10);
            for (const std::int32_t peer : {i - 1, i + 1})
                if (peer >= 0 && peer < stages) stages_.back()->connect(peer, endpoint_of(members[gateway_of(i)].name));
        }
        source_ = std::make_unique<BlobSourceProcess>(around(), endpoint_of(members[0].name));
        sink_ = std::make_unique<BlobSinkProcess>(around(), endpoint_of(members[1].name));
        raise();
    }

    Verdict run() {
        while (!watch_.violation() && progress_.step() < steps && faults_ < 12) {
            advance(world_.between(milliseconds(50), seconds(2)));
            if (progress_.step() >= steps) break;
            if (world_.chance(0.1)) raise();
            if (world_.chance(0.5)) disturb();
        }
        while (!watch_.violation() && progress_.step() < steps) advance(milliseconds(100));
        if (sink_->whole() == 0) watch_.violate("no blob arrived completely during the training");
        sink_->stop();
        const TimePoint last = world_.now();
        while (!watch_.violation() && !at_rest()) {
            advance(milliseconds(100));
            if (world_.now() > last + longest_rest) watch_.violate("after the last step " + who_holds());
        }
        Verdict verdict;
        verdict.problem = watch_.violation().value_or("");
        verdict.faults = faults_;
        verdict.settled_s = to_ms(progress_.longest()) / 1000;
        return verdict;
    }

private:
    Surroundings around() { return {world_, network_, watch_}; }
    void begin(std::size_t member) {
        devices_[member] = std::make_unique<DeviceProcess>(around(), member, ++boots_, credits_, bug_);
    }

    void raise() {
        const std::int64_t step = progress_.step(), from = step > 3 ? step - 3 : 0;
        progress_.begin(progress_.generation() + 1, from);
        for (const auto& stage : stages_) stage->enter(progress_.generation(), from);
        progress_.excuse_until(world_.now());
    }

    void disturb() {
        ++faults_;
        const Duration length = world_.between(milliseconds(10), longest_fault);
        const std::size_t member = world_.pick(members.size());
        const auto [a, b] = links[world_.pick(links.size())];
        progress_.excuse_until(world_.now() + length);
        switch (world_.pick(5)) {
            case 0: return kill(member, length);
            case 1: return pause(member, length);
            case 2:
                watch_.say("cable " + machine_of(a) + " " + machine_of(b));
                network_.part(machine_of(a), machine_of(b));
                return world_.after(length, [this] { network_.heal(); });
            case 3:
                watch_.say("a connection was broken");
                (void)network_.break_one();
                return;
            default: return cut(a, b, length);
        }
    }
    void kill(std::size_t member, Duration length) {
        if (!devices_[member]) return;
        watch_.say(std::string("kill ") + members[member].name);
        network_.killed(members[member].name);
        devices_[member].reset();
        world_.after(length, [this, member] {
            watch_.say(std::string("again ") + members[member].name);
            begin(member);
        });
    }
    void pause(std::size_t member, Duration length) {
        if (!devices_[member]) return;
        watch_.say(std::string("stop ") + members[member].name);
        devices_[member]->loop().stop();
        world_.after(length, [this, member] {
            if (devices_[member]) devices_[member]->loop().go_on();
        });
    }
    /// Cuts a link in both directions, as `divisictl fault cut-link` does.
    void cut(std::size_t a, std::size_t b, Duration length) {
        watch_.say(std::string("cut ") + members[a].name + " " + members[b].name);
        const auto impair = [this, a, b](bool cut) {
            for (const auto& [here, there] : {std::pair(a, b), std::pair(b, a)}) {
                std::map<mesh::RoutingId, link::Impairment> faults;
                if (cut) faults[id_of(there)].cut = true;
                if (devices_[here]) devices_[here]->port().impair(std::move(faults));
            }
        };
        impair(true);
        world_.after(length, [impair] { impair(false); });
    }

    bool at_rest() const {
        for (const auto& stage : stages_)
            if (stage->unacknowledged() > 0) return false;
        for (const auto& device : devices_)
            if (!device || device->port().relay().held() > 0) return false;
        return true;
    }
    std::string who_holds() const {
        std::string who;
        for (const auto& stage : stages_)
            if (stage->unacknowledged() > 0) who += stage->place().process + " waits for acknowledgements, ";
        for (const auto& device : devices_)
            if (device && device->port().relay().held() > 0)
                who += device->place().process + " holds " + std::to_string(device->port().relay().held()) + " bytes, ";
        return who + "and this state does not end";
    }

    void advance(Duration duration) {
        const TimePoint until = world_.now() + duration;
        while (!watch_.violation() && world_.loop().run_next(until)) poll();
        world_.loop().run_for(until - world_.now());
        poll();
    }
    void poll() {
        for (const auto& device : devices_)
            if (device) device->poll();
        if (progress_.step() < steps) progress_.poll();
    }

    World world_;
    Network network_;
    Watch watch_;
    InjectedBug bug_;
    Credits credits_{watch_};
    Progress progress_{world_, watch_, longest_stall};
    std::array<std::unique_ptr<DeviceProcess>, members.size()> devices_;
    std::vector<std::unique_ptr<StageProcess>> stages_;
    std::unique_ptr<BlobSourceProcess> source_;
    std::unique_ptr<BlobSinkProcess> sink_;
    std::uint32_t boots_ = 0;
    std::size_t faults_ = 0;
};

}  // namespace

Verdict hops(std::uint64_t seed, InjectedBug bug) { return HopsWorld(seed, bug).run(); }

}  // namespace divisi::sim
