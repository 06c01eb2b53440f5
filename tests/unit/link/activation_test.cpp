// SPDX-License-Identifier: Apache-2.0

#include "backend/link/data_port.h"
#include "backend/link/memory_transport.h"
#include "backend/link/mesh_port.h"
#include "tests/support/test_program.h"

namespace activation_test {

using namespace divisi;
using namespace divisi::link;
using namespace std::chrono_literals;
using mesh::Activation, mesh::DeviceRole, mesh::RoutingId;

namespace {

const Sid source("task/stage-0/0"), destination("task/stage-1/0");
const std::uint64_t task = frame::flow_id(TaskId("task"));
const Activation granted{7, 1, 4, "cpu", RoutingId(1)};

/// A fixture with two instances in two MICs, each behind its gateway. It records what the second instance receives.
struct Mesh {
    SimLoop loop;
    MemoryTransport net{loop};
    MeshPort first{loop, net, "mg-1", {}}, second{loop, net, "mg-2", {}};
    std::vector<mesh::Device> rows;
    std::vector<Error> trouble;
    std::vector<Activation> activated;
    std::vector<std::int64_t> steps;  ///< steps that have arrived
    std::unique_ptr<DataPort> a, b;

    Mesh() {
        a = port(source, "mem://a");
        b = port(destination, "mem://b");
        begin(first, "mg-1", 1);
        begin(second, "mg-2", 2);
        mesh::Topology topology;
        if (!topology.set(rows, {{RoutingId(1), RoutingId(2), 1e-4, 1e9, 0, true}}).ok()) qFatal("no topology");
        const std::map<std::uint64_t, mesh::Place> places{
            {frame::flow_id(source), {TaskId("task"), source, RoutingId(1)}},
            {frame::flow_id(destination), {TaskId("task"), destination, RoutingId(2)}}};
        first.set_table(topology, places, {{frame::flow_id(source), {a->endpoint(), ""}}});
        second.set_table(topology, places, {{frame::flow_id(destination), {b->endpoint(), ""}}});
        a->connect(destination, 1, rows[0].endpoint);
        b->connect(source, 1, rows[1].endpoint);
        b->hold(granted);
        a->enter(task, 1);
        b->enter(task, 1);
    }
    std::unique_ptr<DataPort> port(const Sid& sid, const std::string& endpoint) {
        DataPort::Events events;
        events.tensor = [this](const frame::TensorFrame& f) {
            steps.push_back(f.key.step);
            b->release(f.key);
        };
        events.trouble = [this](const Error& error) { trouble.push_back(error); };
        events.activated = [this](const Activation& one) { activated.push_back(one); };
        auto made = std::make_unique<DataPort>(loop, net, sid, 1, events);
        if (!made->listen(endpoint).ok()) qFatal("cannot listen");
        return made;
    }
    void begin(MeshPort& gateway, const std::string& name, std::uint16_t id) {
        const auto endpoint = gateway.listen("mem://" + name);
        mesh::RelayConfig config;
        config.self = RoutingId(id);
        config.role = DeviceRole::gateway;
        gateway.start(config);
        const MicId mic("mic-" + std::to_string(id));
        rows.push_back({RoutingId(id), name, DeviceRole::gateway, mic, endpoint.value(), "", true, 0});
    }
    void send(std::int64_t step, std::size_t bytes = 3 << 20) {
        frame::TensorFrame f;
        f.key = {task, 1, frame::FrameKind::activation, 5, step, 0};
        f.tensor = graph::HostTensor::of(graph::DType::uint8, {static_cast<std::int64_t>(bytes)},
                                         std::vector<std::uint8_t>(bytes, 1));
        if (!a->send(destination, std::move(f)).ok()) qFatal("cannot send");
    }
};

}  // namespace

/// Tests that the first data of a flow contains the receiver's lease, through real gateways.
class LinkActivationTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void first_data_activates_the_receiver_once();
    void data_with_another_lease_is_refused_until_corrected();
    void data_without_a_lease_passes_as_usual();
};

void LinkActivationTest::first_data_activates_the_receiver_once() {
    Mesh mesh;
    mesh.first.set_leases({{frame::flow_id(destination), granted}});
    for (int step = 1; step <= 3; ++step) mesh.send(step);  // several chunks each
    mesh.loop.run_for(2s);
    QCOMPARE(mesh.steps, (std::vector<std::int64_t>{1, 2, 3}));
    QCOMPARE(mesh.activated.size(), std::size_t(1));
    QVERIFY(mesh.activated[0].agrees_with(granted));
    QCOMPARE(mesh.activated[0].by, RoutingId(1));
    QCOMPARE(mesh.b->counters().refused, std::uint64_t(0));
}

void LinkActivationTest::data_with_another_lease_is_refused_until_corrected() {
    Mesh mesh;
    Activation old = granted;
    old.lease = 6;
    mesh.first.set_leases({{frame::flow_id(destination), old}});
    mesh.send(1);
    mesh.loop.run_for(500ms);
    QVERIFY(mesh.steps.empty() && mesh.activated.empty());
    QVERIFY(mesh.b->counters().refused >= 3);  // each chunk of the tensor is refused
    QVERIFY(mesh.trouble.back().message().find("lease 6") != std::string::npos);
    QVERIFY(mesh.trouble.back().message().find("lease 7") != std::string::npos);
    mesh.first.set_leases({{frame::flow_id(destination), granted}});
    mesh.loop.run_for(30s);  // the sender asks and resends
    QCOMPARE(mesh.steps, std::vector<std::int64_t>{1});
    QCOMPARE(mesh.activated.size(), std::size_t(1));
}

void LinkActivationTest::data_without_a_lease_passes_as_usual() {
    Mesh mesh;
    mesh.send(1);
    mesh.loop.run_for(2s);
    QCOMPARE(mesh.steps, std::vector<std::int64_t>{1});
    QVERIFY(mesh.activated.empty());
}

DIVISI_TEST(LinkActivationTest)

}  // namespace activation_test

#include "activation_test.moc"
