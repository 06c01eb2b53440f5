// SPDX-License-Identifier: Apache-2.0
#include "backend/link/mesh_port.h"

#include <QTest>

#include <algorithm>

#include "backend/link/data_port.h"
#include "backend/link/memory_transport.h"

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

/// Two instances in two MICs, and between them two gateways and three routers: mg-1 - sr-3 - mg-2 and
/// mg-1 - sr-4 - sr-5 - mg-2.
struct Mesh {
    SimLoop loop;
    MemoryTransport net{loop};
    std::map<std::string, std::unique_ptr<MeshPort>> devices;
    std::vector<mesh::Device> rows;
    std::vector<frame::TensorFrame> received;
    std::vector<frame::TensorKey> released;
    std::vector<Error> trouble;
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
        auto made = std::make_unique<DataPort>(loop, net, sid, 1, events);
        if (!made->listen(endpoint).ok()) qFatal("cannot listen");
        return made;
    }
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
    std::set<std::int64_t> steps() const {
        std::set<std::int64_t> all;
        for (const frame::TensorFrame& f : received) all.insert(f.key.step);
        return all;
    }
};

}  // namespace

/// Tensors from instance to instance through gateways and routers, over sockets' twin in simulated time.
class MeshPortTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void tensors_cross_the_mesh_and_their_slots_come_back();
    void a_router_that_ends_costs_no_tensor();
    void a_router_that_comes_back_serves_again();
    void strangers_are_refused_and_counted();
};

void MeshPortTest::tensors_cross_the_mesh_and_their_slots_come_back() {
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

void MeshPortTest::a_router_that_ends_costs_no_tensor() {
    Mesh mesh;
    mesh.loop.run_for(1s);
    mesh.send(20);
    while (mesh.received.size() < 5) mesh.loop.run_for(50us);
    QVERIFY(mesh.received.size() < 20);
    mesh.devices.erase("sr-3");
    mesh.loop.run_for(5s);
    QCOMPARE(mesh.steps().size(), std::size_t{20});
    QCOMPARE(mesh.received.size(), std::size_t{20});  // each once
    QVERIFY(mesh.devices["sr-5"]->relay().counters().bytes > 0);
}

void MeshPortTest::a_router_that_comes_back_serves_again() {
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

void MeshPortTest::strangers_are_refused_and_counted() {
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
    QVERIFY(mesh.trouble.back().what.find("neighbours only") != std::string::npos);
}

QTEST_APPLESS_MAIN(MeshPortTest)
#include "mesh_port_test.moc"
