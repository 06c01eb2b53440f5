// SPDX-License-Identifier: Apache-2.0
#include "backend/graph/operators.h"

#include <algorithm>
#include <array>
#include <memory>
#include <variant>

#include "backend/graph/error_texts.h"
#include "backend/graph/operator_forms.h"

namespace divisi::graph {

namespace {

// clang-format off
/// Sorted operators of ai.onnx. Add a line here for every new kernel: a test compares this list with the kernels.
constexpr auto table = std::to_array<std::string_view>({
    "Abs", "Acos", "Acosh", "Add", "And", "ArgMax", "ArgMin", "Asin", "Asinh", "Atan", "Atanh", "AveragePool",
    "BatchNormalization", "BitShift", "BitwiseAnd", "BitwiseNot", "BitwiseOr", "BitwiseXor", "BlackmanWindow",
    "Cast", "CastLike", "Ceil", "Celu", "Clip", "Compress", "Concat", "Constant", "ConstantOfShape", "Conv",
    "ConvInteger", "ConvTranspose", "Cos", "Cosh", "CumSum",
    "DFT", "DepthToSpace", "DequantizeLinear", "Det", "Div", "Dropout", "DynamicQuantizeLinear",
    "Einsum", "Elu", "Equal", "Erf", "Exp", "Expand", "EyeLike",
    "Flatten", "Floor",
    "GRU", "Gather", "GatherElements", "GatherND", "Gelu", "Gemm", "GlobalAveragePool", "GlobalLpPool",
    "GlobalMaxPool", "Greater", "GreaterOrEqual", "GridSample", "GroupNormalization",
    "HammingWindow", "HannWindow", "HardSigmoid", "HardSwish", "Hardmax",
    "Identity", "InstanceNormalization", "IsInf", "IsNaN",
    "LRN", "LSTM", "LayerNormalization", "LeakyRelu", "Less", "LessOrEqual", "Log", "LogSoftmax", "LpNormalization",
    "LpPool",
    "MatMul", "MatMulInteger", "Max", "MaxPool", "MaxUnpool", "Mean", "MeanVarianceNormalization", "MelWeightMatrix",
    "Min", "Mish", "Mod", "Mul",
    "Neg", "NegativeLogLikelihoodLoss", "NonMaxSuppression", "NonZero", "Not",
    "OneHot", "Or",
    "PRelu", "Pad", "Pow",
    "QLinearConv", "QLinearMatMul", "QuantizeLinear",
    "RMSNormalization", "RNN", "Range", "Reciprocal", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp",
    "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare", "Relu", "Reshape",
    "Resize", "ReverseSequence", "RoiAlign", "Round",
    "STFT", "Scatter", "ScatterElements", "ScatterND", "Selu", "Shape", "Shrink", "Sigmoid", "Sign", "Sin", "Sinh",
    "Size", "Slice", "Softmax", "SoftmaxCrossEntropyLoss", "Softplus", "Softsign", "SpaceToDepth", "Split", "Sqrt",
    "Squeeze", "Sub", "Sum", "Swish",
    "Tan", "Tanh", "ThresholdedRelu", "Tile", "TopK", "Transpose", "Trilu",
    "Unique", "Unsqueeze", "Upsample",
    "Where",
    "Xor",
});
// clang-format on

bool is_onnx_domain(std::string_view domain) { return domain.empty() || domain == "ai.onnx"; }

bool holds_subgraph(const Node& node) {
    return std::any_of(node.attributes.begin(), node.attributes.end(), [](const auto& attribute) {
        return holds_alternative<std::shared_ptr<const Graph>>(attribute.second);
    });
}

Error refuse(const Node& node, const ErrorText& text, std::vector<std::string> args) {
    return make_error(text, "node '" + node.name + "'", std::move(args));
}

Result<void> check_node(const Graph& graph, const Node& node) {
    if (holds_subgraph(node)) return refuse(node, error_text("operator-with-subgraph"), {node.op_type});
    if (is_supported_operator(node.domain, node.op_type)) {
        const auto refusal = refused_form(graph, node);
        if (!refusal) return {};
        return refuse(node, error_text("operator-form-not-supported"), {node.op_type, *refusal});
    }
    const std::string full = is_onnx_domain(node.domain) ? node.op_type : node.domain + ":" + node.op_type;
    if (!is_onnx_domain(node.domain)) return refuse(node, error_text("operator-of-unknown-domain"), {full});
    return refuse(node, error_text("operator-not-supported"), {full});
}

}  // namespace

bool is_supported_operator(std::string_view domain, std::string_view op_type) {
    return is_onnx_domain(domain) && std::binary_search(table.begin(), table.end(), op_type);
}

std::vector<std::string> supported_operators() { return {table.begin(), table.end()}; }

Result<void> check_operators(const Graph& graph) {
    for (const Node& node : graph.nodes) DIVISI_TRY(check_node(graph, node));
    return {};
}

}  // namespace divisi::graph
