// SPDX-License-Identifier: Apache-2.0
#include "backend/graph/operators.h"

#include <algorithm>
#include <array>
#include <memory>
#include <variant>

namespace divisi::graph {

namespace {

/// Sorted; all of ai.onnx. Whoever adds a kernel adds its line here (a test holds both lists equal).
constexpr auto table = std::to_array<std::string_view>({
    "Abs",
    "Acos",
    "Acosh",
    "Add",
    "And",
    "ArgMax",
    "ArgMin",
    "Asin",
    "Asinh",
    "Atan",
    "Atanh",
    "AveragePool",
    "BatchNormalization",
    "BitShift",
    "BitwiseAnd",
    "BitwiseNot",
    "BitwiseOr",
    "BitwiseXor",
    "Cast",
    "CastLike",
    "Ceil",
    "Celu",
    "Clip",
    "Compress",
    "Concat",
    "Constant",
    "ConstantOfShape",
    "Conv",
    "ConvTranspose",
    "Cos",
    "Cosh",
    "CumSum",
    "DepthToSpace",
    "Div",
    "Dropout",
    "Einsum",
    "Elu",
    "Equal",
    "Erf",
    "Exp",
    "Expand",
    "EyeLike",
    "Flatten",
    "Floor",
    "Gather",
    "GatherElements",
    "GatherND",
    "Gelu",
    "Gemm",
    "GlobalAveragePool",
    "GlobalLpPool",
    "GlobalMaxPool",
    "Greater",
    "GreaterOrEqual",
    "GroupNormalization",
    "HardSigmoid",
    "HardSwish",
    "Hardmax",
    "Identity",
    "InstanceNormalization",
    "IsInf",
    "IsNaN",
    "LRN",
    "LayerNormalization",
    "LeakyRelu",
    "Less",
    "LessOrEqual",
    "Log",
    "LogSoftmax",
    "LpNormalization",
    "LpPool",
    "MatMul",
    "Max",
    "MaxPool",
    "Mean",
    "MeanVarianceNormalization",
    "Min",
    "Mish",
    "Mod",
    "Mul",
    "Neg",
    "NegativeLogLikelihoodLoss",
    "NonZero",
    "Not",
    "OneHot",
    "Or",
    "PRelu",
    "Pad",
    "Pow",
    "RMSNormalization",
    "Range",
    "Reciprocal",
    "ReduceL1",
    "ReduceL2",
    "ReduceLogSum",
    "ReduceLogSumExp",
    "ReduceMax",
    "ReduceMean",
    "ReduceMin",
    "ReduceProd",
    "ReduceSum",
    "ReduceSumSquare",
    "Relu",
    "Reshape",
    "Resize",
    "ReverseSequence",
    "Round",
    "ScatterElements",
    "ScatterND",
    "Selu",
    "Shape",
    "Shrink",
    "Sigmoid",
    "Sign",
    "Sin",
    "Sinh",
    "Size",
    "Slice",
    "Softmax",
    "SoftmaxCrossEntropyLoss",
    "Softplus",
    "Softsign",
    "SpaceToDepth",
    "Split",
    "Sqrt",
    "Squeeze",
    "Sub",
    "Sum",
    "Tan",
    "Tanh",
    "ThresholdedRelu",
    "Tile",
    "TopK",
    "Transpose",
    "Trilu",
    "Unsqueeze",
    "Where",
    "Xor",
});

bool is_onnx_domain(std::string_view domain) { return domain.empty() || domain == "ai.onnx"; }

bool holds_subgraph(const Node& node) {
    return std::any_of(node.attributes.begin(), node.attributes.end(), [](const auto& attribute) {
        return std::holds_alternative<std::shared_ptr<const Graph>>(attribute.second);
    });
}

Error refuse(const Node& node, std::string what, std::string next) {
    return Error{ErrorCode::unsupported, std::move(what), "node '" + node.name + "'", std::move(next)};
}

Result<void> check_node(const Node& node) {
    if (holds_subgraph(node))
        return refuse(node, "operator " + node.op_type + " holds a sub-graph, which Divisi does not run",
                      "export the model without data-dependent control flow (trace it, with fixed loop counts)");
    if (is_supported_operator(node.domain, node.op_type)) return {};
    const std::string full = is_onnx_domain(node.domain) ? node.op_type : node.domain + ":" + node.op_type;
    if (!is_onnx_domain(node.domain))
        return refuse(node, "operator " + full + " belongs to a domain that Divisi does not know",
                      "export with standard ONNX operators only (opset 17)");
    return refuse(node, "operator " + full + " is not supported",
                  "replace it in the model, or export it as simpler operators; `divisictl model info` lists what runs");
}

}  // namespace

bool is_supported_operator(std::string_view domain, std::string_view op_type) {
    return is_onnx_domain(domain) && std::binary_search(table.begin(), table.end(), op_type);
}

std::vector<std::string> supported_operators() { return {table.begin(), table.end()}; }

Result<void> check_operators(const Graph& graph) {
    for (const Node& node : graph.nodes) DIVISI_TRY(check_node(node));
    return {};
}

}  // namespace divisi::graph
