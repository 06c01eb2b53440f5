// SPDX-License-Identifier: Apache-2.0
// One or more forms of every differentiable operator, for comparison with finite differences.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "backend/graph/graph.h"

namespace divisi::test {

using Ints = std::vector<std::int64_t>;

/// An input slot: numbers in an interval whose gradient is checked, integers, booleans, or omitted.
struct Operand {
    enum class Kind { numbers, integers, truths, omitted } kind = Kind::omitted;
    Ints dims;
    double low = 0, high = 0;
    Ints values;
    graph::DType dtype = graph::DType::int64;  ///< type of integers: int64 or int32
};

inline Operand x(Ints dims, double low = -2, double high = 2) {
    return {Operand::Kind::numbers, std::move(dims), low, high, {}};
}
inline Operand positive(Ints dims) { return x(std::move(dims), 0.5, 3); }
inline Operand integers(Ints values) {
    const auto count = static_cast<std::int64_t>(values.size());
    return {Operand::Kind::integers, {count}, 0, 0, std::move(values)};
}
inline Operand integers(Ints dims, Ints values) {
    return {Operand::Kind::integers, std::move(dims), 0, 0, std::move(values)};
}
inline Operand narrow_integers(Ints dims, Ints values) {
    return {Operand::Kind::integers, std::move(dims), 0, 0, std::move(values), graph::DType::int32};
}
inline Operand scalar(std::int64_t value) { return integers(Ints{}, Ints{value}); }
inline Operand truths(Ints dims, Ints values) {
    return {Operand::Kind::truths, std::move(dims), 0, 0, std::move(values)};
}
inline Operand none() { return {}; }

struct GradientCase {
    std::string op;
    std::vector<Operand> inputs;
    std::map<std::string, graph::Attribute> attributes = {};
    std::int64_t opset = 17;
    std::size_t outputs = 1;
    std::size_t checked_outputs = 1;  ///< how many outputs, from the first, enter the differentiated function
};

inline std::vector<GradientCase> elementwise_cases() {
    std::vector<GradientCase> cases;
    for (const char* op :
         {"Abs",  "Asinh", "Atan",     "Ceil",     "Celu",        "Cos",       "Cosh",           "Elu",
          "Erf",  "Exp",   "Floor",    "Gelu",     "HardSigmoid", "HardSwish", "Identity",       "LeakyRelu",
          "Mish", "Neg",   "Relu",     "Round",    "Selu",        "Shrink",    "Sigmoid",        "Sign",
          "Sin",  "Sinh",  "Softplus", "Softsign", "Swish",       "Tanh",      "ThresholdedRelu"})
        cases.push_back({op, {x({3, 4})}});
    for (const char* op : {"Acos", "Asin", "Atanh", "Tan"}) cases.push_back({op, {x({3, 4}, -0.9, 0.9)}});
    for (const char* op : {"Log", "Reciprocal", "Sqrt"}) cases.push_back({op, {positive({3, 4})}});
    cases.push_back({"Acosh", {x({5}, 1.5, 4)}});
    for (const char* op : {"Add", "Sub", "Mul", "Max", "Min", "Mean", "Sum"})
        cases.push_back({op, {x({2, 3}), x({3}, -1, 1)}});
    cases.push_back({"Div", {x({2, 3}), positive({2, 1})}});
    cases.push_back({"Pow", {positive({2, 3}), x({3}, 0.5, 2)}});
    cases.push_back({"Mod", {x({2, 3}), x({2, 3}, 3, 4)}, {{"fmod", 1L}}});
    cases.push_back({"Mean", {x({2, 3}), x({3}), x({2, 1})}});
    cases.push_back({"Gelu", {x({3, 4})}, {{"approximate", std::string("tanh")}}});
    cases.push_back({"Swish", {x({3})}, {{"alpha", 1.5F}}});
    cases.push_back({"PRelu", {x({2, 3, 2}), x({3, 1}, 0.1, 0.5)}});
    cases.push_back({"Clip", {x({3, 4}), x({}, -1, -0.9), x({}, 0.9, 1)}});
    cases.push_back({"Clip", {x({3, 4})}, {{"min", -0.5F}, {"max", 0.75F}}, 10});
    cases.push_back({"Where", {truths({2, 1}, {1, 0}), x({2, 3}), x({3})}});
    cases.push_back({"Cast", {x({3})}, {{"to", 11L}}});
    cases.push_back({"CastLike", {x({3}), x({1})}});
    return cases;
}

inline std::vector<GradientCase> product_cases() {
    const Ints same{1, 1, 1, 1};
    return {
        {"MatMul", {x({2, 3, 4}), x({4, 2})}},
        {"divisi:Attention", {x({2, 3, 4, 5}), x({2, 3, 5, 6}), x({2, 3, 6, 5})}, {{"scale", 0.5F}}},
        {"divisi:Attention",
         {x({2, 3, 3}), x({2, 3, 3}), x({2, 3, 3}), none(), truths({3, 3}, {1, 0, 0, 1, 1, 0, 1, 1, 1})},
         {{"scale", 0.7F}, {"causal", 1L}, {"fill", -1e30F}, {"keep", 1L}}},
        {"divisi:Attention", {x({2, 4, 3}), x({2, 3, 5}), x({2, 5, 2})}, {{"scale", 1.5F}}},
        {"divisi:Attention",
         {x({1, 2, 2, 3}), x({1, 2, 3, 3}), x({1, 2, 3, 3}), none(), truths({2, 3}, {1, 0, 1, 0, 1, 1})},
         {{"scale", 0.5F}, {"fill", -1e30F}, {"keep", 1L}}},
        {"divisi:Attention",
         {x({2, 2, 3}), x({2, 3, 3}), x({2, 3, 3}), none(), truths({2, 1, 3}, {1, 0, 0, 0, 1, 0})},
         {{"scale", 0.5F}, {"fill", -1e30F}, {"keep", 0L}}},
        {"Gemm", {x({4, 3}), x({2, 4}), x({2})}, {{"transA", 1L}, {"transB", 1L}, {"alpha", 0.5F}, {"beta", 2.0F}}},
        {"Gemm", {x({3, 4}), x({4, 2})}, {{"alpha", 0.5F}}},
        {"Einsum", {x({2, 3, 4}), x({2, 4, 2})}, {{"equation", std::string("bij, bjk -> bik")}}},
        {"Det", {x({2, 3, 3})}},
        {"Conv", {x({2, 2, 5, 5}), x({4, 1, 3, 3}), x({4})}, {{"group", 2L}, {"pads", same}, {"strides", Ints{2, 2}}}},
        {"Conv", {x({1, 2, 7}), x({3, 2, 3})}, {{"auto_pad", std::string("SAME_UPPER")}, {"strides", Ints{2}}}},
        {"Conv", {x({1, 1, 5, 5}), x({1, 1, 2, 2})}, {{"pads", Ints{0, 1, 2, 0}}, {"dilations", Ints{2, 1}}}},
        {"ConvTranspose", {x({1, 2, 3, 3}), x({2, 2, 3, 3}), x({2})}, {{"strides", Ints{2, 2}}, {"pads", same}}},
        {"ConvTranspose", {x({1, 2, 3}), x({2, 2, 3}), x({2})}, {{"strides", Ints{2}}, {"output_shape", Ints{8}}}},
        {"ConvTranspose",
         {x({1, 1, 3, 3}), x({1, 1, 2, 2}), x({1})},
         {{"strides", Ints{2, 2}}, {"auto_pad", std::string("SAME_LOWER")}}},
        {"RNN", {x({3, 2, 2}), x({1, 4, 2}), x({1, 4, 4}), x({1, 8})}, {{"hidden_size", 4L}}, 17, 2, 2},
        {"GRU",
         {x({3, 2, 2}), x({2, 9, 2}), x({2, 9, 3}), x({2, 18}), integers({3, 2}), x({2, 2, 3})},
         {{"hidden_size", 3L}, {"direction", std::string("bidirectional")}, {"linear_before_reset", 1L}},
         17,
         2,
         2},
        {"GRU", {x({2, 3, 2}), x({1, 9, 2}), x({1, 9, 3})}, {{"hidden_size", 3L}, {"layout", 1L}}, 17, 2, 2},
        {"LSTM",
         {x({3, 2, 2}), x({1, 12, 2}), x({1, 12, 3}), x({1, 24}), none(), x({1, 2, 3}), x({1, 2, 3}), x({1, 9})},
         {{"hidden_size", 3L}, {"direction", std::string("reverse")}},
         17,
         3,
         3},
    };
}

inline std::vector<GradientCase> window_cases() {
    const auto window = [](Ints kernel, std::map<std::string, graph::Attribute> more = {}) {
        more["kernel_shape"] = std::move(kernel);
        return more;
    };
    const Ints twos{2, 2};
    std::vector<GradientCase> cases{
        {"AveragePool", {x({1, 2, 5, 5})}, window({3, 3}, {{"strides", twos}, {"pads", Ints{1, 1, 1, 1}}})},
        {"AveragePool", {x({1, 2, 5})}, window({2}, {{"pads", Ints{0, 1}}, {"ceil_mode", 1L}, {"strides", Ints{2}}})},
        {"AveragePool", {x({1, 1, 6, 6})}, window({2, 2}, {{"dilations", twos}, {"count_include_pad", 1L}}), 19},
        {"AveragePool", {x({1, 1, 3, 3, 3})}, window({2, 2, 2})},
        {"LpPool", {x({1, 2, 5})}, window({2}, {{"p", 3L}})},
        {"MaxPool", {x({1, 2, 5, 5})}, window({3, 3}, {{"strides", twos}, {"pads", Ints{1, 1, 1, 1}}})},
        {"MaxPool", {x({1, 2, 7})}, window({3}, {{"pads", Ints{0, 2}}, {"dilations", Ints{2}}})},
        {"MaxPool", {x({1, 1, 4, 4, 4})}, window({2, 2, 2})},
        {"MaxUnpool", {x({1, 1, 2, 2}), integers({1, 1, 2, 2}, {5, 7, 13, 15})}, window({2, 2}, {{"strides", twos}})},
        {"GlobalAveragePool", {x({2, 2, 3, 3})}},
        {"GlobalMaxPool", {x({2, 2, 3, 3})}},
        {"GlobalLpPool", {x({2, 2, 3, 3})}, {{"p", 2L}}},
        {"Pad", {x({2, 3}), integers({0, 1, 1, -1}), x({}, 1, 2)}},
        {"Pad", {x({3, 4}), integers({1, 2, 2, 0})}, {{"mode", std::string("reflect")}}},
        {"Pad", {x({3, 4}), integers({1, 2, 2, 0})}, {{"mode", std::string("edge")}}},
        {"GridSample", {x({1, 2, 4, 4}), x({1, 3, 3, 2}, -0.8, 0.8)}, {{"mode", std::string("bilinear")}}},
        {"RoiAlign",
         {x({1, 2, 6, 6}), integers({1, 4}, {0, 1, 4, 5}), integers({0})},
         {{"output_height", 2L}, {"output_width", 2L}, {"sampling_ratio", 2L}}},
        {"Upsample", {x({1, 1, 2, 3}), integers({1, 1, 2, 2})}, {{"mode", std::string("linear")}}, 9},
    };
    for (const char* mode : {"nearest", "linear", "cubic"})
        cases.push_back(
            {"Resize", {x({1, 1, 3, 4}), none(), none(), integers({1, 1, 5, 7})}, {{"mode", std::string(mode)}}});
    return cases;
}

inline std::vector<GradientCase> normalization_cases() {
    return {
        {"BatchNormalization", {x({4, 3, 2}), x({3}), x({3}), x({3}), positive({3})}, {{"training_mode", 1L}}, 17, 3},
        {"InstanceNormalization", {x({2, 3, 4}), x({3}), x({3})}},
        {"LayerNormalization", {x({2, 3, 4}), x({3, 4}), x({3, 4})}, {{"axis", 1L}}, 17, 3, 3},
        {"GroupNormalization", {x({2, 4, 3}), x({2}), x({2})}, {{"num_groups", 2L}}, 18},
        {"GroupNormalization", {x({2, 4, 3}), x({4}), x({4})}, {{"num_groups", 2L}}, 21},
        {"RMSNormalization", {x({2, 3, 4}), x({4})}, {}, 23},
        {"LRN", {x({1, 5, 2})}, {{"size", 3L}, {"alpha", 0.1F}}},
        {"LpNormalization", {x({2, 4})}, {{"p", 2L}}},
        {"MeanVarianceNormalization", {x({2, 2, 3, 2})}},
        {"Softmax", {x({2, 3, 2})}, {{"axis", 1L}}},
        {"Softmax", {x({2, 3, 2})}, {{"axis", 1L}}, 12},
        {"LogSoftmax", {x({2, 3})}},
        {"SoftmaxCrossEntropyLoss",
         {x({4, 3}), integers({0, 2, 1, 1}), positive({3})},
         {{"ignore_index", 2L}},
         17,
         2,
         2},
        {"SoftmaxCrossEntropyLoss", {x({1, 3, 2}), integers({1, 2}, {0, 2})}, {{"reduction", std::string("none")}}},
        {"NegativeLogLikelihoodLoss", {x({3, 3}), integers({0, 2, 1})}, {{"reduction", std::string("sum")}}},
        {"Dropout", {x({4, 5}), x({}, 0.3, 0.31), truths({}, {1})}},
        {"DequantizeLinear", {narrow_integers({2, 2}, {3, -4, 5, 7}), positive({2}), narrow_integers({2}, {1, -1})}},
    };
}

inline std::vector<GradientCase> reduction_cases() {
    std::vector<GradientCase> cases;
    for (const char* op : {"ReduceL1", "ReduceL2", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin",
                           "ReduceProd", "ReduceSumSquare"})
        cases.push_back({op, {x({2, 3, 2})}, {{"axes", Ints{0, -1}}}});
    cases.push_back({"ReduceLogSum", {positive({2, 3})}, {{"keepdims", 0L}}});
    cases.push_back({"ReduceSum", {x({2, 3}), integers({1})}});
    cases.push_back({"CumSum", {x({2, 4}), scalar(1)}, {{"exclusive", 1L}, {"reverse", 1L}}});
    cases.push_back({"TopK", {x({2, 5}), integers({2})}, {}, 17, 2, 1});
    return cases;
}

inline std::vector<GradientCase> movement_cases() {
    return {
        {"Concat", {x({2, 1}), x({2, 3})}, {{"axis", 1L}}},
        {"DepthToSpace", {x({1, 8, 2, 1})}, {{"blocksize", 2L}, {"mode", std::string("CRD")}}},
        {"SpaceToDepth", {x({1, 2, 2, 4})}, {{"blocksize", 2L}}},
        {"Expand", {x({2, 1}), integers({3, 1, 4})}},
        {"Flatten", {x({2, 3, 2})}},
        {"Reshape", {x({2, 3, 2}), integers({0, -1})}},
        {"ReverseSequence", {x({4, 2, 2}), integers({2, 4})}},
        {"Slice", {x({4, 5}), integers({1, -1}), integers({3, -5}), integers({0, 1}), integers({1, -2})}},
        {"Split", {x({2, 5}), integers({2, 3})}, {{"axis", 1L}}, 17, 2, 2},
        {"Squeeze", {x({2, 1, 3}), integers({1})}},
        {"Unsqueeze", {x({2, 3}), integers({0, 2})}},
        {"Tile", {x({2, 2}), integers({2, 3})}},
        {"Transpose", {x({2, 3, 2})}, {{"perm", Ints{2, 0, 1}}}},
        {"Trilu", {x({3, 4}), scalar(1)}, {{"upper", 0L}}},
        {"Compress", {x({4, 2}), truths({3}, {1, 0, 1})}, {{"axis", 0L}}},
        {"Gather", {x({4, 3}), integers({2, 2}, {0, -1, 2, 2})}},
        {"Gather", {x({2, 4, 3}), integers({3, 1})}, {{"axis", 1L}}},
        {"Gather", {x({2, 4}), scalar(2)}, {{"axis", 1L}}},
        {"GatherElements", {x({3, 3}), integers({2, 3}, {0, 1, 2, 2, 0, -1})}},
        {"GatherND", {x({2, 3, 2}), integers({2, 1}, {1, 0})}, {{"batch_dims", 1L}}},
        {"OneHot", {integers({1, 0, 2}), integers({3}), x({2})}},
        {"Scatter", {x({3, 3}), integers({1, 3}, {1, 0, 2}), x({1, 3})}, {}, 10},
        {"ScatterElements",
         {x({3, 3}), integers({2, 2}, {1, 0, 2, 2}), x({2, 2})},
         {{"axis", 1L}, {"reduction", std::string("add")}}},
        {"ScatterElements", {positive({3}), integers({1, 1}), positive({2})}, {{"reduction", std::string("mul")}}},
        {"ScatterND", {x({4, 2}), integers({2, 1}, {3, 1}), x({2, 2})}},
        {"ScatterND", {x({4, 2}), integers({2, 1}, {3, 3}), x({2, 2})}, {{"reduction", std::string("add")}}},
        {"DFT", {x({1, 5, 2})}, {{"axis", 1L}}},
        {"STFT", {x({1, 8}), scalar(2), x({4})}},
    };
}

inline std::vector<GradientCase> gradient_cases() {
    std::vector<GradientCase> all;
    for (auto* family :
         {elementwise_cases, product_cases, window_cases, normalization_cases, reduction_cases, movement_cases})
        for (auto& one : family()) all.push_back(std::move(one));
    return all;
}

/// Returns the operators without a gradient. They give integers, booleans, positions, or numbers that depend on no
/// input.
inline std::vector<std::string> operators_without_gradient() {
    return {
        "And",
        "ArgMax",
        "ArgMin",
        "BitShift",
        "BitwiseAnd",
        "BitwiseNot",
        "BitwiseOr",
        "BitwiseXor",
        "BlackmanWindow",
        "Constant",
        "ConstantOfShape",
        "ConvInteger",
        "DynamicQuantizeLinear",
        "Equal",
        "EyeLike",
        "Greater",
        "GreaterOrEqual",
        "HammingWindow",
        "HannWindow",
        "Hardmax",
        "IsInf",
        "IsNaN",
        "Less",
        "LessOrEqual",
        "MatMulInteger",
        "MelWeightMatrix",
        "NonMaxSuppression",
        "NonZero",
        "Not",
        "Or",
        "QLinearConv",
        "QLinearMatMul",
        "QuantizeLinear",
        "Range",
        "Shape",
        "Size",
        "Unique",
        "Xor",
    };
}

}  // namespace divisi::test
