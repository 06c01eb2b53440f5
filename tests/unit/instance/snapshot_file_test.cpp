// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/keeping/snapshot_file.h"

#include <QTemporaryDir>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include "backend/store/blob_store.h"
#include "tests/support/test_program.h"

namespace snapshot_file_test {

using namespace divisi;
using namespace divisi::instance;
using graph::DType;
using graph::HostTensor;

namespace {

HostTensor numbers(std::vector<float> values) {
    return HostTensor::of<float>(DType::float32, {static_cast<std::int64_t>(values.size())}, values);
}

/// Returns a graph with trainable weights of these names. Some names look like slots of other weights.
graph::Graph with_weights(const std::vector<std::string>& names) {
    graph::Graph graph;
    for (const std::string& name : names) {
        graph::Initializer initializer;
        initializer.trainable = true;
        (void)graph.add_initializer(name, initializer, DType::float32, {{1, ""}});
    }
    return graph;
}

}  // namespace

/// Writes the state of a stage to a file and reads it back.
class SnapshotFileTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { folder_ = std::make_unique<QTemporaryDir>(); }
    void every_tensor_has_a_unique_name();
    void tensors_of_other_models_are_left_out();
    void snapshot_leaves_one_blob_and_nothing_else();
    void tensors_of_all_blobs_are_restored();
    void missing_or_damaged_blob_is_named();
    void fetched_parts_replace_a_missing_blob();
    void damaged_part_is_refused();
    void disk_error_leaves_nothing();

private:
    std::filesystem::path at(const std::string& name) const { return folder_->filePath(name.c_str()).toStdString(); }
    Snapshots::Written written(const Snapshots::Tensors& tensors) const {
        auto result = write_snapshot(at("snapshot-5.sqlite"), at("blobs"), tensors);
        if (!result) qFatal("%s", result.error().message().c_str());
        return *result;
    }
    std::unique_ptr<QTemporaryDir> folder_;
};

void SnapshotFileTest::every_tensor_has_a_unique_name() {
    const graph::Graph graph = with_weights({"w", "w#momentum", "w#", "#w", "w##momentum"});
    std::vector<segment::StateTensor> state;
    for (std::int32_t initializer = 0; initializer < 5; ++initializer)
        for (const char* slot : {"", "momentum"})
            state.push_back({initializer, slot, numbers({static_cast<float>(state.size())})});
    const Snapshots::Tensors tensors = named_state(graph, state);
    QCOMPARE(tensors[0].name, std::string("w"));
    QCOMPARE(tensors[1].name, std::string("w#momentum"));
    std::set<std::string> names;
    for (const auto& one : tensors) names.insert(one.name);
    QCOMPARE(names.size(), state.size());
    const auto back = state_of(graph, tensors);
    QCOMPARE(back.size(), state.size());
    for (std::size_t i = 0; i < state.size(); ++i) {
        QCOMPARE(back[i].initializer, state[i].initializer);
        QCOMPARE(back[i].slot, state[i].slot);
        QCOMPARE(back[i].tensor.number_at(0), static_cast<double>(i));
    }
}

void SnapshotFileTest::tensors_of_other_models_are_left_out() {
    const auto state = state_of(with_weights({"a", "b"}),
                                {{"b#momentum", numbers({1})}, {"c", numbers({2})}, {"c#momentum", numbers({3})}});
    QCOMPARE(state.size(), std::size_t{1});
    QCOMPARE(state[0].initializer, 1);
    QCOMPARE(state[0].slot, std::string("momentum"));
}

void SnapshotFileTest::snapshot_leaves_one_blob_and_nothing_else() {
    const auto snapshot = written({{"w", numbers({1, 2})}});
    const auto blobs = store::BlobStore::open(at("blobs")).value();
    QCOMPARE(static_cast<Bytes>(std::filesystem::file_size(blobs.path_of(snapshot.hash).value())), snapshot.size);
    const std::filesystem::directory_iterator here(at("")), end;
    QCOMPARE(std::distance(here, end), std::ptrdiff_t{1});  // only the blobs' folder
    QVERIFY(blobs.has(written({}).hash));                   // the snapshot of a stage without any state
}

void SnapshotFileTest::tensors_of_all_blobs_are_restored() {
    HostTensor turned = HostTensor::of<float>(DType::float32, {2, 3}, {1, 2, 3, 4, 5, 6});
    turned.strides = {1, 2};
    const auto first = written({{"w", numbers({1, 2})}, {"w#momentum", turned}});
    const auto none = written({});
    const auto second = written({{"v", numbers({3})}});
    const auto read = read_snapshots(at("blobs"), {5, {first.hash, none.hash, second.hash}});
    QVERIFY2(read.ok(), read.ok() ? "" : read.error().message().c_str());
    QCOMPARE(read->size(), std::size_t{3});
    QCOMPARE(read->at(0).name, std::string("w"));
    QCOMPARE(read->at(1).tensor.strides, turned.strides);
    QVERIFY(std::ranges::equal(read->at(1).tensor.bytes(), turned.bytes()));
    QCOMPARE(read->at(2).tensor.number_at(0), 3.0);
}

void SnapshotFileTest::missing_or_damaged_blob_is_named() {
    const auto whole = written({{"w", numbers({1, 2})}});
    const auto damaged = written({{"w", numbers({3, 4})}});
    const auto absent = read_snapshots(at("blobs"), {5, {whole.hash, std::string(64, 'a')}});
    QCOMPARE(absent.error().code, ErrorCode::not_found);
    QVERIFY(absent.error().message().find(std::string(64, 'a')) != std::string::npos);
    QVERIFY(absent.error().message().find("step 5") != std::string::npos);
    {
        std::fstream file(store::BlobStore::open(at("blobs")).value().path_of(damaged.hash).value(),
                          std::ios::in | std::ios::out | std::ios::binary);
        file.seekg(-1, std::ios::end);
        const char bit = static_cast<char>(file.get() ^ 1);
        file.seekp(-1, std::ios::end);
        file.put(bit);
    }
    const auto corrupt = read_snapshots(at("blobs"), {5, {whole.hash, damaged.hash}});
    QCOMPARE(corrupt.error().code, ErrorCode::corrupt);
    QVERIFY(corrupt.error().message().find(damaged.hash) != std::string::npos);
}

void SnapshotFileTest::fetched_parts_replace_a_missing_blob() {
    const std::string elsewhere(64, 'e');
    const auto here = written({{"u", numbers({1})}});
    const auto first = written({{"v", numbers({2})}, {"v#momentum", numbers({3})}}),
               second = written({{"w", numbers({4})}});
    auto blobs = store::BlobStore::open(at("blobs")).value();
    for (const std::string& part : {first.hash, second.hash}) {
        QVERIFY(blobs.keep_part(elsewhere, part).ok());
        QVERIFY(blobs.remove(part).ok());
    }
    const auto read = read_snapshots(at("blobs"), {5, {here.hash, elsewhere}});
    QVERIFY2(read.ok(), read.ok() ? "" : read.error().message().c_str());
    std::map<std::string, double> found;
    for (const auto& one : *read) found[one.name] = one.tensor.number_at(0);
    QCOMPARE(found, (std::map<std::string, double>{{"u", 1}, {"v", 2}, {"v#momentum", 3}, {"w", 4}}));
}

void SnapshotFileTest::damaged_part_is_refused() {
    const std::string elsewhere(64, 'e');
    const auto part = written({{"v", numbers({2})}});
    auto blobs = store::BlobStore::open(at("blobs")).value();
    QVERIFY(blobs.keep_part(elsewhere, part.hash).ok());
    QVERIFY(read_snapshots(at("blobs"), {5, {elsewhere}}).ok());
    std::ofstream(blobs.parts_of(elsewhere).at(0).path, std::ios::app) << "more";
    const auto corrupt = read_snapshots(at("blobs"), {5, {elsewhere}});
    QCOMPARE(corrupt.error().code, ErrorCode::corrupt);
    QVERIFY(corrupt.error().message().find(elsewhere) != std::string::npos);
}

void SnapshotFileTest::disk_error_leaves_nothing() {
    std::ofstream(at("blobs")) << "no folder";
    QVERIFY(!write_snapshot(at("snapshot-5.sqlite"), at("blobs"), {{"w", numbers({1})}}).ok());
    const std::filesystem::directory_iterator here(at("")), end;
    QCOMPARE(std::distance(here, end), std::ptrdiff_t{1});
}

DIVISI_TEST(SnapshotFileTest)

}  // namespace snapshot_file_test

#include "snapshot_file_test.moc"
