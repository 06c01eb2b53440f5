// SPDX-License-Identifier: Apache-2.0
#include "backend/link/mesh_port.h"

#include <algorithm>

#include "backend/frame/control_frame.h"
#include "backend/link/data_endpoint.h"
#include "backend/link/data_port.h"
#include "backend/link/memory_transport.h"
#include "tests/support/test_program.h"

namespace mesh_port_test {

using namespace divisi;
using namespace divisi::link;
using namespace std::chrono_literals;
using mesh::DeviceRole, mesh::RoutingId;

namespace {

const Sid source("task/stage-0/0"), destination("task/stage-1/0");
const std::uint64_t task = frame::flow_id(TaskId("task"));

frame::TensorFrame tensor(std::int64_t step, std::size_t bytes = 3 << 20) {
    std::vector<std::uint8_t> values(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
        values[i] = static_cast<std::uint8_t>(i * 31 + static_cast<std::size_t>(step));
    frame::TensorFrame f;
    f.key = {task, 1, frame::FrameKind::activation, 5, step, 0};
    f.tensor = graph::HostTensor::of(graph::DType::uint8, {static_cast<std::int64_t>(bytes)}, values);
    return f;
}

/// A fixture with two instances in two MICs. Two gateways and three routers connect them: mg-1 - sr-3 - mg-2 and mg-1 -
/// sr-4 - sr-5 - mg-2.
struct Mesh {
    SimLoop loop;
    MemoryTransport net{loop};
    std::map<std::string, std::unique_ptr<MeshPort>> devices;
    std::vector<mesh::Device> rows;
    std::vector<frame::TensorFrame> received;
    std::vector<frame::TensorKey> released;
    std::vector<Error> trouble;
    std::vector<std::string> told;  ///< messages to instances
    /// demands that the gateways received, with their consumers
    std::vector<std::pair<std::uint64_t, frame::Demand>> demands;
    std::unique_ptr<DataPort> a, b;

    Mesh() {
        a = port(source, "mem://a");
        b = port(destination, "mem://b");
        start("mg-1", 1, DeviceRole::gateway, "mic-1");
        start("mg-2", 2, DeviceRole::gateway, "mic-2");
        start("sr-3", 3, DeviceRole::router, "");
        start("sr-4", 4, DeviceRole::router, "");
        start("sr-5", 5, DeviceRole::router, "");
        table();
        a->connect(destination, 1, rows[0].endpoint);
        b->connect(source, 1, rows[1].endpoint);
        for (DataPort* one : {a.get(), b.get()}) one->enter(task, 1);
    }
    std::unique_ptr<DataPort> port(const Sid& sid, const std::string& endpoint) {
        DataPort::Events events;
        events.tensor = [this](frame::TensorFrame f) {
            b->release(f.key);
            received.push_back(std::move(f));
        };
        events.released = [this](const frame::TensorKey& key) { released.push_back(key); };
        events.trouble = [this](const Error& error) { told.push_back(error.message()); };
        events.demand = [this](const frame::FrameHeader& header, const frame::Demand& demand) {
            demands.emplace_back(header.source.sid, demand);
        };
        auto made = std::make_unique<DataPort>(loop, net, sid, 1, events);
        if (!made->listen(endpoint).ok()) qFatal("cannot listen");
        return made;
    }
    /// Gives mg-1 an admission controller that lets `a` send to its task.
    void guard(mesh::AdmissionConfig config = {}) {
        config.self = RoutingId(1);
        admission.emplace(config);
        devices["mg-1"]->admit_by(*admission);
        table();
        mesh::Rule rule{mesh::Owner{}, {mesh::Action::send}, "task", true, {source, 1}};
        QVERIFY(admission->set_policy({1, loop.now(), {rule}, {}}, loop.now()).ok());
    }
    std::optional<mesh::Admission> admission;
    void start(const std::string& name, std::uint16_t id, DeviceRole role, const std::string& mic) {
        auto& device = devices[name];
        device = std::make_unique<MeshPort>(loop, net, name,
                                            MeshPort::Events{[this](const Error& e) { trouble.push_back(e); }, {}});
        const auto endpoint = device->listen("mem://" + name);
        mesh::RelayConfig config;
        config.self = RoutingId(id);
        config.role = role;
        config.boot = static_cast<std::uint32_t>(loop.now().time_since_epoch() / 1ms);
        device->start(config);
        const mesh::Device row{RoutingId(id), name, role, MicId(mic), endpoint.value(), "", true, 0};
        const auto known = std::ranges::find(rows, name, &mesh::Device::name);
        if (known == rows.end()) rows.push_back(row);
        else *known = row;
    }
    void table() {
        mesh::Topology topology;
        std::vector<mesh::Link> links;
        for (const auto& [x, y] : {std::pair(1, 3), {3, 2}, {1, 4}, {4, 5}, {5, 2}})
            links.push_back({RoutingId(static_cast<std::uint16_t>(x)), RoutingId(static_cast<std::uint16_t>(y)), 1e-4,
                             1e9, 0, true});
        QVERIFY(topology.set(rows, links).ok());
        for (auto& [name, device] : devices) {
            MeshPort::Instances instances;
            if (name == "mg-1") instances[frame::flow_id(source)] = {a->endpoint(), ""};
            if (name == "mg-2") instances[frame::flow_id(destination)] = {b->endpoint(), ""};
            device->set_table(topology,
                              {{frame::flow_id(source), {TaskId("task"), source, RoutingId(1)}},
                               {frame::flow_id(destination), {TaskId("task"), destination, RoutingId(2)}}},
                              instances);
        }
    }
    void send(int count, int first = 0) {
        for (int i = 0; i < count; ++i)
            if (!a->send(destination, tensor(first + i)).ok()) qFatal("cannot send");
    }
    /// Sets the fault of sr-3's link to mg-2 at both ends; an empty one heals the link.
    void impair(const Impairment& fault) {
        devices["sr-3"]->impair({{RoutingId(2), fault}});
        devices["mg-2"]->impair({{RoutingId(3), fault}});
    }
    void heal() {
        for (const char* name : {"sr-3", "mg-2"}) devices[name]->impair({});
    }
    std::uint64_t bytes(const std::string& name) { return devices[name]->relay().counters().bytes; }
    std::set<std::int64_t> steps() const {
        std::set<std::int64_t> all;
        for (const frame::TensorFrame& f : received) all.insert(f.key.step);
        return all;
    }
};

}  // namespace

/// Tests tensors between instances through gateways and routers, over simulated sockets and time.
class MeshPortTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void tensors_cross_the_mesh_and_free_their_slots();
    void ended_router_loses_no_tensor();
    void returned_router_is_used_again();
    void restarted_gateway_serves_within_a_second();
    void cut_link_is_noticed_by_silence_and_loses_no_tensor();
    void briefly_cut_link_keeps_its_credit();
    void traffic_over_a_slowed_link_reaches_its_rate();
    void delayed_link_keeps_the_order_and_loses_nothing();
    void probe_measures_a_link();
    void probe_of_a_long_link_widens_its_windows();
    void probe_of_a_missing_or_cut_link_fails();
    void unknown_devices_are_refused_and_counted();
    void routers_report_their_load_to_their_gateways();
    void admitted_flow_passes_and_denied_flow_gets_a_reason();
    void unserved_flow_is_reported_at_the_deadline_and_blocks_no_other();
    void lost_routers_are_reported_as_no_route();
    void rate_limit_slows_senders_without_loss();
    void two_sockets_of_one_endpoint_never_share_a_port();
    void gateway_deals_the_demands_of_instances();
};

void MeshPortTest::tensors_cross_the_mesh_and_free_their_slots() {
    Mesh mesh;
    mesh.send(10);
    mesh.loop.run_for(2s);
    QCOMPARE(mesh.received.size(), std::size_t{10});
    for (std::size_t i = 0; i < 10; ++i)
        QVERIFY(std::ranges::equal(mesh.received[i].tensor.bytes(), tensor(mesh.received[i].key.step).tensor.bytes()));
    QCOMPARE(mesh.released.size(), std::size_t{10});
    QCOMPARE(mesh.a->unacknowledged(), std::size_t{0});
    QCOMPARE(mesh.devices["sr-3"]->relay().counters().bytes, std::uint64_t{30} << 20);
    QCOMPARE(mesh.devices["sr-4"]->relay().counters().bytes, std::uint64_t{0});
    QCOMPARE(mesh.a->counters().chunks_resent, std::uint64_t{0});
}

void MeshPortTest::ended_router_loses_no_tensor() {
    Mesh mesh;
    mesh.loop.run_for(1s);
    mesh.send(20);
    while (mesh.received.size() < 5) mesh.loop.run_for(50us);
    QVERIFY(mesh.received.size() < 20);
    mesh.devices.erase("sr-3");
    mesh.loop.run_for(5s);
    QCOMPARE(mesh.steps().size(), std::size_t{20});
    QCOMPARE(mesh.received.size(), std::size_t{20});  // each tensor arrives once
    QVERIFY(mesh.devices["sr-5"]->relay().counters().bytes > 0);
}

void MeshPortTest::returned_router_is_used_again() {
    Mesh mesh;
    mesh.send(3);
    mesh.loop.run_for(1s);
    mesh.devices.erase("sr-3");
    mesh.send(3, 3);
    mesh.loop.run_for(2s);
    mesh.start("sr-3", 3, DeviceRole::router, "");
    mesh.table();
    mesh.loop.run_for(5s);
    const std::uint64_t before = mesh.devices["sr-3"]->relay().counters().bytes;
    mesh.send(3, 6);
    mesh.loop.run_for(2s);
    QCOMPARE(mesh.received.size(), std::size_t{9});
    QVERIFY(mesh.devices["sr-3"]->relay().counters().bytes > before);
}

/// Routers refuse the flows of the dead gateway. They dial it again after 50, 150 and 350 ms.
void MeshPortTest::restarted_gateway_serves_within_a_second() {
    Mesh mesh;
    mesh.send(1);
    mesh.loop.run_for(2s);
    QCOMPARE(mesh.steps().size(), std::size_t{1});
    mesh.devices.erase("mg-2");
    mesh.send(2, 1);
    mesh.loop.run_for(100ms);
    QCOMPARE(mesh.steps().size(), std::size_t{1});
    mesh.start("mg-2", 2, DeviceRole::gateway, "mic-2");
    mesh.table();
    mesh.loop.run_for(900ms);
    QCOMPARE(mesh.steps().size(), std::size_t{3});
}

void MeshPortTest::cut_link_is_noticed_by_silence_and_loses_no_tensor() {
    Mesh mesh;
    mesh.loop.run_for(1s);
    mesh.send(20);
    while (mesh.received.size() < 5) mesh.loop.run_for(50us);
    mesh.impair({true, 0, {}});
    const TimePoint cut = mesh.loop.now();
    while (mesh.bytes("sr-5") == 0 && mesh.loop.now() - cut < 2s) mesh.loop.run_for(1ms);
    // No device was notified of the cut. sr-3 is declared silent after three heartbeats, and the check may come one
    // heartbeat later.
    const Duration took = mesh.loop.now() - cut;
    QVERIFY2(took >= 200ms && took <= 450ms, std::to_string(to_ms(took)).c_str());
    mesh.loop.run_for(5s);
    QCOMPARE(mesh.steps().size(), std::size_t{20});
    QCOMPARE(mesh.received.size(), std::size_t{20});  // each tensor arrives once
    QVERIFY(mesh.devices["sr-3"]->relay().counters().failures > 0);
    mesh.heal();
    mesh.loop.run_for(3s);
    const std::uint64_t before = mesh.bytes("sr-3");
    mesh.send(5, 20);
    mesh.loop.run_for(3s);
    QCOMPARE(mesh.received.size(), std::size_t{25});
    QVERIFY(mesh.bytes("sr-3") > before);
    for (const auto& [name, device] : mesh.devices) QCOMPARE(device->relay().held(), std::uint64_t{0});
}

void MeshPortTest::briefly_cut_link_keeps_its_credit() {
    Mesh mesh;
    mesh.loop.run_for(1s);
    for (int round = 0; round < 10; ++round) {
        mesh.send(8, 8 * round);
        while (mesh.received.size() < static_cast<std::size_t>(8 * round + 2)) mesh.loop.run_for(50us);
        mesh.impair({true, 0, {}});
        mesh.loop.run_for(50ms);  // too short to be noticed
        mesh.heal();
        mesh.loop.run_for(3s);
        QCOMPARE(mesh.received.size(), static_cast<std::size_t>(8 * round + 8));
    }
    for (const auto& [name, device] : mesh.devices) QCOMPARE(device->relay().held(), std::uint64_t{0});
    for (const mesh::Relay::FlowView& flow : mesh.devices["sr-3"]->relay().flows())
        QCOMPARE(flow.out, std::uint64_t{0});
    QVERIFY(mesh.bytes("sr-3") > std::uint64_t{100} << 20);
}

void MeshPortTest::traffic_over_a_slowed_link_reaches_its_rate() {
    Mesh mesh;
    mesh.loop.run_for(1s);
    mesh.impair({false, 20e6, {}});
    mesh.send(20);
    const TimePoint begin = mesh.loop.now();
    while (mesh.received.size() < 20 && mesh.loop.now() - begin < 20s) mesh.loop.run_for(1ms);
    const double rate = (20 << 20) * 3 / std::chrono::duration<double>(mesh.loop.now() - begin).count();
    QVERIFY2(rate > 18e6 && rate < 22e6, std::to_string(rate).c_str());
    QCOMPARE(mesh.devices["sr-3"]->relay().counters().failures, std::uint64_t{0});
    mesh.heal();
    mesh.send(20, 20);
    const TimePoint healed = mesh.loop.now();
    while (mesh.received.size() < 40 && mesh.loop.now() - healed < 20s) mesh.loop.run_for(1ms);
    QVERIFY(mesh.loop.now() - healed < 1s);
}

void MeshPortTest::delayed_link_keeps_the_order_and_loses_nothing() {
    Mesh mesh;
    mesh.loop.run_for(1s);
    mesh.send(1);
    const TimePoint begin = mesh.loop.now();
    while (mesh.received.size() < 1) mesh.loop.run_for(1ms);
    const Duration plain = mesh.loop.now() - begin;
    mesh.impair({false, 0, 50ms});
    mesh.send(1, 1);
    const TimePoint slow = mesh.loop.now();
    while (mesh.received.size() < 2) mesh.loop.run_for(1ms);
    const Duration late = mesh.loop.now() - slow;
    QVERIFY2(late >= plain + 49ms && late <= plain + 60ms, std::to_string(to_ms(late)).c_str());
    mesh.send(20, 2);
    while (mesh.received.size() < 10) mesh.loop.run_for(1ms);
    mesh.heal();  // while frames are in transit
    mesh.loop.run_for(3s);
    QCOMPARE(mesh.received.size(), std::size_t{22});
    std::vector<std::int64_t> steps;
    for (const frame::TensorFrame& f : mesh.received) steps.push_back(f.key.step);
    QVERIFY(std::ranges::is_sorted(steps));
    QCOMPARE(mesh.a->counters().chunks_resent, std::uint64_t{0});
}

void MeshPortTest::probe_measures_a_link() {
    Mesh mesh;
    mesh.loop.run_for(1s);
    mesh.impair({false, 20e6, 5ms});
    const std::uint64_t before = mesh.bytes("sr-3");
    std::optional<Result<control::LinkFigures>> found;
    MeshPort& router = *mesh.devices["sr-3"];
    QVERIFY(router.probe(RoutingId(2), 7, 25s, [&](auto result) { found = std::move(result); }).ok());
    mesh.loop.run_for(20s);
    QVERIFY(found && found->ok());
    router.end_probe();
    const control::LinkFigures& figures = **found;
    QVERIFY(figures.latency_s > 4.9e-3 && figures.latency_s < 5.2e-3);
    QVERIFY(figures.bytes_per_s > 18e6 && figures.bytes_per_s < 22e6);
    QCOMPARE(mesh.bytes("sr-3"), before);  // probes are not forwarded
    QVERIFY(mesh.trouble.empty());
    mesh.heal();
    mesh.send(3);
    mesh.loop.run_for(5s);
    QCOMPARE(mesh.steps().size(), std::size_t{3});
}

void MeshPortTest::probe_of_a_long_link_widens_its_windows() {
    Mesh mesh;
    mesh.loop.run_for(1s);
    mesh.impair({false, 1e9, 10ms});
    std::optional<Result<control::LinkFigures>> found;
    MeshPort& router = *mesh.devices["sr-3"];
    QVERIFY(router.probe(RoutingId(2), 7, 25s, [&](auto result) { found = std::move(result); }).ok());
    mesh.loop.run_for(20s);
    QVERIFY(found && found->ok());
    router.end_probe();
    const control::LinkFigures& figures = **found;
    QVERIFY(figures.latency_s > 9.9e-3 && figures.latency_s < 10.5e-3);
    QVERIFY2(figures.bytes_per_s > 9e8 && figures.bytes_per_s < 1.1e9, std::to_string(figures.bytes_per_s).c_str());
    mesh.heal();
    mesh.send(3);
    mesh.loop.run_for(5s);
    QCOMPARE(mesh.steps().size(), std::size_t{3});
    // The window is twice 20 ms at 1 GB/s, plus a chunk on the other path.
    const std::uint64_t promised = mesh.devices["mg-2"]->relay().promised();
    QVERIFY2(promised > 38'000'000 && promised < 50'000'000, std::to_string(promised).c_str());
}

void MeshPortTest::probe_of_a_missing_or_cut_link_fails() {
    Mesh mesh;
    mesh.loop.run_for(1s);
    std::optional<Result<control::LinkFigures>> found;
    const auto ended = [&](auto result) { found = std::move(result); };
    MeshPort& gateway = *mesh.devices["mg-1"];
    QCOMPARE(gateway.probe(RoutingId(2), 7, 5s, ended).error().code, ErrorCode::unavailable);  // not a neighbour
    QVERIFY(mesh.devices["sr-3"]->probe(RoutingId(2), 8, 5s, ended).ok());
    mesh.impair({true, 0, {}});
    mesh.loop.run_for(6s);
    QVERIFY(found && !found->ok());
    QCOMPARE(found->error().code, ErrorCode::deadline);
    mesh.devices["sr-3"]->end_probe();
}

void MeshPortTest::unknown_devices_are_refused_and_counted() {
    Mesh mesh;
    mesh.loop.run_for(100ms);
    Channel::Events none;
    auto stranger = mesh.net.connect({mesh.rows[2].endpoint.substr(0, mesh.rows[2].endpoint.find(' ')), ""},
                                     Purpose::data, "somebody", none);
    QVERIFY(stranger.ok());
    mesh.loop.run_for(10ms);
    (*stranger)->send({Part::of("no frame"), Part::of("")});
    mesh.loop.run_for(10ms);
    QCOMPARE(mesh.devices["sr-3"]->foreign(), std::uint64_t{1});
    QVERIFY(mesh.trouble.back().what.find("only from its neighbours") != std::string::npos);
}

/// Tests signaling type 4, sent over the lane.
void MeshPortTest::routers_report_their_load_to_their_gateways() {
    Mesh mesh;
    mesh.loop.run_for(2s);
    const auto heard = [&](const std::string& gateway, std::uint16_t router) -> const mesh::LoadBook::Heard* {
        for (const mesh::Relay::NeighbourView& one : mesh.devices[gateway]->relay().neighbours())
            if (one.id == RoutingId(router)) return one.load;
        return nullptr;
    };
    QVERIFY(heard("mg-1", 3) && heard("mg-1", 4) && heard("mg-2", 3) && heard("mg-2", 5));
    QVERIFY(mesh.loop.now() - heard("mg-1", 3)->at <= 600ms);
    QCOMPARE(heard("mg-1", 3)->said.links.size(), std::size_t{2});
    QVERIFY(mesh.trouble.empty());
    // A malformed message from a device of the mesh.
    const std::string lane = mesh.rows[0].endpoint.substr(mesh.rows[0].endpoint.find(' ') + 1);
    auto liar = mesh.net.connect({lane, ""}, Purpose::lane, "device:sr-5", {});
    QVERIFY(liar.ok());
    mesh.loop.run_for(10ms);
    const std::string garbage = "\x2a\xff";
    const frame::ControlHeader header{0, 5, static_cast<std::uint32_t>(garbage.size()), 0};
    const std::uint64_t before = mesh.devices["mg-1"]->foreign();
    (*liar)->send({Part::of(frame::encode_control_header(header)), Part::of(garbage)});
    mesh.loop.run_for(10ms);
    QCOMPARE(mesh.devices["mg-1"]->foreign(), before + 1);
    QVERIFY(mesh.trouble.back().what.find("type 4 that cannot be decoded") != std::string::npos);
}

void MeshPortTest::admitted_flow_passes_and_denied_flow_gets_a_reason() {
    Mesh mesh;
    mesh.guard();
    mesh.send(10);
    mesh.loop.run_for(2s);
    QCOMPARE(mesh.received.size(), std::size_t{10});
    QCOMPARE(mesh.a->counters().chunks_resent, std::uint64_t{0});
    QCOMPARE(mesh.admission->counters().admitted, std::uint64_t{1});
    std::vector<Error> told;
    DataPort other(mesh.loop, mesh.net, source, 2,
                   {{}, {}, [&](const Error& e) { told.push_back(e); }});  // an impostor with the same SID
    QVERIFY(other.listen("mem://other").ok());
    other.enter(task, 1);
    other.connect(destination, 1, mesh.rows[0].endpoint);
    mesh.loop.run_for(1s);
    QCOMPARE(other.refusals(), std::uint64_t{1});
    QVERIFY2(told.at(0).message().find("task/stage-1/0: no rule allows it") != std::string::npos,
             told.at(0).message().c_str());
    mesh.loop.run_for(3s);
    QCOMPARE(other.refusals(), std::uint64_t{1});  // the decision is reported only once
    QCOMPARE(mesh.a->refusals(), std::uint64_t{0});
}

void MeshPortTest::unserved_flow_is_reported_at_the_deadline_and_blocks_no_other() {
    Mesh mesh;
    mesh.guard();
    const Sid late("task/stage-2/0");
    mesh.a->connect(late, 0, mesh.rows[0].endpoint);
    const TimePoint asked = mesh.loop.now();
    while (mesh.a->refusals() == 0 && mesh.loop.now() - asked < 10s) mesh.loop.run_for(10ms);
    const Duration took = mesh.loop.now() - asked;
    QVERIFY2(took >= 2s && took <= 3'100ms, std::to_string(to_ms(took)).c_str());
    QCOMPARE(mesh.admission->counters().unserved, std::uint64_t{1});
    mesh.send(3);
    mesh.loop.run_for(2s);
    QCOMPARE(mesh.received.size(), std::size_t{3});  // other flows are not blocked
}

void MeshPortTest::lost_routers_are_reported_as_no_route() {
    Mesh mesh;
    mesh.guard();
    mesh.send(1);
    mesh.loop.run_for(2s);
    for (const char* name : {"sr-3", "sr-4", "sr-5"}) mesh.devices.erase(name);
    mesh.send(2, 1);
    mesh.loop.run_for(8s);
    QVERIFY(mesh.a->refusals() >= 1);
    const auto log = mesh.admission->take_requests(100);
    QCOMPARE(log.back().reason, std::string("no path leads to the gateway mg-2; waited 2 s"));
    mesh.start("sr-3", 3, DeviceRole::router, "");
    mesh.table();
    mesh.loop.run_for(10s);
    QCOMPARE(mesh.steps().size(), std::size_t{3});  // the waiting tensors have arrived
}

void MeshPortTest::rate_limit_slows_senders_without_loss() {
    Mesh mesh;
    mesh.guard();
    mesh.devices["mg-1"]->limit({0, 30e6});
    mesh.send(1);
    mesh.loop.run_for(2s);
    const TimePoint begin = mesh.loop.now();
    mesh.send(20, 1);
    while (mesh.received.size() < 21 && mesh.loop.now() - begin < 10s) mesh.loop.run_for(5ms);
    const double seconds = std::chrono::duration<double>(mesh.loop.now() - begin).count();
    const double rate = (60 - 3) * double(1 << 20) / seconds;  // without the initial burst
    QVERIFY2(rate > 28e6 && rate < 31e6, std::to_string(rate).c_str());
    QVERIFY(mesh.devices["mg-1"]->delayed() > 0);
    QCOMPARE(mesh.a->counters().chunks_resent, std::uint64_t{0});  // the flow is slow, but loses nothing
}

void MeshPortTest::two_sockets_of_one_endpoint_never_share_a_port() {
    const auto lane_of = [](const char* endpoint) { return DataEndpoint::at(endpoint).lane; };
    QCOMPARE(DataEndpoint::at("tcp://10.0.0.2:7620").data, std::string("tcp://10.0.0.2:7620"));
    QCOMPARE(lane_of("tcp://10.0.0.2:7620"), std::string("tcp://10.0.0.2:7621"));
    QCOMPARE(lane_of("tcp://[::1]:9"), std::string("tcp://[::1]:10"));
    QCOMPARE(lane_of("tcp://10.0.0.2:0"), std::string("tcp://10.0.0.2:0"));  // the system chooses each port
    QCOMPARE(lane_of("tcp://10.0.0.2:*"), std::string("tcp://10.0.0.2:*"));
    QCOMPARE(DataEndpoint::at("ipc:///run/a").data, std::string("ipc:///run/a.data"));
    QCOMPARE(lane_of("ipc:///run/a"), std::string("ipc:///run/a.lane"));
    const DataEndpoint both = DataEndpoint::parse("tcp://h:1 tcp://h:2");
    QCOMPARE(both.data + "|" + both.lane, std::string("tcp://h:1|tcp://h:2"));
    QCOMPARE(both.text(), std::string("tcp://h:1 tcp://h:2"));
}

void MeshPortTest::gateway_deals_the_demands_of_instances() {
    mesh::Dealer dealer([] { return 0; });
    Mesh mesh;
    const mesh::DealServers servers{
        {frame::flow_id("task/data"), {{frame::flow_id(destination), destination.value(), 0}}}};
    mesh.devices["mg-1"]->deal_by(dealer);
    mesh.devices["mg-1"]->set_servers(servers);
    mesh.loop.run_for(1s);
    const std::vector<frame::DataPlace> places{{1, 0}, {1, 1}};
    mesh.a->ask(Sid("task/data"), task, 1, places, 100);
    QVERIFY(mesh.demands.empty());  // the instance does not know its gateway yet
    mesh.a->set_gateway(mesh.rows[0].endpoint, "");
    mesh.loop.run_for(100ms);
    QVERIFY(!mesh.demands.empty());
    QCOMPARE(mesh.demands.back().first, frame::flow_id(source));
    QVERIFY(mesh.demands.back().second.places == places);
    QCOMPARE(dealer.servers().front().outstanding, std::uint64_t{2});

    // The demand is repeated until it is served, and not afterwards.
    std::size_t said = mesh.demands.size();
    mesh.loop.run_for(3s);
    QVERIFY(mesh.demands.size() > said);
    mesh.a->ask(Sid("task/data"), task, 1, {}, 100);
    mesh.loop.run_for(1s);
    said = mesh.demands.size();
    mesh.loop.run_for(3s);
    QCOMPARE(mesh.demands.size(), said);
    QCOMPARE(dealer.servers().front().outstanding, std::uint64_t{0});

    // If no data instance serves the demand, the consumer is notified. A new data instance gets the open demand at
    // once.
    mesh.devices["mg-1"]->set_servers({});
    mesh.told.clear();
    mesh.a->ask(Sid("task/data"), task, 1, {{2, 0}}, 100);
    mesh.loop.run_for(2s);
    QVERIFY(std::ranges::any_of(
        mesh.told, [](const auto& one) { return one.find("no data instance accepts work") != std::string::npos; }));
    QCOMPARE(mesh.demands.size(), said);
    mesh.devices["mg-1"]->set_servers(servers);
    mesh.loop.run_for(10ms);
    QVERIFY((mesh.demands.back().second.places == std::vector<frame::DataPlace>{{2, 0}}));
}

DIVISI_TEST(MeshPortTest)

}  // namespace mesh_port_test

#include "mesh_port_test.moc"
