// SPDX-License-Identifier: Apache-2.0
#include <QElapsedTimer>
#include <limits>

#include "backend/graph/inference.h"
#include "backend/graph/operators.h"
#include "backend/graph/shapes.h"
#include "tests/support/test_program.h"
#include "tests/unit/graph/builder.h"

namespace shapes_test {

using namespace divisi;
using namespace divisi::graph;
using divisi::graph::test::Builder;
using Ints = std::vector<std::int64_t>;

namespace {

Shape symbolic(const std::vector<std::string>& dims) {
    Shape shape;
    for (const std::string& dim : dims)
        shape.push_back(dim == "?" ? Dim{} : isdigit(dim[0]) ? Dim{std::stoll(dim), ""} : Dim{-1, dim});
    return shape;
}

std::string shape_text(const Graph& graph, const std::string& name) {
    const ValueIndex index = graph.find_value(name);
    if (index == no_value) return "no such value";
    const Value& value = graph.values[index];
    return std::string(graph::name(value.dtype)) + (value.shape ? to_string(*value.shape) : "[...]");
}

/// Infers one node "n" whose inputs are already in the builder. Returns "dtype[shape]" of output "y", or the error.
std::string infer(Builder b, const std::string& op, const std::vector<std::string>& inputs,
                  std::map<std::string, Attribute> attributes = {}, std::int64_t opset = 17,
                  const std::string& wanted = "y", const std::vector<std::string>& outputs = {"y"}) {
    b.node("n", op, inputs, outputs, std::move(attributes));
    b.graph.opset = opset;
    if (const auto sorted = b.graph.canonicalize(); !sorted.ok()) return sorted.error().message();
    if (const auto inferred = infer_shapes(b.graph, {}); !inferred.ok()) return inferred.error().message();
    return shape_text(b.graph, wanted);
}

Builder with(const Ints& x) {
    Builder b;
    b.input("x", x);
    return b;
}
Builder with(const Ints& x, const Ints& z) {
    Builder b = with(x);
    b.input("z", z);
    return b;
}

}  // namespace

class ShapesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void elementwise_operators_broadcast();
    void shapes_of_reshapes_are_inferred();
    void shapes_of_concat_split_pad_and_tile_are_inferred();
    void shapes_of_slices_are_inferred();
    void shapes_of_gather_topk_and_onehot_are_inferred();
    void shapes_of_matrix_products_are_inferred();
    void shapes_of_convolutions_and_pooling_are_inferred();
    void shapes_of_recurrent_layers_are_inferred();
    void every_supported_operator_has_a_rule();
    void shapes_of_reductions_are_inferred();
    void rules_depend_on_the_opset();
    void shape_arithmetic_is_evaluated();
    void pads_and_sizes_computed_from_constants_are_evaluated();
    void symbolic_dimensions_are_kept();
    void bindings_can_be_applied_repeatedly();
    void wrong_bindings_are_errors();
    void contradictions_name_the_node();
    void unknown_shapes_stay_unknown();
    void ten_thousand_nodes_are_inferred_quickly();
};

void ShapesTest::elementwise_operators_broadcast() {
    QCOMPARE(infer(with({2, 1, 4}, {3, 1}), "Add", {"x", "z"}), std::string("float32[2, 3, 4]"));
    QCOMPARE(infer(with({2, 3}, {}), "Greater", {"x", "z"}), std::string("bool[2, 3]"));
    QCOMPARE(infer(with({2, 3}), "Cast", {"x"}, {{"to", std::int64_t{7}}}), std::string("int64[2, 3]"));
    QVERIFY(infer(with({2, 3}, {2, 4}), "Mul", {"x", "z"}).find("do not broadcast") != std::string::npos);
    QCOMPARE(infer(with({2, 3}), "Dropout", {"x"}, {}, 17, "mask", {"y", "mask"}), std::string("bool[2, 3]"));
    QCOMPARE(infer(with({8, 6, 4}), "LayerNormalization", {"x", "x"}, {{"axis", std::int64_t{-1}}}, 17, "m", {"y", "m"})
                 .substr(0, 14),
             std::string("float32[8, 6, "));
}

void ShapesTest::shapes_of_reshapes_are_inferred() {
    const auto reshape = [](const Ints& x, const Ints& target) {
        Builder b = with(x);
        b.constant("t", target);
        return infer(b, "Reshape", {"x", "t"});
    };
    QCOMPARE(reshape({2, 3, 4}, {0, -1}), std::string("float32[2, 12]"));
    QCOMPARE(reshape({2, 3, 4}, {4, 6}), std::string("float32[4, 6]"));
    QVERIFY(reshape({2, 3, 4}, {5, -1}).find("node 'n'") != std::string::npos);
    QVERIFY(reshape({2, 3, 4}, {5, 5}).find("[5, 5]") != std::string::npos);
    QCOMPARE(infer(with({2, 3, 4}), "Flatten", {"x"}, {{"axis", std::int64_t{2}}}), std::string("float32[6, 4]"));
    QCOMPARE(infer(with({2, 3, 4}), "Transpose", {"x"}, {{"perm", Ints{2, 0, 1}}}), std::string("float32[4, 2, 3]"));
    QCOMPARE(infer(with({2, 3, 4}), "Transpose", {"x"}), std::string("float32[4, 3, 2]"));
    QCOMPARE(infer(with({1, 8, 3, 5}), "DepthToSpace", {"x"}, {{"blocksize", std::int64_t{2}}}),
             std::string("float32[1, 2, 6, 10]"));
    QCOMPARE(infer(with({1, 2, 6, 10}), "SpaceToDepth", {"x"}, {{"blocksize", std::int64_t{2}}}),
             std::string("float32[1, 8, 3, 5]"));
}

void ShapesTest::shapes_of_concat_split_pad_and_tile_are_inferred() {
    QCOMPARE(infer(with({2, 3}, {2, 5}), "Concat", {"x", "z"}, {{"axis", std::int64_t{-1}}}),
             std::string("float32[2, 8]"));
    QCOMPARE(infer(with({2, 7}), "Split", {"x"}, {{"axis", std::int64_t{1}}, {"num_outputs", std::int64_t{3}}}, 18, "c",
                   {"a", "b", "c"}),
             std::string("float32[2, 1]"));
    Builder b = with({2, 3});
    b.constant("pads", {0, 1, 0, 2}).constant("twos", {2, 2}).constant("five", {5, 1, 3});
    QCOMPARE(infer(b, "Pad", {"x", "pads"}), std::string("float32[2, 6]"));
    QCOMPARE(infer(b, "Tile", {"x", "twos"}), std::string("float32[4, 6]"));
    QCOMPARE(infer(b, "Expand", {"x", "five"}), std::string("float32[5, 2, 3]"));
    Builder image = with({1, 3, 5, 5});
    image.constant("scales", HostTensor::of<float>(DType::float32, {4}, {1, 1, 2, 1.5F}));
    QCOMPARE(infer(image, "Resize", {"x", "", "scales"}), std::string("float32[1, 3, 10, 7]"));
    image.constant("sizes", {1, 3, 8, 9});
    QCOMPARE(infer(image, "Resize", {"x", "", "", "sizes"}), std::string("float32[1, 3, 8, 9]"));
}

void ShapesTest::shapes_of_slices_are_inferred() {
    const auto slice = [](std::int64_t start, std::int64_t end, std::int64_t step) {
        Builder b = with({4, 10});
        b.constant("s", {start}).constant("e", {end}).constant("a", {1}).constant("t", {step});
        return infer(b, "Slice", {"x", "s", "e", "a", "t"});
    };
    QCOMPARE(slice(2, 9, 1), std::string("float32[4, 7]"));
    QCOMPARE(slice(2, 9, 3), std::string("float32[4, 3]"));
    QCOMPARE(slice(-3, 1000, 1), std::string("float32[4, 3]"));
    QCOMPARE(slice(-1, INT64_MIN, -1), std::string("float32[4, 10]"));
    QCOMPARE(slice(5, 5, 1), std::string("float32[4, 0]"));
    QCOMPARE(slice(7, 2, -2), std::string("float32[4, 3]"));
}

void ShapesTest::shapes_of_gather_topk_and_onehot_are_inferred() {
    Builder b = with({5, 6, 7});
    b.constant("i", HostTensor::of<std::int64_t>(DType::int64, {2, 2}, {0, 1, 2, 3})).constant("k", {3});
    b.constant("outside", {6});
    QCOMPARE(infer(b, "Gather", {"x", "i"}, {{"axis", std::int64_t{1}}}), std::string("float32[5, 2, 2, 7]"));
    QCOMPARE(infer(b, "GatherND", {"x", "i"}), std::string("float32[2, 7]"));
    QCOMPARE(infer(b, "TopK", {"x", "k"}, {}, 17, "i2", {"y", "i2"}), std::string("int64[5, 6, 3]"));
    QVERIFY(infer(b, "Gather", {"x", "outside"}, {{"axis", std::int64_t{1}}}).find("index 6") != std::string::npos);
    QCOMPARE(infer(b, "OneHot", {"i", "k", "x"}), std::string("float32[2, 2, 3]"));
}

void ShapesTest::shapes_of_matrix_products_are_inferred() {
    QCOMPARE(infer(with({8, 1, 3, 4}, {5, 4, 6}), "MatMul", {"x", "z"}), std::string("float32[8, 5, 3, 6]"));
    QCOMPARE(infer(with({4}, {5, 4, 6}), "MatMul", {"x", "z"}), std::string("float32[5, 6]"));
    QCOMPARE(infer(with({4}, {4}), "MatMul", {"x", "z"}), std::string("float32[]"));
    QVERIFY(infer(with({2, 3}, {4, 2}), "MatMul", {"x", "z"}).find("do not multiply") != std::string::npos);
    QCOMPARE(
        infer(with({4, 3}, {5, 4}), "Gemm", {"x", "z"}, {{"transA", std::int64_t{1}}, {"transB", std::int64_t{1}}}),
        std::string("float32[3, 5]"));
    QCOMPARE(infer(with({2, 3, 4}, {2, 4, 5}), "Einsum", {"x", "z"}, {{"equation", std::string("bij, bjk -> bik")}}),
             std::string("float32[2, 3, 5]"));
    QCOMPARE(infer(with({2, 3, 4}, {4, 5}), "Einsum", {"x", "z"}, {{"equation", std::string("...j,jk")}}),
             std::string("float32[2, 3, 5]"));
    QCOMPARE(infer(with({3, 3}), "Einsum", {"x"}, {{"equation", std::string("ii->")}}), std::string("float32[]"));
}

void ShapesTest::shapes_of_convolutions_and_pooling_are_inferred() {
    const auto conv = [](const Ints& x, const Ints& w, std::map<std::string, Attribute> attributes) {
        return infer(with(x, w), "Conv", {"x", "z"}, std::move(attributes));
    };
    QCOMPARE(conv({1, 3, 224, 224}, {64, 3, 7, 7}, {{"strides", Ints{2, 2}}, {"pads", Ints{3, 3, 3, 3}}}),
             std::string("float32[1, 64, 112, 112]"));
    QCOMPARE(conv({1, 32, 10, 10}, {32, 1, 3, 3}, {{"group", std::int64_t{32}}, {"dilations", Ints{2, 2}}}),
             std::string("float32[1, 32, 6, 6]"));
    QCOMPARE(conv({1, 3, 7, 7}, {8, 3, 3, 3}, {{"auto_pad", std::string("SAME_UPPER")}, {"strides", Ints{2, 2}}}),
             std::string("float32[1, 8, 4, 4]"));
    QVERIFY(conv({1, 4, 7, 7}, {8, 3, 3, 3}, {}).find("4 channels") != std::string::npos);
    QVERIFY(conv({1, 3, 2, 2}, {8, 3, 3, 3}, {}).find("does not fit") != std::string::npos);
    QCOMPARE(infer(with({1, 16, 5, 5}, {16, 8, 3, 3}), "ConvTranspose", {"x", "z"},
                   {{"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}, {"output_padding", Ints{1, 1}}}),
             std::string("float32[1, 8, 10, 10]"));
    QCOMPARE(infer(with({1, 64, 112, 112}), "MaxPool", {"x"},
                   {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}}),
             std::string("float32[1, 64, 56, 56]"));
    QCOMPARE(infer(with({1, 1, 4, 4}), "AveragePool", {"x"},
                   {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{2, 2}}, {"ceil_mode", std::int64_t{1}}}),
             std::string("float32[1, 1, 2, 2]"));
    QCOMPARE(infer(with({2, 512, 7, 7}), "GlobalAveragePool", {"x"}), std::string("float32[2, 512, 1, 1]"));
}

void ShapesTest::shapes_of_recurrent_layers_are_inferred() {
    const auto recurrent = [](const std::string& type, const std::string& wanted,
                              std::map<std::string, Attribute> attributes) {
        Builder b = with({7, 2, 5});
        b.input("w", {2, 12, 5}).input("r", {2, 12, 3});
        return infer(b, type, {"x", "w", "r"}, std::move(attributes), 17, wanted, {"y", "h", "c"});
    };
    const std::map<std::string, Attribute> both{{"hidden_size", std::int64_t{3}},
                                                {"direction", std::string("bidirectional")}};
    QCOMPARE(recurrent("LSTM", "y", both), std::string("float32[7, 2, 2, 3]"));
    QCOMPARE(recurrent("LSTM", "h", both), std::string("float32[2, 2, 3]"));
    QCOMPARE(recurrent("LSTM", "c", both), std::string("float32[2, 2, 3]"));
    QCOMPARE(recurrent("GRU", "y", {}), std::string("float32[7, 1, 2, 3]"));  // hidden_size follows from the weights
    QCOMPARE(recurrent("RNN", "y", {{"layout", std::int64_t{1}}}), std::string("float32[7, 2, 1, 3]"));
    QCOMPARE(recurrent("RNN", "h", {{"layout", std::int64_t{1}}}), std::string("float32[7, 1, 3]"));
    QVERIFY(infer(with({7, 5}), "RNN", {"x"}).find("rank 2") != std::string::npos);
}

/// A cut behind a value without a type would lose its gradient (plan::make_partition refuses such a cut).
void ShapesTest::every_supported_operator_has_a_rule() {
    for (const std::string& type : supported_operators()) QVERIFY2(shape_rules().contains(type), type.c_str());
}

void ShapesTest::shapes_of_reductions_are_inferred() {
    QCOMPARE(infer(with({2, 3, 4}), "ReduceMean", {"x"}, {{"axes", Ints{-1}}}), std::string("float32[2, 3, 1]"));
    QCOMPARE(infer(with({2, 3, 4}), "ReduceMax", {"x"}, {{"keepdims", std::int64_t{0}}}), std::string("float32[]"));
    QCOMPARE(infer(with({2, 3, 4}), "ArgMax", {"x"}, {{"axis", std::int64_t{1}}, {"keepdims", std::int64_t{0}}}),
             std::string("int64[2, 4]"));
    Builder b = with({8, 10, 6});
    b.input("labels", {8, 6}, DType::int64);
    QCOMPARE(infer(b, "SoftmaxCrossEntropyLoss", {"x", "labels"}), std::string("float32[]"));
    QCOMPARE(infer(b, "SoftmaxCrossEntropyLoss", {"x", "labels"}, {{"reduction", std::string("none")}}),
             std::string("float32[8, 6]"));
}

void ShapesTest::rules_depend_on_the_opset() {
    Builder b = with({2, 1, 4});
    b.constant("axes", {1});
    QCOMPARE(infer(b, "Squeeze", {"x"}, {{"axes", Ints{1}}}, 11), std::string("float32[2, 4]"));
    QCOMPARE(infer(b, "Squeeze", {"x", "axes"}, {}, 13), std::string("float32[2, 4]"));
    QCOMPARE(infer(b, "Unsqueeze", {"x", "axes"}, {}, 13), std::string("float32[2, 1, 1, 4]"));
    QCOMPARE(infer(b, "ReduceSum", {"x", "axes"}, {}, 13), std::string("float32[2, 1, 4]"));
    QCOMPARE(infer(b, "ReduceSum", {"x", ""}, {{"noop_with_empty_axes", std::int64_t{1}}}, 13),
             std::string("float32[2, 1, 4]"));
    QCOMPARE(infer(b, "Slice", {"x"}, {{"starts", Ints{1}}, {"ends", Ints{3}}, {"axes", Ints{2}}}, 9),
             std::string("float32[2, 1, 2]"));
    QVERIFY(infer(with({7}), "Split", {"x"}, {}, 13, "a", {"a", "b"}).find("equal parts") != std::string::npos);
}

void ShapesTest::shape_arithmetic_is_evaluated() {
    // PyTorch flattens heads like this: x.view(x.size(0), x.size(1), 4, x.size(2) // 4)
    Builder b = with({2, 6, 32});
    b.constant("i2", HostTensor::of<std::int64_t>(DType::int64, {}, {2})).constant("zero", {0});
    b.constant("four", HostTensor::of<std::int64_t>(DType::int64, {}, {4})).constant("first", {0}).constant("two", {2});
    b.node("shape", "Shape", {"x"}, {"s"}).node("g", "Gather", {"s", "i2"}, {"d"});
    b.node("div", "Div", {"d", "four"}, {"q"}).node("c1", "Cast", {"q"}, {"qc"}, {{"to", std::int64_t{7}}});
    b.node("u", "Unsqueeze", {"qc", "zero"}, {"qu"}).node("u4", "Unsqueeze", {"four", "zero"}, {"fu"});
    b.node("sl", "Slice", {"s", "first", "two"}, {"head"});
    b.node("cat", "Concat", {"head", "fu", "qu"}, {"target"}, {{"axis", std::int64_t{0}}});
    QCOMPARE(infer(b, "Reshape", {"x", "target"}), std::string("float32[2, 6, 4, 8]"));
    Builder r = with({2, 6});
    r.constant("zero", HostTensor::of<std::int64_t>(DType::int64, {}, {0}));
    r.constant("one", HostTensor::of<std::int64_t>(DType::int64, {}, {1}));
    r.node("shape", "Shape", {"x"}, {"s"}).node("g", "Gather", {"s", "one"}, {"d"});
    QCOMPARE(infer(r, "Range", {"zero", "d", "one"}), std::string("int64[6]"));
    QCOMPARE(infer(r, "ConstantOfShape", {"s"}, {{"value", HostTensor::of<std::int64_t>(DType::int64, {1}, {7})}}),
             std::string("int64[2, 6]"));
}

/// PyTorch converts its pads (last axis first) into those of ONNX like this: pairs, reversed, transposed.
void ShapesTest::pads_and_sizes_computed_from_constants_are_evaluated() {
    Builder b = with({2, 3, 16, 16});
    b.constant("torch_pads", {1, 2, 3, 4, 0, 0, 0, 0}).constant("pairs", {-1, 2}).constant("flat", {-1});
    b.constant("last", {-1}).constant("end", {std::numeric_limits<std::int64_t>::min() + 1}).constant("rows", {0});
    b.node("p", "Reshape", {"torch_pads", "pairs"}, {"p"});
    b.node("r", "Slice", {"p", "last", "end", "rows", "last"}, {"r"});
    b.node("t", "Transpose", {"r"}, {"t"}, {{"perm", Ints{1, 0}}}).node("f", "Reshape", {"t", "flat"}, {"pads"});
    QCOMPARE(infer(b, "Pad", {"x", "pads"}), std::string("float32[2, 3, 23, 19]"));
    Builder c = with({24});
    c.constant("sizes", HostTensor::of<std::int64_t>(DType::int64, {2, 3}, {9, 2, 3, 9, 4, 6}));
    c.constant("one", {1}).constant("three", {3}).constant("axis", {1}).constant("flat", {-1}).constant("two", {2});
    c.node("s", "Slice", {"sizes", "one", "three", "axis"}, {"s"});
    c.node("t", "Transpose", {"s"}, {"t"}).node("f", "Reshape", {"t", "flat"}, {"all"});  // yields 2, 4, 3, 6
    c.node("h", "Slice", {"all", "one", "three"}, {"target"});
    c.node("w", "Concat", {"target", "two"}, {"wanted"}, {{"axis", std::int64_t{0}}});
    QCOMPARE(infer(c, "Reshape", {"x", "wanted"}), std::string("float32[4, 3, 2]"));
}

void ShapesTest::symbolic_dimensions_are_kept() {
    Builder b;
    b.symbolic_input("x", symbolic({"batch", "128", "768"}));
    b.constant("target", {0, 0, 12, 64}).constant("back", {0, -1, 768}).constant("rows", {-1, 768});
    b.node("split", "Reshape", {"x", "target"}, {"heads"});
    b.node("swap", "Transpose", {"heads"}, {"swapped"}, {{"perm", Ints{0, 2, 1, 3}}});
    b.node("merge", "Reshape", {"swapped", "back"}, {"merged"});
    b.node("rows", "Reshape", {"x", "rows"}, {"r"});
    b.node("s", "Shape", {"x"}, {"sx"});
    QCOMPARE(infer(b, "Expand", {"merged", "sx"}), std::string("float32[batch, 128, 768]"));
    QCOMPARE(infer(b, "Identity", {"swapped"}), std::string("float32[batch, 12, 128, 64]"));
    QCOMPARE(infer(b, "Identity", {"r"}), std::string("float32[?, 768]"));
}

void ShapesTest::bindings_can_be_applied_repeatedly() {
    Builder b;
    b.symbolic_input("x", symbolic({"batch", "?", "8"}));
    b.node("n", "Flatten", {"x"}, {"y"});
    QVERIFY(b.graph.canonicalize().ok());
    QCOMPARE(open_dimensions(b.graph), (std::vector<std::string>{"batch", "x.1"}));
    QVERIFY(infer_shapes(b.graph, {{"batch", 4}, {"x.1", 3}}).ok());
    QCOMPARE(shape_text(b.graph, "y"), std::string("float32[4, 24]"));
    QVERIFY(open_dimensions(b.graph).empty());
    QVERIFY(infer_shapes(b.graph, {{"batch", 2}, {"x.1", 5}}).ok());
    QCOMPARE(shape_text(b.graph, "y"), std::string("float32[2, 40]"));
}

void ShapesTest::wrong_bindings_are_errors() {
    Builder b;
    b.symbolic_input("x", symbolic({"batch", "3"}));
    const auto message = [&](const Bindings& bindings) {
        const auto result = infer_shapes(b.graph, bindings);
        return result.ok() ? std::string("fine") : result.error().message();
    };
    QVERIFY(message({{"bacth", 4}}).find("use one of batch") != std::string::npos);
    QVERIFY(message({{"x.1", 4}}).find("fixes this dimension to 3") != std::string::npos);
    QVERIFY(message({{"batch", -4}}).find("-4") != std::string::npos);
    QCOMPARE(message({{"x.1", 3}}), std::string("fine"));
}

void ShapesTest::contradictions_name_the_node() {
    Builder b = with({2, 3});
    b.node("early", "Relu", {"x"}, {"mid"});
    b.graph.values[b.graph.find_value("mid")].shape = Builder::shape_of({2, 3, 1});
    const std::string message = infer(b, "Relu", {"mid"});
    QVERIFY(message.find("node 'early'") != std::string::npos);
    QVERIFY(message.find("[2, 3, 1]") != std::string::npos);
    Builder mixed = with({2});
    mixed.input("i", {2}, DType::int64);
    QVERIFY(infer(mixed, "Add", {"x", "i"}).find("float32 and int64") != std::string::npos);
}

void ShapesTest::unknown_shapes_stay_unknown() {
    Builder b = with({2, 3});
    b.input("target", {2}, DType::int64);
    QCOMPARE(infer(b, "Reshape", {"x", "target"}), std::string("float32[?, ?]"));
    Builder frob = with({2, 3});
    frob.node("f", "Frobnicate", {"x"}, {"f"});
    QCOMPARE(infer(frob, "MatMul", {"f", "x"}), std::string("undefined[...]"));
    QCOMPARE(infer(with({2, 3}), "NonZero", {"x"}), std::string("int64[2, ?]"));
}

void ShapesTest::ten_thousand_nodes_are_inferred_quickly() {
    Builder b;
    b.symbolic_input("v0", symbolic({"batch", "16", "8"})).constant("i", {0}).constant("rest", {16, 8});
    Graph& g = b.graph;
    ValueIndex last = 0;
    const auto add = [&](const char* op, std::vector<ValueIndex> inputs,
                         std::map<std::string, Attribute> attributes = {}) {
        const std::string id = std::to_string(g.nodes.size() + 1);
        const ValueIndex y = g.add_value("v" + id);
        g.add_node(Node{"n" + id, op, "", std::move(inputs), {y}, std::move(attributes)});
        return y;
    };
    while (g.nodes.size() < 10000) {
        const ValueIndex shape = add("Shape", {last});
        const ValueIndex batch = add("Gather", {shape, 1});
        const ValueIndex target = add("Concat", {batch, 2}, {{"axis", std::int64_t{0}}});
        last = add("Relu", {add("Reshape", {last, target})});
    }
    QElapsedTimer timer;
    timer.start();
    QVERIFY(g.canonicalize().ok());
    QVERIFY(infer_shapes(g, {{"batch", 4}}).ok());
    const qint64 elapsed = timer.elapsed();
    QCOMPARE(to_string(*g.values[last].shape), std::string("[4, 16, 8]"));
    qInfo("10,000 nodes sorted and inferred in %lld ms", static_cast<long long>(elapsed));
    QVERIFY2(elapsed < 300, "inference must be far below what a user notices");
}

DIVISI_TEST(ShapesTest)

}  // namespace shapes_test

#include "shapes_test.moc"
