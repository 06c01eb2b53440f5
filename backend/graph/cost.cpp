// SPDX-License-Identifier: Apache-2.0
#include "backend/graph/cost.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>

#include "backend/graph/attention.h"
#include "backend/graph/roles.h"

namespace divisi::graph {

namespace {

/// FLOPs per element of output 0. The figures are rough (an exponential costs more than an addition), but their order
/// of magnitude relative to matrix products is right.
const std::map<std::string, double, std::less<>>& elementwise_flops() {
    static const std::map<std::string, double, std::less<>> flops{{"Softmax", 5},
                                                                  {"LogSoftmax", 5},
                                                                  {"LayerNormalization", 8},
                                                                  {"RMSNormalization", 5},
                                                                  {"InstanceNormalization", 8},
                                                                  {"GroupNormalization", 8},
                                                                  {"BatchNormalization", 8},
                                                                  {"LRN", 8},
                                                                  {"MeanVarianceNormalization", 8},
                                                                  {"LpNormalization", 4},
                                                                  {"Gelu", 8},
                                                                  {"Erf", 6},
                                                                  {"Sigmoid", 4},
                                                                  {"Tanh", 4},
                                                                  {"Exp", 4},
                                                                  {"Log", 4},
                                                                  {"Sqrt", 2},
                                                                  {"Pow", 4},
                                                                  {"Mish", 8},
                                                                  {"Selu", 4},
                                                                  {"Elu", 4},
                                                                  {"Celu", 4},
                                                                  {"Softplus", 5},
                                                                  {"HardSwish", 3},
                                                                  {"HardSigmoid", 2},
                                                                  {"Sin", 4},
                                                                  {"Cos", 4},
                                                                  {"Resize", 4}};
    return flops;
}

bool moves_only(std::string_view type) {
    static constexpr std::string_view movers[] = {
        "Cast",      "CastLike",  "Compress", "Concat",    "Constant",       "ConstantOfShape", "DepthToSpace",
        "Expand",    "EyeLike",   "Flatten",  "Gather",    "GatherElements", "GatherND",        "Identity",
        "NonZero",   "OneHot",    "Pad",      "Range",     "Reshape",        "ReverseSequence", "ScatterElements",
        "ScatterND", "Shape",     "Size",     "Slice",     "SpaceToDepth",   "Split",           "Squeeze",
        "Tile",      "Transpose", "Trilu",    "Unsqueeze", "Where"};
    return std::binary_search(std::begin(movers), std::end(movers), type);
}

/// Returns whether the operator's outputs share memory with its input.
bool shares_memory(std::string_view type) {
    static constexpr std::string_view views[] = {"Flatten", "Identity", "Reshape",   "Slice",
                                                 "Split",   "Squeeze",  "Transpose", "Unsqueeze"};
    return std::binary_search(std::begin(views), std::end(views), type);
}

class CostReader {
public:
    CostReader(const Graph& graph, const Node& node) : graph_(graph), node_(node) {}

    const Shape* shape(std::size_t slot) const {
        if (slot >= node_.inputs.size() || node_.inputs[slot] == no_value) return nullptr;
        const auto& shape = graph_.values[node_.inputs[slot]].shape;
        return shape ? &*shape : nullptr;
    }
    double elements(ValueIndex index) {
        if (index == no_value) return 0;
        const auto count = element_count(graph_.values[index]);
        open_ |= !count;
        return static_cast<double>(count.value_or(0));
    }
    double input_elements(std::size_t slot) { return slot < node_.inputs.size() ? elements(node_.inputs[slot]) : 0; }
    double output_elements() { return node_.outputs.empty() ? 0 : elements(node_.outputs.front()); }
    double size(const Shape* shape, std::size_t axis) {
        if (!shape || axis >= shape->size() || !(*shape)[axis].known()) {
            open_ = true;
            return 0;
        }
        return static_cast<double>((*shape)[axis].size);
    }
    /// Returns the last dimension of an input.
    double width(std::size_t slot) {
        const Shape* dims = shape(slot);
        return size(dims, dims && !dims->empty() ? dims->size() - 1 : 0);
    }
    double integer(const std::string& name, double fallback) const {
        const auto found = node_.attributes.find(name);
        const auto* value = found == node_.attributes.end() ? nullptr : get_if<std::int64_t>(&found->second);
        return value ? static_cast<double>(*value) : fallback;
    }
    double kernel_volume() const {
        const auto found = node_.attributes.find("kernel_shape");
        if (found == node_.attributes.end()) return 1;
        double volume = 1;
        if (const auto* kernel = get_if<std::vector<std::int64_t>>(&found->second))
            for (const std::int64_t size : *kernel) volume *= static_cast<double>(size);
        return volume;
    }
    std::string text(const std::string& name) const {
        const auto found = node_.attributes.find(name);
        const auto* value = found == node_.attributes.end() ? nullptr : get_if<std::string>(&found->second);
        return value ? *value : std::string{};
    }
    const Node& node() const { return node_; }
    bool open() const { return open_; }

private:
    const Graph& graph_;
    const Node& node_;
    bool open_ = false;
};

/// Returns 2 times the product of all label sizes. This is exact for two operands; more operands would be contracted in
/// pairs.
double einsum_flops(CostReader& reader) {
    std::map<char, double> sizes;
    std::string equation = reader.text("equation");
    std::erase(equation, ' ');
    std::size_t slot = 0, axis = 0;
    for (const char label : equation.substr(0, equation.find("->"))) {
        if (label == ',') {
            ++slot;
            axis = 0;
        } else if (label == '.') {
            return 2 * reader.output_elements();  // with an ellipsis, the result is only an order of magnitude
        } else {
            sizes[label] = std::max(sizes[label], reader.size(reader.shape(slot), axis++));
        }
    }
    double product = 2;
    for (const auto& [label, size] : sizes) product *= size;
    return product;
}

/// Returns the number of elements in all scores of an attention.
double score_elements(CostReader& reader) {
    const double width = reader.width(0);
    return width > 0 ? reader.input_elements(0) / width * reader.width(1) : 0;
}

/// Returns the FLOPs of an attention: two products and the softmax between them.
double attention_flops(CostReader& reader) {
    return score_elements(reader) * (2 * reader.width(0) + 2 * reader.width(2) + 5);
}

/// Returns the FLOPs of a matrix product, counting a multiply-add as 2. Returns 0 for other operators.
double product_flops(CostReader& reader) {
    const std::string& type = reader.node().op_type;
    const Shape *a = reader.shape(0), *w = reader.shape(1);
    if (type == "Conv" || type == "ConvTranspose") {
        double volume = 1;
        for (std::size_t i = 2; w && i < w->size(); ++i) volume *= reader.size(w, i);
        if (type == "Conv") return 2 * reader.output_elements() * reader.size(w, 1) * volume;
        return 2 * reader.input_elements(0) * reader.size(w, 1) * volume;
    }
    if (type == "Gemm") return 2 * reader.output_elements() * reader.size(a, reader.integer("transA", 0) != 0 ? 0 : 1);
    if (type == "MatMul") return 2 * reader.output_elements() * reader.size(a, a && !a->empty() ? a->size() - 1 : 0);
    if (type == "Einsum") return einsum_flops(reader);
    if (is_attention(reader.node())) return attention_flops(reader);
    if (type == "GRU" || type == "LSTM" || type == "RNN") {  // input and recurrent weights apply at every time step
        const double places = reader.size(a, 0) * reader.size(a, 1);
        return 2 * places * (reader.input_elements(1) + reader.input_elements(2));
    }
    return 0;
}

double simple_flops(CostReader& reader) {
    const std::string& type = reader.node().op_type;
    if (moves_only(type)) return 0;
    if (type.starts_with("Reduce") || type.starts_with("Arg") || type.starts_with("Global"))
        return reader.input_elements(0);
    if (type == "SoftmaxCrossEntropyLoss") return 5 * reader.input_elements(0);
    if (type.ends_with("Pool")) return reader.output_elements() * reader.kernel_volume();
    const auto known = elementwise_flops().find(type);
    return (known == elementwise_flops().end() ? 1.0 : known->second) * reader.output_elements();
}

/// Cost of one of an attention's three gradients, relative to its forward pass: the backward pass has five products,
/// the forward pass two.
constexpr double attention_gradient = 5.0 / 2.0 / 3.0;

class CostModel {
public:
    explicit CostModel(const Graph& graph)
        : graph_(graph), roles_(node_roles(graph)), gradient_(needs_gradient(graph)) {}

    NodeCost cost(NodeIndex index) const {
        const Node& node = graph_.nodes[index];
        CostReader reader(graph_, node);
        NodeCost cost;
        const double product = product_flops(reader);
        const bool adds_bias = node.op_type.starts_with("Conv") || node.op_type == "Gemm";
        const double bias = product > 0 && adds_bias && reader.shape(2) ? reader.output_elements() : 0;
        cost.forward_flops = product > 0 ? product + bias : simple_flops(reader);
        add_memory(index, reader, cost);
        add_gradients(node, product, cost);
        cost.open_nodes = reader.open() ? 1 : 0;
        return cost;
    }

private:
    double bytes(ValueIndex index) const {
        return index == no_value ? 0 : static_cast<double>(size_bytes(graph_.values[index]).value_or(0));
    }
    DType dtype_of(const Node& node) const { return graph_.values[node.outputs[0]].dtype; }
    bool wants_gradient(ValueIndex index) const { return index != no_value && gradient_[index]; }

    void add_memory(NodeIndex index, CostReader& reader, NodeCost& cost) const {
        const Node& node = graph_.nodes[index];
        const bool view = shares_memory(node.op_type);
        for (const ValueIndex output : node.outputs) {
            if (output == no_value) continue;
            reader.elements(output);
            if (view) continue;
            cost.forward_bytes += bytes(output);
            if (roles_[index] >= Role::view) cost.activation_bytes += bytes(output);
        }
        // Counts the scores, which are kept for the backward pass unless a fused library operator runs.
        if (is_attention(node))
            cost.activation_bytes += score_elements(reader) * static_cast<double>(element_size(dtype_of(node)));
        for (std::size_t slot = 0; slot < node.inputs.size(); ++slot) {
            const ValueIndex input = node.inputs[slot];
            if (input == no_value) continue;
            reader.elements(input);
            // A Gather reads only the selected rows of its table.
            const bool table = slot == 0 && node.op_type.starts_with("Gather");
            if (!view) cost.forward_bytes += table && !node.outputs.empty() ? bytes(node.outputs[0]) : bytes(input);
            const bool first_use =
                graph_.values[input].consumers.front() == index &&
                std::find(node.inputs.begin(), node.inputs.begin() + static_cast<std::ptrdiff_t>(slot), input) ==
                    node.inputs.begin() + static_cast<std::ptrdiff_t>(slot);
            if (!graph_.is_initializer(input) || !first_use) continue;
            cost.parameter_bytes += bytes(input);
            if (graph_.initializers[graph_.values[input].initializer].trainable)
                cost.parameters += element_count(graph_.values[input]).value_or(0);
        }
    }

    /// Adds the cost of gradients. The gradient of a product's factor costs one product. Any other gradient costs about
    /// as much as the forward pass or, for a weight, one FLOP per element.
    void add_gradients(const Node& node, double product, NodeCost& cost) const {
        const bool view = shares_memory(node.op_type);
        const double output = node.outputs.empty() ? 0 : bytes(node.outputs[0]);
        for (std::size_t slot = 0; slot < node.inputs.size(); ++slot) {
            const ValueIndex input = node.inputs[slot];
            if (!wants_gradient(input)) continue;
            const double elements = static_cast<double>(element_count(graph_.values[input]).value_or(0));
            double flops = product == 0 ? cost.forward_flops : slot < 2 ? product : elements;
            if (is_attention(node)) flops = attention_gradient * product;
            const bool weight = graph_.is_initializer(input);
            if (weight) cost.weight_gradient_flops += product == 0 ? elements : flops;
            else cost.input_gradient_flops += flops;
            if (!view) cost.backward_bytes += output + 2 * bytes(input);
        }
    }

    const Graph& graph_;
    std::vector<Role> roles_;
    std::vector<bool> gradient_;
};

}  // namespace

NodeCost& NodeCost::operator+=(const NodeCost& other) {
    forward_flops += other.forward_flops;
    input_gradient_flops += other.input_gradient_flops;
    weight_gradient_flops += other.weight_gradient_flops;
    forward_bytes += other.forward_bytes;
    backward_bytes += other.backward_bytes;
    parameter_bytes += other.parameter_bytes;
    activation_bytes += other.activation_bytes;
    parameters += other.parameters;
    open_nodes += other.open_nodes;
    return *this;
}

NodeCost& NodeCost::operator-=(const NodeCost& other) {
    forward_flops -= other.forward_flops;
    input_gradient_flops -= other.input_gradient_flops;
    weight_gradient_flops -= other.weight_gradient_flops;
    forward_bytes -= other.forward_bytes;
    backward_bytes -= other.backward_bytes;
    parameter_bytes -= other.parameter_bytes;
    activation_bytes -= other.activation_bytes;
    parameters -= other.parameters;
    open_nodes -= other.open_nodes;
    return *this;
}

GraphCost::GraphCost(const Graph& graph) {
    const CostModel model(graph);
    const std::size_t count = graph.nodes.size();
    nodes_.reserve(count);
    prefix_.resize(count + 1);
    for (std::size_t i = 0; i < count; ++i) {
        nodes_.push_back(model.cost(static_cast<NodeIndex>(i)));
        prefix_[i + 1] = prefix_[i];
        prefix_[i + 1] += nodes_[i];
    }
}

NodeCost GraphCost::range(NodeIndex first, NodeIndex last) const {
    NodeCost sum = prefix_[last];
    sum -= prefix_[first];
    return sum;
}

}  // namespace divisi::graph
