// SPDX-License-Identifier: Apache-2.0
#include "backend/link/flow_transport.h"

#include <algorithm>

#include "backend/link/blob_client.h"
#include "backend/link/blob_server.h"
#include "backend/link/memory_transport.h"
#include "backend/link/mesh_port.h"
#include "tests/support/test_program.h"

namespace flow_transport_test {

using namespace divisi;
using namespace divisi::link;
using namespace std::chrono_literals;
using mesh::DeviceRole, mesh::RoutingId;

namespace {

const Sid source("blobs/7/source"), sink("blobs/7/sink");
const std::string hash(64, 'a');
constexpr std::uint32_t pieces = 24;

std::string piece(std::uint32_t index) {
    std::string bytes(index + 1 == pieces ? 10 : blob_chunk_bytes, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7 + index);
    return bytes;
}

/// The blob store of the source.
struct Store final : BlobPort {
    Result<BlobManifest> describe(const std::string& wanted) override {
        if (wanted != hash) return Error{ErrorCode::not_found, "no such blob", "the source", "bring it there"};
        return BlobManifest{hash, (pieces - 1) * blob_chunk_bytes + 10, std::vector<std::uint32_t>(pieces, 7)};
    }
    Result<std::vector<std::uint32_t>> begin(const BlobManifest&) override { return std::vector<std::uint32_t>(); }
    Result<void> put(const std::string&, std::uint32_t, std::span<const std::byte>) override { return {}; }
    Result<void> finish(const std::string&) override { return {}; }
    Result<std::string> get(const std::string&, std::uint32_t index) override {
        ++read[index];
        return piece(index);
    }
    std::map<std::uint32_t, int> read;
};

/// A fixture with two nodes in two MICs, with the paths mg-1 - sr-3 - mg-2 and mg-1 - sr-4 - mg-2 between them.
struct Mesh {
    SimLoop loop;
    MemoryTransport net{loop};
    std::map<std::string, std::unique_ptr<MeshPort>> devices;
    std::vector<mesh::Device> rows;
    std::vector<Error> trouble;
    FlowTransport at_source{loop, net, {source, sink, 7}}, at_sink{loop, net, {sink, source, 7}};
    std::string source_endpoint, sink_endpoint;
    Store store;
    BlobServer server{at_source, store};
    std::map<std::uint32_t, std::string> got;
    std::optional<Result<void>> result;
    std::unique_ptr<BlobTransfer> transfer;

    Mesh() {
        start("mg-1", 1, DeviceRole::gateway, "mic-1");
        start("mg-2", 2, DeviceRole::gateway, "mic-2");
        start("sr-3", 3, DeviceRole::router, "");
        start("sr-4", 4, DeviceRole::router, "");
        source_endpoint = at_source.open("mem://source").value();
        sink_endpoint = at_sink.open("mem://sink").value();
        table();
        if (!server.listen("").ok()) qFatal("cannot listen");
        at_source.join({rows[0].endpoint, ""});
        at_sink.join({rows[1].endpoint, ""});
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
        const auto known = std::ranges::find(rows, name, &mesh::Device::name);
        const mesh::Device row{RoutingId(id), name, role, MicId(mic), endpoint.value(), "", true, 0};
        if (known == rows.end()) rows.push_back(row);
        else *known = row;
    }
    void table() {
        mesh::Topology topology;
        std::vector<mesh::Link> links;
        for (const std::uint16_t router : {std::uint16_t{3}, std::uint16_t{4}})
            for (const std::uint16_t gateway : {std::uint16_t{1}, std::uint16_t{2}})
                links.push_back({RoutingId(gateway), RoutingId(router), router == 3 ? 1e-4 : 1e-3, 1e9, 0, true});
        QVERIFY(topology.set(rows, links).ok());
        const TaskId blobs(mesh::blob_root);
        for (auto& [name, device] : devices) {
            MeshPort::Instances instances;
            if (name == "mg-1") instances[frame::flow_id(source)] = {source_endpoint, ""};
            if (name == "mg-2") instances[frame::flow_id(sink)] = {sink_endpoint, ""};
            device->set_table(topology,
                              {{frame::flow_id(source), {blobs, source, RoutingId(1)}},
                               {frame::flow_id(sink), {blobs, sink, RoutingId(2)}}},
                              instances);
        }
    }
    void download(const std::string& wanted = hash) {
        BlobTransfer::Target target;
        target.begin = [](const BlobManifest& manifest) -> Result<std::vector<std::uint32_t>> {
            std::vector<std::uint32_t> missing(manifest.chunks.size());
            for (std::uint32_t i = 0; i < missing.size(); ++i) missing[i] = i;
            return missing;
        };
        target.write = [this](std::uint32_t index, std::span<const std::byte> bytes) -> Result<void> {
            got[index].assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
            return {};
        };
        transfer = BlobTransfer::download(loop, at_sink, {}, wanted, target, {},
                                          [this](Result<void> r) { result = std::move(r); });
    }
    bool whole() const {
        if (got.size() != pieces) return false;
        return std::ranges::all_of(got, [](const auto& one) { return one.second == piece(one.first); });
    }
    std::uint64_t bytes(const std::string& name) { return devices[name]->relay().counters().bytes; }
};

}  // namespace

/// Tests blob transfers from node to node through gateways and routers, over simulated sockets and time.
class FlowTransportTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void blob_crosses_the_mesh_in_its_class();
    void errors_of_the_source_arrive_complete();
    void dead_router_loses_nothing();
    void restarted_gateway_loses_nothing_data();
    void restarted_gateway_loses_nothing();
    void transfer_without_a_path_times_out();
    void other_end_may_open_late();
};

void FlowTransportTest::blob_crosses_the_mesh_in_its_class() {
    Mesh mesh;
    mesh.download();
    mesh.loop.run_for(5s);
    QVERIFY(mesh.result && mesh.result->ok());
    QVERIFY(mesh.whole());
    QVERIFY(mesh.bytes("sr-3") > pieces * blob_chunk_bytes - blob_chunk_bytes);
    QCOMPARE(mesh.bytes("sr-4"), std::uint64_t{0});
    for (const char* name : {"mg-1", "sr-3", "mg-2"}) {
        const auto flows = mesh.devices[name]->relay().flows();
        QCOMPARE(flows.size(), std::size_t{2});
        for (const auto& flow : flows) QCOMPARE(flow.key.flow_class, mesh::FlowClass::blob);
    }
    for (const auto& [index, times] : mesh.store.read) QCOMPARE(times, 1);
    QVERIFY2(mesh.trouble.empty(), mesh.trouble.empty() ? "" : mesh.trouble.front().message().c_str());
}

void FlowTransportTest::errors_of_the_source_arrive_complete() {
    Mesh mesh;
    mesh.download(std::string(64, 'b'));
    mesh.loop.run_for(5s);
    QVERIFY(mesh.result && !mesh.result->ok());
    QCOMPARE(mesh.result->error().message(), std::string("the source: no such blob; bring it there"));
}

void FlowTransportTest::dead_router_loses_nothing() {
    Mesh mesh;
    mesh.download();
    while (mesh.got.size() < 8) mesh.loop.run_for(100us);
    QVERIFY(!mesh.result);
    mesh.devices.erase("sr-3");
    mesh.loop.run_for(20s);
    QVERIFY(mesh.result && mesh.result->ok());
    QVERIFY(mesh.whole());
    QVERIFY(mesh.bytes("sr-4") > 0);
    // lost pieces are resent between devices, not read again
    for (const auto& [index, times] : mesh.store.read) QCOMPARE(times, 1);
}

void FlowTransportTest::restarted_gateway_loses_nothing_data() {
    QTest::addColumn<QString>("gateway");
    QTest::addColumn<int>("id");
    QTest::addRow("the source's") << "mg-1" << 1;
    QTest::addRow("the sink's") << "mg-2" << 2;
}

void FlowTransportTest::restarted_gateway_loses_nothing() {
    QFETCH(QString, gateway);
    QFETCH(int, id);
    const std::string name = gateway.toStdString();
    Mesh mesh;
    mesh.download();
    while (mesh.got.size() < 8) mesh.loop.run_for(100us);
    mesh.devices.erase(name);
    mesh.loop.run_for(1s);
    QVERIFY(!mesh.result);
    mesh.start(name, static_cast<std::uint16_t>(id), DeviceRole::gateway, id == 1 ? "mic-1" : "mic-2");
    mesh.table();
    mesh.loop.run_for(25s);
    QVERIFY(mesh.result && mesh.result->ok());
    QVERIFY(mesh.whole());
}

void FlowTransportTest::transfer_without_a_path_times_out() {
    Mesh mesh;
    mesh.download();
    while (mesh.got.size() < 8) mesh.loop.run_for(100us);
    mesh.devices.erase("mg-2");
    mesh.loop.run_for(20s);
    QVERIFY(!mesh.result);
    mesh.loop.run_for(20s);
    QVERIFY(mesh.result && !mesh.result->ok());
    QCOMPARE(mesh.result->error().code, ErrorCode::unavailable);
}

void FlowTransportTest::other_end_may_open_late() {
    SimLoop loop;
    MemoryTransport net{loop};
    FlowTransport alone(loop, net, {sink, source, 7});
    QVERIFY(alone.open("mem://sink").ok());
    std::optional<Result<void>> result;
    auto transfer =
        BlobTransfer::download(loop, alone, {}, hash, {}, {}, [&](Result<void> r) { result = std::move(r); });
    loop.run_for(60s);  // the other end never appears, and no data is sent
    QVERIFY(result && result->error().code == ErrorCode::unavailable);
}

DIVISI_TEST(FlowTransportTest)

}  // namespace flow_transport_test

#include "flow_transport_test.moc"
