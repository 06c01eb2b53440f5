// SPDX-License-Identifier: Apache-2.0
#include "backend/graph/attention.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend/graph/roles.h"

namespace divisi::graph {

namespace {

/// Scores at or below this value count as minus infinity: float32 rounding removes anything that is added to such a
/// score.
constexpr double unseen_score = -1e20;

/// Holds the parts of one attention found in the graph.
struct Found {
    std::vector<NodeIndex> nodes;  ///< all nodes of the attention, including the last product
    NodeIndex last = no_node;
    ValueIndex query = no_value, keys = no_value, values = no_value, bias = no_value, condition = no_value;
    double scale = 1.0, fill = 0.0;
    bool keep = true, causal = false, safe = false;
};

class Finder {
public:
    explicit Finder(const Graph& graph) : graph_(graph), gradient_(needs_gradient(graph)) {}

    /// Finds the attention around a Softmax. Empty if the surrounding nodes are not an attention.
    std::optional<Found> around(NodeIndex softmax) const {
        const Node& node = graph_.nodes[softmax];
        if (!is(node, "Softmax") || !over_last_axis(node)) return {};
        Found found;
        found.nodes = {softmax};
        const ValueIndex weights = take_guard(node.outputs[0], found);
        if (!is_private(weights)) return {};
        found.last = graph_.values[weights].consumers.front();
        const Node& last = graph_.nodes[found.last];
        if (!is(last, "MatMul") || last.inputs[0] != weights) return {};
        found.values = last.inputs[1];
        found.nodes.push_back(found.last);
        if (!take_scores(node.inputs[0], found) || !fits(found)) return {};
        found.causal = is_causal(found);
        return found;
    }

private:
    static bool is(const Node& node, std::string_view type) {
        return node.op_type == type && (node.domain.empty() || node.domain == "ai.onnx");
    }

    const Shape* shape(ValueIndex value) const {
        const auto& known = graph_.values[value].shape;
        const bool closed =
            known && std::all_of(known->begin(), known->end(), [](const Dim& dim) { return dim.known(); });
        return closed ? &*known : nullptr;
    }

    bool over_last_axis(const Node& softmax) const {
        const Shape* scores = shape(softmax.inputs[0]);
        if (!scores) return false;
        const auto found = softmax.attributes.find("axis");
        const auto* axis = found == softmax.attributes.end() ? nullptr : get_if<std::int64_t>(&found->second);
        const std::int64_t given = axis ? *axis : graph_.opset >= 13 ? -1 : 1;
        return given == -1 || given == static_cast<std::int64_t>(scores->size()) - 1;
    }

    /// Returns whether exactly one input slot reads the value, and the value is not an output of the model.
    bool is_private(ValueIndex value) const {
        return graph_.values[value].consumers.size() == 1 &&
               std::find(graph_.outputs.begin(), graph_.outputs.end(), value) == graph_.outputs.end();
    }

    /// Returns the node that computes the value if only one node reads it (see is_private()), otherwise nullptr.
    const Node* maker(ValueIndex value) const {
        const NodeIndex producer = graph_.values[value].producer;
        return producer != no_node && is_private(value) ? &graph_.nodes[producer] : nullptr;
    }

    const HostTensor* constant(ValueIndex value) const {
        if (!graph_.is_initializer(value)) return nullptr;
        const Initializer& initializer = graph_.initializers[graph_.values[value].initializer];
        return initializer.data && !initializer.trainable ? &*initializer.data : nullptr;
    }

    std::optional<double> scalar(ValueIndex value) const {
        const HostTensor* data = constant(value);
        if (!data || !is_floating(data->dtype) || data->element_count() != 1) return {};
        return data->number_at(0);
    }

    void take(ValueIndex value, Found& found) const { found.nodes.push_back(graph_.values[value].producer); }

    /// Matches Where(IsNaN(weights), 0, weights), which exporters add after a softmax. Adds both nodes to `found` and
    /// returns the output of the Where, or `weights` if there is no such guard.
    ValueIndex take_guard(ValueIndex weights, Found& found) const {
        const auto& readers = graph_.values[weights].consumers;
        const bool shown = std::find(graph_.outputs.begin(), graph_.outputs.end(), weights) != graph_.outputs.end();
        if (readers.size() != 2 || shown) return weights;
        const Node &check = graph_.nodes[readers[0]], &choice = graph_.nodes[readers[1]];
        if (!is(check, "IsNaN") || !is_private(check.outputs[0]) || !is(choice, "Where") ||
            choice.inputs[0] != check.outputs[0] || choice.inputs[2] != weights || scalar(choice.inputs[1]) != 0.0)
            return weights;
        found.safe = true;
        found.nodes.insert(found.nodes.end(), readers.begin(), readers.end());
        return choice.outputs[0];
    }

    /// Matches a product or quotient with one constant number. Multiplies the number into found.scale and returns the
    /// other operand, or `value` if there is no match.
    ValueIndex take_scale(ValueIndex value, Found& found) const {
        const Node* node = maker(value);
        if (!node || (!is(*node, "Mul") && !is(*node, "Div"))) return value;
        const bool divides = is(*node, "Div");
        for (std::size_t slot = divides ? 1 : 0; slot < 2; ++slot) {
            const auto number = scalar(node->inputs[slot]);
            const ValueIndex other = node->inputs[1 - slot];
            if (!number || *number == 0.0 || !same_shape(other, value)) continue;
            found.scale = divides ? found.scale / *number : found.scale * *number;
            take(value, found);
            return other;
        }
        return value;
    }

    bool take_scores(ValueIndex scores, Found& found) const {
        scores = take_bias(scores, found);
        scores = take_condition(scores, found);
        for (ValueIndex next = take_scale(scores, found); next != scores; next = take_scale(scores, found))
            scores = next;
        const Node* product = maker(scores);
        if (!product || !is(*product, "MatMul")) return false;
        take(scores, found);
        found.query = take_scale(product->inputs[0], found);
        found.keys = take_scale(product->inputs[1], found);
        return true;
    }

    /// Returns whether the value comes from a matrix product, possibly through scales and masks. This distinguishes the
    /// scores from the bias added to them.
    bool leads_to_product(ValueIndex value) const {
        for (const Node* node = maker(value); node; node = maker(value)) {
            if (is(*node, "MatMul")) return true;
            if (!is(*node, "Mul") && !is(*node, "Div") && !is(*node, "Where")) return false;
            const std::size_t slot = is(*node, "Where")        ? (scalar(node->inputs[1]) ? 2 : 1)
                                     : scalar(node->inputs[0]) ? 1
                                                               : 0;
            value = node->inputs[slot];
        }
        return false;
    }

    ValueIndex take_bias(ValueIndex value, Found& found) const {
        const Node* node = maker(value);
        if (!node || !is(*node, "Add")) return value;
        for (std::size_t slot = 0; slot < 2; ++slot) {
            const ValueIndex scores = node->inputs[slot], bias = node->inputs[1 - slot];
            if (!leads_to_product(scores) || !same_shape(scores, value) || gradient_[bias]) continue;
            found.bias = bias;
            take(value, found);
            return scores;
        }
        return value;
    }

    ValueIndex take_condition(ValueIndex value, Found& found) const {
        const Node* node = maker(value);
        if (!node || !is(*node, "Where")) return value;
        for (std::size_t slot = 1; slot < 3; ++slot) {
            const ValueIndex scores = node->inputs[slot];
            const auto fill = scalar(node->inputs[3 - slot]);
            if (!fill || *fill > unseen_score || !leads_to_product(scores) || !same_shape(scores, value)) continue;
            found.condition = node->inputs[0];
            found.fill = *fill;
            found.keep = slot == 1;
            take(value, found);
            return scores;
        }
        return value;
    }

    bool same_shape(ValueIndex a, ValueIndex b) const {
        const Shape *left = shape(a), *right = shape(b);
        return left && right && *left == *right;
    }

    /// Returns whether each dimension of `mask` is 1 or equals the dimension of the scores.
    bool spreads_to(ValueIndex mask, const Shape& scores) const {
        if (mask == no_value) return true;
        const Shape* given = shape(mask);
        if (!given || given->size() > scores.size()) return false;
        return std::equal(given->rbegin(), given->rend(), scores.rbegin(),
                          [](const Dim& dim, const Dim& whole) { return dim.size == 1 || dim.size == whole.size; });
    }

    bool fits(const Found& found) const {
        const Shape *q = shape(found.query), *k = shape(found.keys), *v = shape(found.values);
        if (!q || !k || !v || q->size() < 3 || q->size() > 4 || k->size() != q->size() || v->size() != q->size())
            return false;
        const auto heads = static_cast<std::ptrdiff_t>(q->size()) - 2;
        if (!std::equal(q->begin(), q->begin() + heads, k->begin()) ||
            !std::equal(q->begin(), q->begin() + heads, v->begin()))
            return false;
        Shape scores(q->begin(), q->end() - 1);
        scores.push_back(k->back());
        const DType dtype = graph_.values[found.query].dtype;
        const auto typed = [&](ValueIndex value) { return value == no_value || graph_.values[value].dtype == dtype; };
        return is_floating(dtype) && typed(found.keys) && typed(found.values) && typed(found.bias) &&
               spreads_to(found.bias, scores) && spreads_to(found.condition, scores) && std::isfinite(found.scale);
    }

    /// Returns whether there is only one mask, it is constant and the same for all heads, and row i sees exactly
    /// columns 0 to i.
    bool is_causal(const Found& found) const {
        if ((found.bias == no_value) == (found.condition == no_value)) return false;
        const ValueIndex mask = found.bias != no_value ? found.bias : found.condition;
        const HostTensor* data = constant(mask);
        const std::int64_t length = (*shape(found.query))[shape(found.query)->size() - 2].size;
        if (!data || shape(found.keys)->back().size != length || data->element_count() != length * length ||
            data->dims.size() < 2 || data->dims.back() != length || data->dims[data->dims.size() - 2] != length)
            return false;
        for (std::int64_t row = 0; row < length; ++row)
            for (std::int64_t column = 0; column < length; ++column)
                if (!says(*data, row * length + column, column <= row, found)) return false;
        return true;
    }
    static bool says(const HostTensor& mask, std::int64_t at, bool seen, const Found& found) {
        if (found.condition != no_value) return ((mask.integer_at(at) != 0) == found.keep) == seen;
        return seen ? mask.number_at(at) == 0.0 : mask.number_at(at) <= unseen_score;
    }

    const Graph& graph_;
    std::vector<bool> gradient_;
};

Node make_node(const Graph& graph, const Found& found) {
    Node node;
    node.name = graph.nodes[found.last].name;
    node.domain = attention_domain;
    node.op_type = attention_type;
    node.inputs = {found.query, found.keys, found.values};
    if (found.bias != no_value || found.condition != no_value) node.inputs.push_back(found.bias);
    if (found.condition != no_value) node.inputs.push_back(found.condition);
    node.outputs = graph.nodes[found.last].outputs;
    node.attributes["scale"] = static_cast<float>(found.scale);
    node.attributes["causal"] = std::int64_t{found.causal};
    node.attributes["safe"] = std::int64_t{found.safe};
    if (found.condition != no_value) {
        node.attributes["fill"] = static_cast<float>(found.fill);
        node.attributes["keep"] = std::int64_t{found.keep};
    }
    return node;
}

/// Removes values that no node, input, output or initializer uses.
void drop_unused_values(Graph& graph) {
    std::vector<bool> used(graph.values.size(), false);
    const auto mark = [&](const std::vector<ValueIndex>& list) {
        for (const ValueIndex value : list)
            if (value != no_value) used[value] = true;
    };
    for (const Node& node : graph.nodes) mark(node.inputs), mark(node.outputs);
    mark(graph.inputs);
    mark(graph.outputs);
    for (const Initializer& initializer : graph.initializers) used[initializer.value] = true;
    std::vector<ValueIndex> moved(graph.values.size(), no_value);
    std::vector<Value> values;
    for (std::size_t i = 0; i < used.size(); ++i) {
        if (!used[i]) continue;
        moved[i] = static_cast<ValueIndex>(values.size());
        values.push_back(std::move(graph.values[i]));
    }
    graph.values = std::move(values);
    const auto move = [&](std::vector<ValueIndex>& list) {
        for (ValueIndex& value : list)
            if (value != no_value) value = moved[value];
    };
    for (Node& node : graph.nodes) move(node.inputs), move(node.outputs);
    move(graph.inputs);
    move(graph.outputs);
    for (Initializer& initializer : graph.initializers) initializer.value = moved[initializer.value];
}

/// Recomputes producers and consumers after nodes were removed. The order stays canonical.
void renumber(Graph& graph) {
    for (Value& value : graph.values) value.producer = no_node, value.consumers.clear();
    for (NodeIndex i = 0; i < static_cast<NodeIndex>(graph.nodes.size()); ++i) {
        for (const ValueIndex output : graph.nodes[i].outputs)
            if (output != no_value) graph.values[output].producer = i;
        for (const ValueIndex input : graph.nodes[i].inputs)
            if (input != no_value) graph.values[input].consumers.push_back(i);
    }
}

}  // namespace

bool is_attention(const Node& node) { return node.op_type == attention_type && node.domain == attention_domain; }

std::size_t fuse_attention(Graph& graph) {
    const Finder finder(graph);
    std::vector<std::optional<Node>> replaced(graph.nodes.size());
    std::vector<bool> removed(graph.nodes.size(), false);
    std::size_t count = 0;
    for (NodeIndex i = 0; i < static_cast<NodeIndex>(graph.nodes.size()); ++i) {
        const auto found = finder.around(i);
        if (!found) continue;
        for (const NodeIndex part : found->nodes) removed[part] = true;
        replaced[found->last] = make_node(graph, *found);
        ++count;
    }
    if (count == 0) return 0;
    std::vector<Node> nodes;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        if (replaced[i]) nodes.push_back(std::move(*replaced[i]));
        else if (!removed[i]) nodes.push_back(std::move(graph.nodes[i]));
    }
    graph.nodes = std::move(nodes);
    // Skeletons contain the attention node, and need its opset.
    graph.other_opsets.emplace(std::string(attention_domain), 1);
    drop_unused_values(graph);
    renumber(graph);
    return count;
}

}  // namespace divisi::graph
