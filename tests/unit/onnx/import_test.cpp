// SPDX-License-Identifier: Apache-2.0
#include "backend/onnx/import.h"

#include <QElapsedTimer>

#include "tests/support/test_program.h"
#include "tests/unit/onnx/model_builder.h"

namespace import_test {

using namespace divisi;
using namespace divisi::onnx;
using namespace divisi::onnx::testing;

namespace {

Result<graph::Graph> import_built(const ModelBuilder& builder, const ImportOptions& options = {}) {
    return import_bytes(as_span(builder.bytes()), "test.onnx", options);
}

const graph::Initializer& initializer(const graph::Graph& graph, const std::string& name) {
    return graph.initializers[graph.values[graph.find_value(name)].initializer];
}

}  // namespace

class ImportTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void reads_a_small_model();
    void reads_every_opset_in_range();
    void keeps_large_weights_in_the_mapped_file();
    void reads_external_files();
    void reads_every_number_encoding();
    void sorts_nodes_and_names_the_unnamed();
    void turns_constant_nodes_into_initializers();
    void inlines_local_functions();
    void uses_initializers_as_input_defaults();
    void keeps_symbols_and_binds_them();
    void marks_trainable_weights();
    void leaves_an_artificial_scale_untrained();
    void gives_each_batch_normalization_its_own_statistics();
    void drops_the_saved_statistics_of_older_opsets();
    void separates_weights_shared_by_exporters();
    void imports_ten_thousand_operators_in_time();
};

void ImportTest::reads_a_small_model() {
    auto graph = import_built(mlp(), {.bindings = {{"batch", 5}}});
    QVERIFY2(graph.ok(), graph.ok() ? "" : graph.error().message().c_str());
    QCOMPARE(graph->opset, 17);
    QCOMPARE(graph->nodes.size(), std::size_t{3});
    QCOMPARE(graph->nodes[0].name, std::string("/fc1/Gemm"));
    QCOMPARE(graph->inputs.size(), std::size_t{1});
    const auto& output = graph->values[graph->outputs.at(0)];
    QCOMPARE(output.name, std::string("y"));
    QVERIFY(output.dtype == graph::DType::float32);
    QCOMPARE(graph::element_count(output).value_or(-1), 15);
    const auto& weight = initializer(*graph, "w2");
    QVERIFY(weight.trainable);
    QCOMPARE(weight.data->number_at(2), 2.5);
}

void ImportTest::reads_every_opset_in_range() {
    for (std::int64_t opset = oldest_opset; opset <= newest_opset; ++opset) {
        auto graph = import_built(mlp(opset));
        QVERIFY2(graph.ok(), graph.ok() ? "" : graph.error().message().c_str());
        QCOMPARE(graph->opset, opset);
    }
}

void ImportTest::keeps_large_weights_in_the_mapped_file() {
    const QTemporaryDir folder;
    const auto path = std::filesystem::path(folder.path().toStdString()) / "model.onnx";
    ModelBuilder builder;
    builder.input("x", {"2", "64"}).output("y");
    builder.weight("w", {64, 64});
    builder.node("MatMul", {"x", "w"}, {"y"});
    write_file(path, builder.bytes());
    auto graph = import_model(path);
    QVERIFY2(graph.ok(), graph.ok() ? "" : graph.error().message().c_str());
    std::filesystem::remove(path);  // the mapping outlives the file name
    const auto& data = *initializer(*graph, "w").data;
    QCOMPARE(data.size_bytes, std::int64_t{64 * 64 * 4});
    QCOMPARE(data.number_at(64 * 64 - 1), 4095.5);
}

void ImportTest::reads_external_files() {
    const QTemporaryDir folder;
    const auto root = std::filesystem::path(folder.path().toStdString());
    ModelBuilder builder = mlp();
    auto& weight = *builder.graph().mutable_initializer(0);
    write_file(root / "data" / "w.bin", std::string(16, '\0') + weight.raw_data());
    weight.clear_raw_data();
    weight.set_data_location(::onnx::TensorProto::EXTERNAL);
    for (const auto& [key, value] : {std::pair{"location", "data/w.bin"}, {"offset", "16"}, {"length", "128"}}) {
        auto& entry = *weight.add_external_data();
        entry.set_key(key);
        entry.set_value(value);
    }
    write_file(root / "model.onnx", builder.bytes());
    auto graph = import_model(root / "model.onnx");
    QVERIFY2(graph.ok(), graph.ok() ? "" : graph.error().message().c_str());
    QCOMPARE(initializer(*graph, "w1").data->number_at(31), 31.5);
}

void ImportTest::reads_every_number_encoding() {
    ModelBuilder builder = mlp();
    auto& floats = *builder.graph().mutable_initializer(1);
    floats.clear_raw_data();
    for (int i = 0; i < 8; ++i) floats.add_float_data(static_cast<float>(i) / 4);
    auto& flags = builder.integers("flags", {});
    flags.set_data_type(::onnx::TensorProto::BOOL);
    flags.set_dims(0, 2);
    flags.add_int32_data(1);
    flags.add_int32_data(0);
    auto& half = builder.integers("half", {});
    half.set_data_type(::onnx::TensorProto::FLOAT16);
    half.set_dims(0, 1);
    half.add_int32_data(0x3e00);
    builder.integers("empty", {});
    auto graph = import_built(builder);
    QVERIFY2(graph.ok(), graph.ok() ? "" : graph.error().message().c_str());
    QCOMPARE(initializer(*graph, "b1").data->number_at(3), 0.75);
    QCOMPARE(initializer(*graph, "flags").data->integer_at(0), std::int64_t{1});
    QCOMPARE(initializer(*graph, "flags").data->size_bytes, std::int64_t{2});
    QCOMPARE(initializer(*graph, "half").data->number_at(0), 1.5);
    QCOMPARE(initializer(*graph, "empty").data->element_count(), std::int64_t{0});
}

void ImportTest::sorts_nodes_and_names_the_unnamed() {
    ModelBuilder builder;
    builder.input("x", {"2"}).output("z");
    builder.node("Relu", {"y"}, {"z"}, "same");
    builder.node("Neg", {"x"}, {"y"});
    builder.node("Abs", {"x"}, {"unused"}, "same");
    auto graph = import_built(builder);
    QVERIFY2(graph.ok(), graph.ok() ? "" : graph.error().message().c_str());
    QCOMPARE(graph->nodes[0].name, std::string("Neg_1"));
    QCOMPARE(graph->nodes[1].name, std::string("same"));
    QCOMPARE(graph->nodes[2].name, std::string("same_2"));
    QCOMPARE(graph->values[graph->find_value("y")].producer, 0);
}

void ImportTest::turns_constant_nodes_into_initializers() {
    ModelBuilder builder;
    builder.input("x", {"2"}).output("y");
    auto& constant = builder.node("Constant", {}, {"two"});
    auto& attribute = *constant.add_attribute();
    attribute.set_name("value_float");
    attribute.set_type(::onnx::AttributeProto::FLOAT);
    attribute.set_f(2);
    builder.node("Mul", {"x", "two"}, {"y"});
    auto graph = import_built(builder);
    QVERIFY2(graph.ok(), graph.ok() ? "" : graph.error().message().c_str());
    QCOMPARE(graph->nodes.size(), std::size_t{1});
    QVERIFY(!initializer(*graph, "two").trainable);
    QCOMPARE(initializer(*graph, "two").data->number_at(0), 2.0);
    auto trained = import_built(builder, {.trained = {"two"}});
    QVERIFY(trained.ok() && initializer(*trained, "two").trainable);
}

void ImportTest::inlines_local_functions() {
    ModelBuilder builder;
    builder.input("x", {"2", "3"}).output("y").output("z");
    auto* import = builder.model.add_opset_import();
    import->set_domain("local");
    import->set_version(1);
    auto& inner = *builder.model.add_functions();
    inner.set_domain("local");
    inner.set_name("Scaled");
    inner.add_input("a");
    inner.add_output("b");
    inner.add_output("a");
    inner.add_attribute("axis");
    inner.add_opset_import()->set_version(17);
    ModelBuilder::fill(*inner.add_node(), "Neg", {"a"}, {"t"}, "negate");
    auto& softmax = *inner.add_node();
    ModelBuilder::fill(softmax, "Softmax", {"t"}, {"b"});
    auto& reference = *softmax.add_attribute();
    reference.set_name("axis");
    reference.set_ref_attr_name("axis");
    reference.set_type(::onnx::AttributeProto::INT);
    auto& outer = *builder.model.add_functions();
    outer.set_domain("local");
    outer.set_name("Twice");
    outer.add_input("p");
    outer.add_output("q");
    outer.add_opset_import()->set_version(17);
    for (const auto& [from, to] : {std::pair{"p", "m"}, {"m", "q"}}) {
        auto& call = *outer.add_node();
        ModelBuilder::fill(call, "Scaled", {from}, {to}, std::string("to_") + to);
        call.set_domain("local");
        ModelBuilder::attribute(call, "axis", 0);
    }
    auto& call = builder.node("Twice", {"x"}, {"y"}, "top");
    call.set_domain("local");
    auto& passing = builder.node("Scaled", {"x"}, {"", "z"}, "passing");
    passing.set_domain("local");
    ModelBuilder::attribute(passing, "axis", 1);

    auto graph = import_built(builder);
    QVERIFY2(graph.ok(), graph.ok() ? "" : graph.error().message().c_str());
    QCOMPARE(graph->nodes.size(), std::size_t{7});
    QCOMPARE(graph->nodes[0].name, std::string("top/to_m/negate"));
    QCOMPARE(graph->nodes[1].op_type, std::string("Softmax"));
    QCOMPARE(std::get<std::int64_t>(graph->nodes[1].attributes.at("axis")), std::int64_t{0});
    const auto z = graph->values[graph->find_value("z")].producer;
    QCOMPARE(graph->nodes[z].op_type, std::string("Identity"));
}

void ImportTest::uses_initializers_as_input_defaults() {
    ModelBuilder builder = mlp();
    builder.model.set_ir_version(3);
    for (const auto& weight : builder.graph().initializer())
        ModelBuilder::set_type(*builder.graph().add_input(), weight.name(), {});
    auto graph = import_built(builder);
    QVERIFY2(graph.ok(), graph.ok() ? "" : graph.error().message().c_str());
    QCOMPARE(graph->inputs.size(), std::size_t{1});
}

void ImportTest::keeps_symbols_and_binds_them() {
    auto open = import_built(mlp());
    QVERIFY(open.ok());
    const auto& input = open->values[open->inputs[0]];
    QCOMPARE(input.shape->at(0).symbol, std::string("batch"));
    QVERIFY(!input.shape->at(0).known());
    auto bound = import_built(mlp(), {.bindings = {{"batch", 7}}});
    QVERIFY(bound.ok());
    QCOMPARE(bound->values[bound->inputs[0]].shape->at(0).size, std::int64_t{7});
}

void ImportTest::marks_trainable_weights() {
    ModelBuilder builder;
    builder.input("x", {"2", "4"}).output("y");
    builder.weight("layer.weight", {4, 4});
    builder.weight("layer.scale", {});
    builder.weight("eps", {});
    builder.weight("val_3", {4});
    builder.weight("onnx::MatMul_12", {4, 4});
    builder.weight("bias", {4});
    builder.weight("mask", {4}, -40000);
    builder.weight("low", {});
    builder.integers("shape", {2, 4});
    builder.node("MatMul", {"x", "layer.weight"}, {"a"});
    builder.node("Mul", {"a", "layer.scale"}, {"b"});
    builder.node("Add", {"b", "eps"}, {"c"});
    builder.node("Mul", {"c", "val_3"}, {"d"});
    builder.node("Transpose", {"onnx::MatMul_12"}, {"t"});
    builder.node("MatMul", {"d", "t"}, {"e"});
    builder.node("Add", {"e", "bias"}, {"f"});
    builder.node("Add", {"f", "mask"}, {"g"});
    builder.node("Clip", {"g", "low"}, {"h"});
    builder.node("Reshape", {"h", "shape"}, {"y"});
    const std::vector<std::string> expected{"layer.weight", "layer.scale", "onnx::MatMul_12", "bias"};
    auto graph = import_built(builder);
    QVERIFY2(graph.ok(), graph.ok() ? "" : graph.error().message().c_str());
    std::vector<std::string> trained;
    for (const auto& entry : graph->initializers)
        if (entry.trainable) trained.push_back(graph->values[entry.value].name);
    QCOMPARE(trained, expected);

    auto frozen = import_built(builder, {.frozen = {"layer.*", "bias"}});
    QVERIFY(frozen.ok());
    QVERIFY(!initializer(*frozen, "layer.scale").trainable && !initializer(*frozen, "bias").trainable);
    QVERIFY(initializer(*frozen, "onnx::MatMul_12").trainable);
}

/// torch.onnx.export with dynamo=True writes such a model for torch.nn.InstanceNorm2d(3), which has no parameters.
void ImportTest::leaves_an_artificial_scale_untrained() {
    const auto trains = [](const std::string& name, std::vector<float> scale) {
        ModelBuilder builder;
        builder.input("x", {"2", "3", "4", "4"}).output("y");
        builder.weight(name, {3}).set_raw_data(scale.data(), 12);
        builder.weight("bias", {3});
        builder.node("InstanceNormalization", {"x", name, "bias"}, {"y"});
        const auto graph = import_built(builder);
        return graph.ok() && initializer(*graph, name).trainable;
    };
    QVERIFY(!trains("val_9", {1, 1, 1}));
    QVERIFY(trains("val_9", {1, 1, 2}));  // a folded weight
    QVERIFY(trains("norm.weight", {1, 1, 1}));
}

void ImportTest::gives_each_batch_normalization_its_own_statistics() {
    ModelBuilder builder;
    builder.input("x", {"2", "3", "4", "4"}).output("y");
    builder.weight("ones", {3});
    builder.weight("zeros", {3});
    builder.node("Identity", {"ones"}, {"var"});
    builder.node("BatchNormalization", {"x", "ones", "zeros", "zeros", "var"}, {"y"}, "bn");
    auto graph = import_built(builder);
    QVERIFY2(graph.ok(), graph.ok() ? "" : graph.error().message().c_str());
    const auto& inputs = graph->nodes[graph->find_node("bn")].inputs;
    QVERIFY(inputs[2] != inputs[3]);
    QVERIFY(graph->is_initializer(inputs[3]) && graph->is_initializer(inputs[4]));
    QVERIFY(initializer(*graph, "ones").trainable && initializer(*graph, "zeros").trainable);
    QVERIFY(!graph->initializers[graph->values[inputs[3]].initializer].trainable);
    QVERIFY(!graph->initializers[graph->values[inputs[4]].initializer].trainable);
}

/// Below opset 14, torch.onnx.export writes batch normalization in training form like this.
void ImportTest::drops_the_saved_statistics_of_older_opsets() {
    ModelBuilder builder(12);
    builder.input("x", {"2", "3", "4", "4"}).output("y");
    for (const char* name : {"scale", "bias", "mean", "variance"}) builder.weight(name, {3});
    builder.node("BatchNormalization", {"x", "scale", "bias", "mean", "variance"}, {"h", "m", "v", "sm", "sv"}, "bn");
    builder.node("Relu", {"h"}, {"y"});
    auto graph = import_built(builder);
    QVERIFY2(graph.ok(), graph.ok() ? "" : graph.error().message().c_str());
    const auto& outputs = graph->nodes[graph->find_node("bn")].outputs;
    QCOMPARE(std::count(outputs.begin(), outputs.end(), graph::no_value), 2);
    QVERIFY(outputs[2] != graph::no_value);
    builder.output("sm", {"3"});  // a later node does read the value
    graph = import_built(builder);
    QVERIFY(!graph.ok() && graph.error().message().find("saved statistics") != std::string::npos);
}

void ImportTest::separates_weights_shared_by_exporters() {
    ModelBuilder builder;
    builder.input("x", {"2", "3"}).output("y");
    for (const char* name : {"norm1.weight", "norm1.bias"}) {
        auto& tensor = builder.weight(name, {3});
        const float value = name[6] == 'w' ? 1.0F : 0.0F;
        const std::vector<float> same(3, value);
        tensor.set_raw_data(same.data(), 12);
    }
    builder.weight("tied", {3, 3});
    builder.weight("slope", {3});
    builder.node("Identity", {"norm1.weight"}, {"norm2.weight"});
    builder.node("LayerNormalization", {"x", "norm1.weight", "norm1.bias"}, {"a"}, "first");
    builder.node("LayerNormalization", {"a", "norm2.weight", "norm1.bias"}, {"b"}, "second");
    builder.node("MatMul", {"b", "tied"}, {"c"});
    builder.node("MatMul", {"c", "tied"}, {"d"});
    builder.node("Mul", {"d", "slope"}, {"e"});
    builder.node("Mul", {"e", "slope"}, {"y"});
    auto graph = import_built(builder, {.frozen = {"norm1.bias"}});
    QVERIFY2(graph.ok(), graph.ok() ? "" : graph.error().message().c_str());
    QCOMPARE(graph->find_node("Identity_0"), graph::no_node);
    QVERIFY(initializer(*graph, "norm1.weight").trainable && initializer(*graph, "norm2.weight").trainable);
    const auto copy = graph->nodes[graph->find_node("second")].inputs[2];
    QCOMPARE(graph->values[copy].name, std::string("norm1.bias@second"));
    QVERIFY(!initializer(*graph, "norm1.bias@second").trainable);  // frozen like its original
    QCOMPARE(graph->values[graph->find_value("tied")].consumers.size(), std::size_t{2});
    QCOMPARE(graph->values[graph->find_value("slope")].consumers.size(), std::size_t{2});
}

void ImportTest::imports_ten_thousand_operators_in_time() {
    ModelBuilder builder;
    builder.input("x", {"batch", "8"}).output("v10000");
    builder.weight("w", {8, 8});
    std::string last = "x";
    for (int i = 1; i <= 10000; ++i) {
        const std::string next = "v" + std::to_string(i);
        if (i % 4 == 0) builder.node("MatMul", {last, "w"}, {next}, "/layer" + std::to_string(i) + "/MatMul");
        else builder.node(i % 2 == 0 ? "Relu" : "Tanh", {last}, {next});
        last = next;
    }
    const std::string bytes = builder.bytes();
    QElapsedTimer timer;
    timer.start();
    auto graph = import_bytes(as_span(bytes), "big.onnx", {.bindings = {{"batch", 4}}});
    const auto elapsed_ms = timer.elapsed();
    QVERIFY2(graph.ok(), graph.ok() ? "" : graph.error().message().c_str());
    qInfo("10,000 operators: %lld ms", static_cast<long long>(elapsed_ms));
    QVERIFY(elapsed_ms < 2000);
    QCOMPARE(graph::element_count(graph->values[graph->outputs[0]]).value_or(-1), std::int64_t{32});
}

DIVISI_TEST(ImportTest)

}  // namespace import_test

#include "import_test.moc"
