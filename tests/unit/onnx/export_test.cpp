// SPDX-License-Identifier: Apache-2.0
#include "backend/onnx/export.h"

#include <onnx/checker.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>

#include "backend/graph/attention.h"
#include "backend/graph/deploy.h"
#include "backend/graph/zoo.h"
#include "backend/onnx/import.h"
#include "backend/onnx/skeleton.h"
#include "tests/support/test_program.h"
#include "tests/unit/onnx/graph_compare.h"
#include "tests/unit/onnx/model_builder.h"

namespace export_test {

using namespace divisi;
using namespace divisi::onnx;
using namespace divisi::onnx::testing;

namespace {

/// Builds a model with most features of a graph: attributes of every kind, omitted inputs, symbols, a constant of each
/// size class, shared weights.
ModelBuilder varied() {
    ModelBuilder builder;
    builder.input("x", {"batch", "3", "8", "8"}).output("y").output("indices");
    builder.weight("conv.weight", {4, 3, 3, 3});
    builder.weight("mean", {4});
    builder.weight("var", {4});
    builder.weight("scale", {4});
    builder.weight("table", {64, 64});
    builder.weight("low", {}, 0);
    builder.integers("shape", {0, -1});
    auto& conv = builder.node("Conv", {"x", "conv.weight"}, {"c"}, "/conv/Conv");
    auto& pads = *conv.add_attribute();
    pads.set_name("pads");
    pads.set_type(::onnx::AttributeProto::INTS);
    for (int i = 0; i < 4; ++i) pads.add_ints(1);
    auto& norm = builder.node("BatchNormalization", {"c", "scale", "scale", "mean", "var"}, {"n"}, "/norm");
    auto& epsilon = *norm.add_attribute();
    epsilon.set_name("epsilon");
    epsilon.set_type(::onnx::AttributeProto::FLOAT);
    epsilon.set_f(1e-3F);
    builder.node("Clip", {"n", "low", ""}, {"clipped"}, "/clip");
    builder.node("Reshape", {"clipped", "shape"}, {"flat"}, "/flatten");
    builder.node("Relu", {"flat"}, {"y"});
    ModelBuilder::attribute(builder.node("ArgMax", {"flat"}, {"indices"}), "axis", 1);
    return builder;
}

graph::Graph import_varied(graph::Bindings bindings = {}) {
    return import_bytes(as_span(varied().bytes()), "varied.onnx", {.bindings = std::move(bindings)}).value();
}

}  // namespace

class ExportTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        root_ = std::filesystem::path(folder_->path().toStdString());
    }
    void imports_what_it_exported();
    void writes_models_that_onnx_checker_accepts();
    void writes_trained_models_for_any_runtime();
    void writes_current_weights();
    void writes_large_models_with_a_data_file();
    void leaves_no_partial_files();
    void reports_a_full_disk();
    void carries_a_graph_through_a_skeleton();
    void carries_a_fused_attention_through_a_skeleton();
    void keeps_initialization_rules_in_a_skeleton();
    void reads_single_weights_by_offset();
    void refuses_damaged_skeletons();

private:
    std::size_t file_count() const {
        const std::filesystem::directory_iterator files(root_);
        return static_cast<std::size_t>(std::distance(begin(files), end(files)));
    }
    std::unique_ptr<QTemporaryDir> folder_;
    std::filesystem::path root_;
};

void ExportTest::imports_what_it_exported() {
    const graph::Graph graph = import_varied();
    const auto exported = export_model(graph, root_ / "out.onnx");
    QVERIFY2(exported.ok(), exported.ok() ? "" : exported.error().message().c_str());
    const auto again = import_model(root_ / "out.onnx");
    QVERIFY2(again.ok(), again.ok() ? "" : again.error().message().c_str());
    QCOMPARE(differences(graph, *again), std::string());
    QCOMPARE(file_count(), std::size_t{1});
}

void ExportTest::writes_models_that_onnx_checker_accepts() {
    const graph::Graph graph = import_varied({{"batch", 2}});
    QVERIFY(export_model(graph, root_ / "out.onnx").ok());
    try {
        ::onnx::checker::check_model((root_ / "out.onnx").string());
    } catch (const std::exception& error) {
        QFAIL(error.what());
    }
    // A dimension that a task has bound is symbolic again.
    const auto again = import_model(root_ / "out.onnx");
    QVERIFY(again.ok());
    QCOMPARE(again->values[again->outputs[0]].shape->at(0).symbol, std::string("batch"));
    QVERIFY(!again->values[again->outputs[0]].shape->at(0).known());
}

/// zoo:gpt has Gelu of opset 20; zoo:resnet18 has batch normalization in training mode.
void ExportTest::writes_trained_models_for_any_runtime() {
    for (const char* name : {"gpt", "resnet18"}) {
        const auto graph = graph::build_zoo(name, {{"width", 12}}, 2);
        QVERIFY(graph.ok());
        ExportOptions options;
        options.weights = [&](std::size_t index) -> Result<graph::HostTensor> {
            const auto& initializer = graph->initializers[index];
            if (initializer.data) return *initializer.data;
            const auto& value = graph->values[initializer.value];
            std::vector<std::int64_t> dims;
            for (const graph::Dim& dim : *value.shape) dims.push_back(dim.size);
            const std::vector<float> zeros(static_cast<std::size_t>(*graph::element_count(value)));
            return graph::HostTensor::of(graph::DType::float32, std::move(dims), zeros);
        };
        const auto exported = export_model(*graph, root_ / "out.onnx", options);
        QVERIFY2(exported.ok(), exported.ok() ? "" : exported.error().message().c_str());
        try {
            ::onnx::checker::check_model((root_ / "out.onnx").string());
        } catch (const std::exception& error) {
            QFAIL(error.what());
        }
        const auto again = import_model(root_ / "out.onnx");
        QVERIFY2(again.ok(), again.ok() ? "" : again.error().message().c_str());
        QCOMPARE(again->opset, std::int64_t{17});
        for (const auto& node : again->nodes) QVERIFY(!node.attributes.contains("training_mode"));
    }
}

void ExportTest::writes_current_weights() {
    const graph::Graph graph = import_varied();
    ExportOptions options;
    options.weights = [&](std::size_t index) -> Result<graph::HostTensor> {
        auto data = *graph.initializers[index].data;
        if (graph.values[graph.initializers[index].value].name != "scale") return data;
        return graph::HostTensor::of<float>(graph::DType::float32, {4}, {9, 8, 7, 6});
    };
    QVERIFY(export_model(graph, root_ / "out.onnx", options).ok());
    const auto again = import_model(root_ / "out.onnx");
    QVERIFY(again.ok());
    const auto& scale = again->initializers[again->values[again->find_value("scale")].initializer];
    QCOMPARE(scale.data->number_at(3), 6.0);

    options.weights = [](std::size_t) -> Result<graph::HostTensor> {
        return graph::HostTensor::of<float>(graph::DType::float32, {1}, {1});
    };
    const auto wrong = export_model(graph, root_ / "wrong.onnx", options);
    QVERIFY(!wrong.ok());
    QVERIFY(wrong.error().message().find("conv.weight") != std::string::npos);
    QCOMPARE(file_count(), std::size_t{1});
}

void ExportTest::writes_large_models_with_a_data_file() {
    const graph::Graph graph = import_varied();
    ExportOptions options;
    options.inline_limit = 1024;
    for (int round = 0; round < 2; ++round) {
        const auto exported = export_model(graph, root_ / "out.onnx", options);
        QVERIFY2(exported.ok(), exported.ok() ? "" : exported.error().message().c_str());
        const auto again = import_model(root_ / "out.onnx");
        QVERIFY2(again.ok(), again.ok() ? "" : again.error().message().c_str());
        QCOMPARE(differences(graph, *again), std::string());
    }
    QVERIFY(std::filesystem::exists(root_ / "out.onnx.1.data"));
    QVERIFY(std::filesystem::file_size(root_ / "out.onnx") < 4096);
}

void ExportTest::leaves_no_partial_files() {
    graph::Graph graph = import_varied();
    const auto nowhere = export_model(graph, root_ / "absent" / "out.onnx");
    QVERIFY(!nowhere.ok());
    QVERIFY(nowhere.error().message().find("absent") != std::string::npos);
    QVERIFY(!export_model(graph, root_).ok());
    write_file(root_ / "out.onnx", "an older model");
    graph.initializers[0].data.reset();
    const auto missing = export_model(graph, root_ / "out.onnx");
    QVERIFY(!missing.ok());
    QVERIFY(missing.error().message().find("has no data") != std::string::npos);
    QCOMPARE(std::filesystem::file_size(root_ / "out.onnx"), std::uintmax_t{14});
    QCOMPARE(file_count(), std::size_t{1});
}

void ExportTest::reports_a_full_disk() {
    // A file size limit simulates the full disk: both make a write fail.
    write_file(root_ / "out.onnx", "an older model");
    const graph::Graph graph = import_varied();
    const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit old_limit{};
    ::getrlimit(RLIMIT_FSIZE, &old_limit);
    const rlimit small{8192, old_limit.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    const auto model = export_model(graph, root_ / "out.onnx");
    const auto data = export_model(graph, root_ / "out.onnx", {.inline_limit = 0});
    const auto weights = place_weights(graph, root_ / "weights");
    ::setrlimit(RLIMIT_FSIZE, &old_limit);
    std::signal(SIGXFSZ, old_handler);
    QVERIFY(!model.ok() && !data.ok() && !weights.ok());
    QVERIFY(model.error().code == ErrorCode::exhausted);
    QVERIFY(model.error().message().find("out.onnx") != std::string::npos);
    QVERIFY(data.error().code == ErrorCode::exhausted);
    QVERIFY(weights.error().code == ErrorCode::exhausted);
    QCOMPARE(std::filesystem::file_size(root_ / "out.onnx"), std::uintmax_t{14});
    QCOMPARE(file_count(), std::size_t{1});
}

void ExportTest::carries_a_graph_through_a_skeleton() {
    const graph::Graph graph = import_varied({{"batch", 2}});
    const auto placed = place_weights(graph, root_ / "weights");
    QVERIFY2(placed.ok(), placed.ok() ? "" : placed.error().message().c_str());
    const auto bytes = encode_skeleton(*placed);
    QVERIFY2(bytes.ok(), bytes.ok() ? "" : bytes.error().message().c_str());
    QVERIFY(bytes->size() < 4096);
    const auto loaded = load_skeleton(as_span(*bytes), "skeleton");
    QVERIFY2(loaded.ok(), loaded.ok() ? "" : loaded.error().message().c_str());
    QCOMPARE(differences(*placed, *loaded), std::string());
    const auto& batch = loaded->values[loaded->inputs[0]].shape->at(0);
    QCOMPARE(batch.symbol, std::string("batch"));
    QCOMPARE(batch.size, std::int64_t{2});
    for (std::size_t i = 0; i < loaded->initializers.size(); ++i) {
        const auto& initializer = loaded->initializers[i];
        QVERIFY(initializer.data.has_value() != initializer.offset.has_value());
        QVERIFY(initializer.offset.has_value() || !initializer.trainable);
        if (initializer.offset) QCOMPARE(*initializer.offset % weights_alignment, std::int64_t{0});
        auto data = initializer.data ? *initializer.data : read_weight(*loaded, i, root_ / "weights").value();
        QVERIFY(std::ranges::equal(data.bytes(), graph.initializers[i].data->bytes()));
    }
}

void ExportTest::carries_a_fused_attention_through_a_skeleton() {
    const auto gpt = graph::build_zoo("gpt", {{"layers", 2}}, 2);
    QVERIFY(gpt.ok());
    const auto attentions = [](const graph::Graph& model) {
        return std::count_if(model.nodes.begin(), model.nodes.end(), graph::is_attention);
    };
    QCOMPARE(attentions(*gpt), 2);
    const auto placed = place_weights(*gpt, root_ / "weights");
    QVERIFY(placed.ok());
    const auto bytes = encode_skeleton(*placed);
    QVERIFY2(bytes.ok(), bytes.ok() ? "" : bytes.error().message().c_str());
    const auto loaded = load_skeleton(as_span(*bytes), "skeleton");
    QVERIFY2(loaded.ok(), loaded.ok() ? "" : loaded.error().message().c_str());
    QCOMPARE(attentions(*loaded), 2);
    QVERIFY(graph::deployable(*gpt).other_opsets.empty());  // no other program supports the opset "divisi"
}

void ExportTest::keeps_initialization_rules_in_a_skeleton() {
    graph::Graph graph = import_varied();
    for (auto& initializer : graph.initializers) {
        if (!initializer.trainable) continue;
        initializer.data.reset();
        initializer.random = graph::RandomInit{graph::RandomInit::Kind::normal, 0.02};
    }
    const auto placed = place_weights(graph, root_ / "weights");
    QVERIFY(placed.ok());
    const auto loaded = load_skeleton(as_span(encode_skeleton(*placed).value()), "skeleton");
    QVERIFY2(loaded.ok(), loaded.ok() ? "" : loaded.error().message().c_str());
    QCOMPARE(differences(*placed, *loaded), std::string());
    QCOMPARE(loaded->initializers[0].random->scale, 0.02);
}

void ExportTest::reads_single_weights_by_offset() {
    const auto placed = place_weights(import_varied(), root_ / "weights");
    QVERIFY(placed.ok());
    const auto index = static_cast<std::size_t>(placed->values[placed->find_value("table")].initializer);
    const auto weight = read_weight(*placed, index, root_ / "weights");
    QVERIFY2(weight.ok(), weight.ok() ? "" : weight.error().message().c_str());
    QCOMPARE(weight->number_at(4095), 4095.5);
    std::filesystem::resize_file(root_ / "weights", 100);
    const auto truncated = read_weight(*placed, index, root_ / "weights");
    QVERIFY(!truncated.ok());
    QVERIFY(truncated.error().message().find("'table'") != std::string::npos);
}

void ExportTest::refuses_damaged_skeletons() {
    const auto placed = place_weights(import_varied(), root_ / "weights");
    const std::string good = encode_skeleton(*placed).value();
    for (std::size_t size = 0; size < good.size(); ++size)
        QVERIFY(!load_skeleton(as_span(good.substr(0, size)), "skeleton").ok());
    const auto with = [&](const char* key, const std::string& value) {
        ::onnx::ModelProto model;
        model.ParseFromString(good);
        for (auto& entry : *model.mutable_graph()->mutable_initializer(0)->mutable_external_data())
            if (entry.key() == key) entry.set_value(value);
        return load_skeleton(as_span(model.SerializeAsString()), "skeleton");
    };
    for (const char* offset : {"-64", "1", "9223372036854775807", "x", ""}) {
        const auto result = with("offset", offset);
        QVERIFY(!result.ok());
        QVERIFY(result.error().message().find("conv.weight") != std::string::npos);
    }
    QVERIFY(!with("length", "4").ok());
    QVERIFY(!encode_skeleton(import_varied()).ok());
}

DIVISI_TEST(ExportTest)

}  // namespace export_test

#include "export_test.moc"
