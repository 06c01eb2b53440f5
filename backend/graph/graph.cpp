// SPDX-License-Identifier: Apache-2.0
#include "backend/graph/graph.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "backend/graph/error_texts.h"

namespace divisi::graph {

namespace {

/// Maximum number of names in a message before "... and n more".
constexpr std::size_t longest_name_list = 8;

std::string join_names(const std::vector<std::string>& names, const char* separator) {
    std::string text;
    const std::size_t shown = std::min(names.size(), longest_name_list);
    for (std::size_t i = 0; i < shown; ++i) text += (i ? separator : "") + names[i];
    if (shown < names.size()) text += " ... and " + std::to_string(names.size() - shown) + " more";
    return text;
}

/// Recomputes Value::producer. Fails if two nodes produce a value, or if a produced value is also an input or
/// initializer.
Result<void> fill_producers(Graph& graph) {
    for (Value& value : graph.values) value.producer = no_node;
    for (NodeIndex i = 0; i < static_cast<NodeIndex>(graph.nodes.size()); ++i) {
        for (const ValueIndex output : graph.nodes[i].outputs) {
            if (output == no_value) continue;
            Value& value = graph.values[output];
            if (value.producer != no_node || value.initializer >= 0) {
                const std::string other = value.initializer >= 0 ? "an initializer of that name"
                                                                 : "'" + graph.nodes[value.producer].name + "'";
                return make_error(error_text("value-produced-twice"), "node '" + graph.nodes[i].name + "'",
                                  {value.name, other});
            }
            value.producer = i;
        }
    }
    for (const ValueIndex input : graph.inputs) {
        const Value& value = graph.values[input];
        if (value.producer == no_node) continue;
        return make_error(error_text("output-is-also-input"), "node '" + graph.nodes[value.producer].name + "'",
                          {value.name});
    }
    return {};
}

/// Checks that every value that is read has a source.
Result<void> check_sources(const Graph& graph) {
    std::vector<bool> given(graph.values.size(), false);
    for (const ValueIndex input : graph.inputs) given[input] = true;
    const auto has_source = [&](ValueIndex index) {
        const Value& value = graph.values[index];
        return given[index] || value.producer != no_node || value.initializer >= 0;
    };
    for (const Node& node : graph.nodes) {
        for (const ValueIndex input : node.inputs) {
            if (input == no_value || has_source(input)) continue;
            return make_error(error_text("input-from-nowhere"), "node '" + node.name + "'", {graph.values[input].name});
        }
    }
    for (const ValueIndex output : graph.outputs) {
        if (has_source(output)) continue;
        return make_error(error_text("output-from-no-node"), "graph '" + graph.name + "'", {graph.values[output].name});
    }
    return {};
}

/// Describes a cycle: follows unsorted producers of an unsorted node until a node repeats.
Error describe_cycle(const Graph& graph, const std::vector<bool>& sorted) {
    const auto unsorted_producer = [&](NodeIndex index) {
        for (const ValueIndex input : graph.nodes[index].inputs) {
            const NodeIndex producer = input == no_value ? no_node : graph.values[input].producer;
            if (producer != no_node && !sorted[producer]) return producer;
        }
        return no_node;
    };
    std::vector<NodeIndex> walk;
    std::vector<bool> seen(graph.nodes.size(), false);
    auto at = static_cast<NodeIndex>(std::find(sorted.begin(), sorted.end(), false) - sorted.begin());
    while (!seen[at]) {
        seen[at] = true;
        walk.push_back(at);
        at = unsorted_producer(at);  // always found, since an unsorted node waits for another unsorted node
    }
    walk.erase(walk.begin(), std::find(walk.begin(), walk.end(), at));
    std::reverse(walk.begin(), walk.end());
    std::rotate(walk.begin(), std::min_element(walk.begin(), walk.end()), walk.end());
    std::vector<std::string> names;
    for (const NodeIndex index : walk) names.push_back("'" + graph.nodes[index].name + "'");
    names.push_back(names.front());
    return make_error(error_text("graph-has-cycle"), "graph '" + graph.name + "'", {join_names(names, " -> ")});
}

/// Sorts nodes by Kahn's algorithm, smallest file position first, so that a sorted file keeps its order.
Result<std::vector<NodeIndex>> sorted_order(const Graph& graph) {
    const std::size_t count = graph.nodes.size();
    std::vector<std::int32_t> waiting(count, 0);
    std::vector<std::vector<NodeIndex>> followers(count);
    for (std::size_t i = 0; i < count; ++i) {
        for (const ValueIndex input : graph.nodes[i].inputs) {
            const NodeIndex producer = input == no_value ? no_node : graph.values[input].producer;
            if (producer == no_node) continue;
            followers[producer].push_back(static_cast<NodeIndex>(i));
            ++waiting[i];
        }
    }
    std::priority_queue<NodeIndex, std::vector<NodeIndex>, std::greater<>> ready;
    for (std::size_t i = 0; i < count; ++i)
        if (waiting[i] == 0) ready.push(static_cast<NodeIndex>(i));
    std::vector<NodeIndex> order;
    std::vector<bool> sorted(count, false);
    order.reserve(count);
    while (!ready.empty()) {
        const NodeIndex next = ready.top();
        ready.pop();
        order.push_back(next);
        sorted[next] = true;
        for (const NodeIndex follower : followers[next])
            if (--waiting[follower] == 0) ready.push(follower);
    }
    if (order.size() < count) return describe_cycle(graph, sorted);
    return order;
}

}  // namespace

ValueIndex Graph::add_value(std::string value_name, DType dtype, std::optional<Shape> shape) {
    Value value;
    value.name = std::move(value_name);
    value.dtype = dtype;
    value.shape = std::move(shape);
    values.push_back(std::move(value));
    return static_cast<ValueIndex>(values.size() - 1);
}

NodeIndex Graph::add_node(Node node) {
    const auto index = static_cast<NodeIndex>(nodes.size());
    for (const ValueIndex output : node.outputs)
        if (output != no_value) values[output].producer = index;
    for (const ValueIndex input : node.inputs)
        if (input != no_value) values[input].consumers.push_back(index);
    nodes.push_back(std::move(node));
    return index;
}

ValueIndex Graph::add_initializer(std::string value_name, Initializer initializer, DType dtype, Shape shape) {
    const ValueIndex value = add_value(std::move(value_name), dtype, std::move(shape));
    initializer.value = value;
    values[value].initializer = static_cast<std::int32_t>(initializers.size());
    initializers.push_back(std::move(initializer));
    return value;
}

ValueIndex Graph::find_value(std::string_view value_name) const {
    const auto found = std::find_if(values.begin(), values.end(), [&](const Value& v) { return v.name == value_name; });
    return found == values.end() ? no_value : static_cast<ValueIndex>(found - values.begin());
}

NodeIndex Graph::find_node(std::string_view node_name) const {
    const auto found = std::find_if(nodes.begin(), nodes.end(), [&](const Node& n) { return n.name == node_name; });
    return found == nodes.end() ? no_node : static_cast<NodeIndex>(found - nodes.begin());
}

Result<void> Graph::canonicalize() {
    DIVISI_TRY(fill_producers(*this));
    DIVISI_TRY(check_sources(*this));
    DIVISI_ASSIGN(const std::vector<NodeIndex> order, sorted_order(*this));
    if (!std::is_sorted(order.begin(), order.end())) {
        std::vector<Node> sorted;
        sorted.reserve(nodes.size());
        for (const NodeIndex index : order) sorted.push_back(std::move(nodes[index]));
        nodes = std::move(sorted);
    }
    for (Value& value : values) value.consumers.clear();
    for (NodeIndex i = 0; i < static_cast<NodeIndex>(nodes.size()); ++i) {
        for (const ValueIndex output : nodes[i].outputs)
            if (output != no_value) values[output].producer = i;
        for (const ValueIndex input : nodes[i].inputs)
            if (input != no_value) values[input].consumers.push_back(i);
    }
    return {};
}

std::optional<std::int64_t> element_count(const Value& value) {
    if (!value.shape) return std::nullopt;
    std::int64_t count = 1;
    bool overflow = false;
    for (const Dim& dim : *value.shape) {
        if (!dim.known()) return std::nullopt;
        if (dim.size == 0) return 0;
        overflow |= __builtin_mul_overflow(count, dim.size, &count);
    }
    if (overflow) return std::nullopt;
    return count;
}

std::optional<std::int64_t> size_bytes(const Value& value) {
    const auto count = element_count(value);
    std::int64_t bytes = 0;
    if (!count || value.dtype == DType::undefined || __builtin_mul_overflow(*count, element_size(value.dtype), &bytes))
        return std::nullopt;
    return bytes;
}

}  // namespace divisi::graph
