// SPDX-License-Identifier: Apache-2.0
#include "backend/orchestrator/plan_task.h"

#include <QFile>
#include <QTemporaryDir>
#include <functional>

#include "backend/onnx/export.h"
#include "backend/onnx/skeleton.h"
#include "backend/submit/placement.h"
#include "backend/task/model_source.h"
#include "backend/task/parse.h"
#include "backend/task/predict_step.h"
#include "tests/support/task_file.h"
#include "tests/support/test_program.h"

namespace segmenter_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::orchestrator;

namespace {

/// Returns a task without data, which a segmentation does not need.
testing::TaskFile zoo_task() { return testing::TaskFile().drop_section("data").set("train.microbatches", 4); }

/// Returns a task for a model that is sent with it.
testing::TaskFile training() { return zoo_task().drop_section("model"); }

/// Returns a task whose model is a file of the client.
testing::TaskFile file_task() { return zoo_task().replace("model", {{"onnx", "m.onnx"}}).drop_section("train"); }

/// Returns two nodes on two machines.
ClusterState two_nodes() {
    ClusterState state;
    state.name = "lab";
    for (const char* name : {"m/a", "m/b"}) {
        NodeView& node = state.nodes[NodeId(name)];
        node.info = {
            NodeId(name), MicId("m"), std::string("host of ") + name, "f", {{"cpu", "Xeon", 2, Bytes{1} << 33}}, "",
            "",           1};
        node.state = NodeState::ready;
    }
    return state;
}

Segmentation asked(const testing::TaskFile& file) {
    Segmentation asked;
    asked.request.split.stages = 2;
    asked.request.split.method = "optimal";
    asked.request.text = file.text();
    asked.nodes = two_nodes();
    return asked;
}

Segmentation asked_of_the_zoo() { return asked(zoo_task()); }

}  // namespace

class SegmenterTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void plans_like_a_client();
    void skeleton_is_sufficient();
    void onnx_model_is_accepted();
    void refuses_what_a_submission_refuses_data();
    void refuses_what_a_submission_refuses();
    void long_search_can_be_stopped();

private:
    Result<ModelSegmented> segment(const Segmentation& asked, const search::StopSearch& stop = {}) const {
        return segment_model(asked, folder_.path().toStdString(), stop);
    }
    QTemporaryDir folder_;
};

/// Expects the same numbers as from the library with the same nodes.
void SegmenterTest::plans_like_a_client() {
    const auto answer = segment(asked_of_the_zoo());
    QVERIFY2(answer.ok(), answer.ok() ? "" : answer.error().message().c_str());
    const testing::TaskFile file = testing::TaskFile()
                                       .set("data.samples", 1'000'000)
                                       .set("train.microbatches", 4)
                                       .section("split", {{"stages", 2}, {"method", "optimal"}});
    const auto spec = task::parse_task(file.text(), "t").value();
    const auto model = task::load_model(spec, {}).value();
    task::CompileOptions options;
    options.devices = submit::placement_of(two_nodes(), spec.place, folder_.path().toStdString());
    const auto compiled = task::compile(spec, model, options).value();
    const auto expected = task::price_plan(compiled, model, options.devices).value();
    QCOMPARE(answer->version, search::segmentation_version);
    QCOMPARE(answer->cluster, std::string("lab"));
    QCOMPARE(answer->plan.hash, expected.hash);
    QCOMPARE(answer->plan.predicted_step_ms, expected.predicted_step_ms);
    QCOMPARE(answer->plan.objective_ms, expected.objective_ms);
    QCOMPARE(answer->plan.lower_bound_ms, expected.lower_bound_ms);
    QVERIFY(answer->plan.stages[0].prediction.device.starts_with("m/a"));
    QVERIFY(answer->plan.stages[1].prediction.device.starts_with("m/b"));
    QVERIFY(answer->plan.stages[1].prediction.capacity.has_value());
    QVERIFY(answer->time_ms > 0);
}

void SegmenterTest::skeleton_is_sufficient() {
    const auto zoo = asked_of_the_zoo();
    const auto spec = task::parse_task(zoo.request.text, "t", zoo.request.split, false).value();
    Segmentation sent = asked(training());
    sent.request.skeleton = onnx::encode_skeleton(task::load_model(spec, {}).value()).value();
    const auto answer = segment(sent);
    QVERIFY2(answer.ok(), answer.ok() ? "" : answer.error().message().c_str());
    QCOMPARE(answer->plan.cuts, segment(zoo)->plan.cuts);
    sent.request.skeleton.resize(sent.request.skeleton.size() / 2);
    const auto damaged = segment(sent);
    QVERIFY(!damaged.ok());
    QVERIFY2(damaged.error().message().find("the model of the message") != std::string::npos,
             damaged.error().message().c_str());
}

/// The model includes its weights, like that of any exporter.
void SegmenterTest::onnx_model_is_accepted() {
    const auto zoo = asked_of_the_zoo();
    const auto spec = task::parse_task(zoo.request.text, "t", zoo.request.split, false).value();
    const auto model = task::load_model(spec, {}).value();
    onnx::ExportOptions options;
    options.weights = [&](std::size_t index) -> Result<graph::HostTensor> {
        const graph::Initializer& initializer = model.initializers[index];
        if (initializer.data) return *initializer.data;
        graph::HostTensor tensor;
        const graph::Value& value = model.values[static_cast<std::size_t>(initializer.value)];
        tensor.dtype = value.dtype;
        for (const graph::Dim& dim : *value.shape) tensor.dims.push_back(dim.size);
        tensor.size_bytes = graph::size_bytes(value).value();
        const auto zeros = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(tensor.size_bytes));
        tensor.data = zeros->data();
        tensor.owner = zeros;
        return tensor;
    };
    const QString path = folder_.filePath("m.onnx");
    QVERIFY(onnx::export_model(model, path.toStdString(), options).ok());
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    Segmentation sent = asked(training());
    sent.request.skeleton = file.readAll().toStdString();
    const auto answer = segment(sent);
    QVERIFY2(answer.ok(), answer.ok() ? "" : answer.error().message().c_str());
    const auto expected = segment(zoo);
    QCOMPARE(answer->plan.cuts, expected->plan.cuts);
    QCOMPARE(answer->plan.predicted_step_ms, expected->plan.predicted_step_ms);  // its weights are trainable
}

void SegmenterTest::refuses_what_a_submission_refuses_data() {
    QTest::addColumn<std::function<void(Segmentation&)>>("spoil");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, std::function<void(Segmentation&)> spoil, const char* says) {
        QTest::newRow(name) << std::move(spoil) << QString(says);
    };
    using S = Segmentation;
    row(
        "no model", [](S& s) { s.request.text = training().text(); }, "model.zoo is missing");
    row(
        "no text", [](S& s) { s.request.text = "[model"; }, "the text of the message:1");
    row(
        "a key", [](S& s) { s.request.text = zoo_task().set("train.bach", 4).text(); }, "did you mean 'batch'?");
    row(
        "a file that stayed away", [](S& s) { s.request.text = file_task().text(); }, "did not come");
    row(
        "no ONNX", [](S& s) { s.request.skeleton = "garbage", s.request.text = training().text(); },
        "the model of the message");
    row(
        "stages", [](S& s) { s.request.split.stages = 200; }, "split.stages");
    row(
        "cuts", [](S& s) { s.request.split.stages = 0, s.request.split.cuts = {"/none"}; }, "split.cuts");
    row(
        "secure nodes", [](S& s) { s.request.split.sensitive = {"/layers/0/*"}; }, "secure");
    row(
        "no node", [](S& s) { s.nodes.nodes.clear(); }, "cluster lab: no node is ready");
    row(
        "lost nodes",
        [](S& s) {
            for (auto& [id, node] : s.nodes.nodes) node.state = NodeState::lost;
        },
        "no node is ready");
    row(
        "another node",
        [](S& s) {
            s.request.text = zoo_task().set("place.stages", {"m/a", "m/c"}).text();
        },
        "no node of the cluster is called 'm/c'");
}

void SegmenterTest::refuses_what_a_submission_refuses() {
    QFETCH(std::function<void(Segmentation&)>, spoil);
    QFETCH(QString, says);
    Segmentation wrong = asked_of_the_zoo();
    QVERIFY(segment(wrong).ok());
    spoil(wrong);
    const auto answer = segment(wrong);
    QVERIFY(!answer.ok());
    const QString message = QString::fromStdString(answer.error().message());
    QVERIFY2(message.contains(says), qPrintable(message));
}

void SegmenterTest::long_search_can_be_stopped() {
    Segmentation search = asked_of_the_zoo();
    search.request.split.method = "tabu";
    search.request.split.tabu_iterations = 1'000'000;
    search.request.split.stages = 3;
    int left = 100;
    const auto answer = segment(search, [&] { return --left < 0; });
    QVERIFY(!answer.ok());
    QCOMPARE(answer.error().code, ErrorCode::deadline);
    QCOMPARE(answer.error().where, std::string("split.tabu_iterations"));
    search.request.split.tabu_iterations = 3;
    QVERIFY(segment(search, [] { return false; }).ok());
}

DIVISI_TEST(SegmenterTest)

}  // namespace segmenter_test

#include "segmenter_test.moc"
