// SPDX-License-Identifier: Apache-2.0
#include "agents/node/blob_courier.h"
#include "backend/control/protocol/message.h"

#include <QTemporaryDir>

#include "backend/link/memory_transport.h"
#include "backend/store/tensor_file.h"
#include "tests/support/test_program.h"

namespace blob_courier_test {

using namespace divisi;
using namespace divisi::node;

namespace {

const std::string there = "mem://there";

store::NamedTensor tensor(const std::string& name, float value) {
    return {name, graph::HostTensor::of<float>(graph::DType::float32, {1}, {value})};
}

/// A node that fetches blobs, and another that has them.
struct Nodes {
    const QTemporaryDir folder;
    link::SimLoop loop;
    link::MemoryTransport net{loop};
    store::BlobStore source_store = open("source"), sink_store = open("sink");
    BlobService source{source_store, loop}, sink{sink_store, loop};
    link::BlobServer server{net, source};
    std::vector<control::BlobFetched> fetched;
    BlobCourier courier{loop,
                        net,
                        sink,
                        {"mic-1/sink", "", true},
                        [this](const control::Message& message) {
                            if (const auto* said = get_if<control::BlobFetched>(&message)) fetched.push_back(*said);
                        },
                        [](const Error&) {}};

    Nodes() {
        if (!server.listen(there)) qFatal("cannot listen");
    }
    store::BlobStore open(const char* name) const {
        return store::BlobStore::open(folder.filePath(name).toStdString()).value();
    }
    /// Writes a snapshot into the source's store and returns its hash.
    std::string snapshot(const std::vector<store::NamedTensor>& tensors) {
        const std::filesystem::path file = folder.filePath("snapshot").toStdString();
        if (!store::write_tensors(file, tensors)) qFatal("the tensors cannot be written");
        const std::string hash = source_store.adopt(file).value();
        std::filesystem::remove(file);
        return hash;
    }
    void fetch(std::uint64_t transfer, const std::string& hash) { courier.fetch({transfer, hash, there, "", {"w"}}); }
};

}  // namespace

/// Tests the blob transfers of a node that was told to fetch blobs.
class BlobCourierTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void part_is_kept_only_with_its_snapshot();
    void two_transfers_may_fetch_the_same_part();
};

void BlobCourierTest::part_is_kept_only_with_its_snapshot() {
    Nodes nodes;
    const std::string whole = nodes.snapshot({tensor("w", 1), tensor("a", 2)});
    nodes.fetch(1, whole);
    nodes.loop.run_for(std::chrono::seconds(5));
    QCOMPARE(nodes.fetched.size(), std::size_t{1});
    QVERIFY(!nodes.fetched[0].error);
    const auto parts = nodes.sink_store.parts_of(whole);
    QCOMPARE(parts.size(), std::size_t{1});
    QVERIFY(!nodes.sink_store.has(parts[0].hash) && !nodes.sink_store.has(whole));
}

/// Two stages share weights, and the rest of both snapshots is not needed.
void BlobCourierTest::two_transfers_may_fetch_the_same_part() {
    Nodes nodes;
    const std::string one = nodes.snapshot({tensor("w", 1), tensor("a", 2)}),
                      two = nodes.snapshot({tensor("w", 1), tensor("b", 3)});
    nodes.fetch(1, one);
    nodes.fetch(2, two);
    nodes.loop.run_for(std::chrono::seconds(5));
    QCOMPARE(nodes.fetched.size(), std::size_t{2});
    for (const control::BlobFetched& said : nodes.fetched)
        QVERIFY2(!said.error, said.error ? said.error->message().c_str() : "");
    const auto of_one = nodes.sink_store.parts_of(one), of_two = nodes.sink_store.parts_of(two);
    QVERIFY(of_one.size() == 1 && of_two.size() == 1);
    QCOMPARE(of_one[0].hash, of_two[0].hash);
}

DIVISI_TEST(BlobCourierTest)

}  // namespace blob_courier_test

#include "blob_courier_test.moc"
