// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/keeping/stored_output.h"

#include <QFile>
#include <QTemporaryDir>

#include <algorithm>
#include <map>
#include <numeric>

#include "agents/instance/keeping/files.h"
#include "backend/control/protocol/instance_messages.h"
#include "backend/onnx/skeleton.h"
#include "backend/store/tensor_file.h"
#include "tests/unit/instance/compiled_plan.h"
#include "tests/unit/instance/fake_executor.h"

namespace stored_output_test {

using namespace divisi;
using namespace divisi::instance;
using testing::FakeExecutor;
using testing::small_plan;

namespace {

/// The empty folder of an instance, and the path of its node's blob store.
struct Folders {
    QTemporaryDir root;
    std::filesystem::path own = root.filePath("instance").toStdString(), blobs = root.filePath("blobs").toStdString();

    Folders() { std::filesystem::create_directory(own); }
    bool is_empty() const { return std::filesystem::is_empty(own); }
};

std::string name_of(const task::CompiledPlan& compiled, std::int32_t initializer) {
    const graph::Graph& graph = compiled.graph();
    const graph::ValueIndex value = graph.initializers.at(static_cast<std::size_t>(initializer)).value;
    return graph.values.at(static_cast<std::size_t>(value)).name;
}

/// A plan with one weight in a weights file. The elements of the weight are 0, 1, 2 and so on.
struct Placed {
    Folders folders;
    std::filesystem::path file = folders.own / "weights";
    std::shared_ptr<task::CompiledPlan> compiled = std::make_shared<task::CompiledPlan>(*small_plan());
    std::size_t number = 0;
    control::Deploy deploy;

    Placed() {
        auto training = std::make_shared<plan::TrainingGraph>(*compiled->training);
        auto& initializers = training->graph.initializers;
        const auto weight = std::ranges::find_if(initializers, &graph::Initializer::trainable);
        number = static_cast<std::size_t>(weight - initializers.begin());
        const graph::Value& value = training->graph.values.at(static_cast<std::size_t>(weight->value));
        std::vector<std::int64_t> dims;
        for (const graph::Dim& dim : *value.shape) dims.push_back(dim.size);
        std::vector<float> elements(static_cast<std::size_t>(*graph::element_count(value)));
        std::iota(elements.begin(), elements.end(), 0.0F);
        weight->random.reset();
        weight->data = graph::HostTensor::of<float>(graph::DType::float32, dims, elements);
        training->graph = divisi::onnx::place_weights(training->graph, file).value();
        compiled->training = training;
        deploy.files = {{"weights", file.string()}};
    }
    Result<graph::HostTensor> read() const {
        return weight_reader(compiled, deploy, folders.blobs)(compiled->graph().initializers.at(number));
    }
};

}  // namespace

/// Tests the files that an instance stores at its end, and the reader of its weights.
class StoredOutputTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void weights_become_a_blob_under_their_names();
    void stage_without_weights_names_only_the_step();
    void unreadable_weight_stores_nothing();
    void results_become_a_blob();
    void stage_without_results_stores_nothing();
    void weights_file_of_the_task_is_read();
    void uploaded_weights_file_is_read_from_the_blob_store();
    void weights_file_is_needed_only_when_a_weight_is_read();
};

void StoredOutputTest::weights_become_a_blob_under_their_names() {
    const Folders folders;
    const auto compiled = small_plan();
    std::vector<std::string> calls;
    FakeExecutor executor(calls);
    executor.held = {1, 2};
    const auto stored = store_weights(*compiled, &executor, folders.own, folders.blobs);
    QVERIFY(stored);
    QCOMPARE(stored->step, std::int64_t{6});
    QVERIFY(!stored->results && !stored->hash.empty());
    QCOMPARE(stored->path, (folders.blobs / stored->hash).string());
    QCOMPARE(stored->size, static_cast<Bytes>(std::filesystem::file_size(stored->path)));
    QVERIFY(folders.is_empty());  // the instance keeps no copy, so the node may delete the blob
    const auto tensors = store::read_tensors(stored->path);
    QVERIFY(tensors);
    std::map<std::string, double> values;
    for (const store::NamedTensor& one : *tensors) values[one.name] = one.tensor.number_at(0);
    QVERIFY(values == (std::map<std::string, double>{{name_of(*compiled, 1), 1}, {name_of(*compiled, 2), 2}}));
}

void StoredOutputTest::stage_without_weights_names_only_the_step() {
    const Folders folders;
    const auto stored = store_weights(*small_plan(), nullptr, folders.own, folders.blobs);
    QVERIFY(stored);
    QCOMPARE(stored->step, std::int64_t{6});
    QVERIFY(stored->hash.empty() && stored->path.empty() && stored->size == 0 && !stored->results);
    QVERIFY(folders.is_empty() && !std::filesystem::exists(folders.blobs));
}

void StoredOutputTest::unreadable_weight_stores_nothing() {
    const Folders folders;
    std::vector<std::string> calls;
    FakeExecutor executor(calls);
    executor.held = {1};
    executor.unreadable = Error{ErrorCode::unavailable, "the device is lost", "cuda:0", ""};
    const auto stored = store_weights(*small_plan(), &executor, folders.own, folders.blobs);
    QVERIFY(!stored);
    QVERIFY(stored.error().code == ErrorCode::unavailable);
    QVERIFY(folders.is_empty() && !std::filesystem::exists(folders.blobs));
}

void StoredOutputTest::results_become_a_blob() {
    const Folders folders;
    const QByteArray rows("sample,prediction\r\n0,2\r\n");
    QFile file(QString::fromStdString((folders.own / results_name).string()));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(rows) == rows.size());
    file.close();
    const auto stored = store_results(3, folders.own, folders.blobs);
    QVERIFY(stored);
    QCOMPARE(stored->step, std::int64_t{3});
    QCOMPARE(stored->size, static_cast<Bytes>(rows.size()));
    QVERIFY(stored->results && !stored->hash.empty());
    QCOMPARE(stored->path, (folders.blobs / stored->hash).string());
    QVERIFY(folders.is_empty());
    QFile blob(QString::fromStdString(stored->path));
    QVERIFY(blob.open(QIODevice::ReadOnly));
    QCOMPARE(blob.readAll(), rows);
}

void StoredOutputTest::stage_without_results_stores_nothing() {
    const Folders folders;
    const auto stored = store_results(std::nullopt, folders.own, folders.blobs);
    QVERIFY(stored);
    QVERIFY(!stored->results && stored->step == 0 && stored->hash.empty() && stored->path.empty());
    QVERIFY(!std::filesystem::exists(folders.blobs));
}

void StoredOutputTest::weights_file_of_the_task_is_read() {
    const Placed placed;
    const auto weight = placed.read();
    QVERIFY(weight);
    QVERIFY(weight->element_count() > 1);
    for (std::int64_t i = 0; i < weight->element_count(); ++i) QCOMPARE(weight->number_at(i), static_cast<double>(i));
}

void StoredOutputTest::uploaded_weights_file_is_read_from_the_blob_store() {
    Placed placed;
    const auto kept = keep_as_blob(placed.file, placed.folders.blobs);
    QVERIFY(kept);
    placed.deploy.files = {{"weights", "/at/the/client/weights", kept->hash}};
    const auto weight = placed.read();
    QVERIFY(weight);
    QCOMPARE(weight->number_at(1), 1.0);
}

void StoredOutputTest::weights_file_is_needed_only_when_a_weight_is_read() {
    Placed placed;
    const auto kept = keep_as_blob(placed.file, placed.folders.blobs);
    QVERIFY(kept);
    std::filesystem::remove(kept->path);
    placed.deploy.files = {{"weights", "/at/the/client/weights", kept->hash}};
    const segment::WeightReader reader = weight_reader(placed.compiled, placed.deploy, placed.folders.blobs);
    const auto weight = reader(placed.compiled->graph().initializers.at(placed.number));
    QVERIFY(!weight);
    QVERIFY(weight.error().code == ErrorCode::not_found);
}

DIVISI_TEST(StoredOutputTest)

}  // namespace stored_output_test

#include "stored_output_test.moc"
