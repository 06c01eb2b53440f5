// SPDX-License-Identifier: Apache-2.0
#include "backend/graph/shapes.h"

#include <algorithm>
#include <set>

#include "backend/graph/error_texts.h"
#include "backend/graph/inference.h"

namespace divisi::graph {

namespace {

ShapeRules make_rules() {
    ShapeRules rules;
    add_elementwise_rules(rules);
    add_arithmetic_rules(rules);
    add_movement_rules(rules);
    add_reshape_rules(rules);
    add_indexing_rules(rules);
    add_product_rules(rules);
    add_window_rules(rules);
    add_recurrent_rules(rules);
    add_special_rules(rules);
    add_reduction_rules(rules);
    add_generator_rules(rules);
    return rules;
}

std::string axis_name(const Value& input, std::size_t axis) { return input.name + "." + std::to_string(axis); }

std::string list_names(const std::set<std::string>& names) {
    constexpr std::size_t shown = 12;
    std::string text;
    std::size_t count = 0;
    for (const std::string& name : names) {
        if (count == shown) return text + ", ...";
        text += (count++ ? ", " : "") + name;
    }
    return text;
}

/// Binds one dimension by its axis name or its symbol. If it has no symbol, the axis name becomes its symbol.
Result<void> bind_dim(const Value& input, std::size_t axis, const Bindings& bindings, Dim& dim) {
    const std::string by_axis = axis_name(input, axis);
    auto bound = bindings.find(by_axis);
    const bool fixed = dim.known() && dim.symbol.empty();
    if (bound == bindings.end() && !dim.symbol.empty()) bound = bindings.find(dim.symbol);
    if (bound == bindings.end()) return {};
    if (bound->second < 0)
        return make_error(error_text("negative-dimension"), "'" + bound->first + "'", {std::to_string(bound->second)});
    if (fixed && dim.size != bound->second)
        return make_error(error_text("dimension-is-fixed"), "input '" + input.name + "', axis " + std::to_string(axis),
                          {std::to_string(dim.size), std::to_string(bound->second)});
    if (fixed) return {};
    dim.size = bound->second;
    if (dim.symbol.empty()) dim.symbol = by_axis;
    return {};
}

Result<void> bind_inputs(Graph& graph, const Bindings& bindings) {
    std::set<std::string> symbols, axes;
    for (const ValueIndex index : graph.inputs) {
        Value& input = graph.values[index];
        if (!input.shape) continue;
        for (std::size_t axis = 0; axis < input.shape->size(); ++axis) {
            Dim& dim = (*input.shape)[axis];
            DIVISI_TRY(bind_dim(input, axis, bindings, dim));
            axes.insert(axis_name(input, axis));
            if (!dim.symbol.empty()) symbols.insert(dim.symbol);
        }
    }
    for (const auto& [name, size] : bindings) {
        if (symbols.count(name) || axes.count(name)) continue;
        const std::string where = "'" + name + "' (bound to " + std::to_string(size) + ")";
        const std::set<std::string>& known = symbols.empty() ? axes : symbols;
        if (known.empty()) return make_error(error_text("no-open-dimension"), where);
        return make_error(error_text("no-dimension-of-name"), where, {list_names(known)});
    }
    return {};
}

}  // namespace

const ShapeRules& shape_rules() {
    static const ShapeRules rules = make_rules();
    return rules;
}

Result<void> infer_shapes(Graph& graph, const Bindings& bindings) {
    const ShapeRules& rules = shape_rules();
    DIVISI_TRY(bind_inputs(graph, bindings));
    InferenceState state{graph, bindings, std::vector<std::optional<Content>>(graph.values.size())};
    for (const Initializer& initializer : graph.initializers)
        if (initializer.data && !initializer.trainable)
            state.contents[initializer.value] = content_of(*initializer.data);
    for (const Node& node : graph.nodes) {
        const bool standard = node.domain.empty() || node.domain == "ai.onnx";
        const auto rule = rules.find(standard ? node.op_type : node.domain + ":" + node.op_type);
        if (rule == rules.end()) continue;
        NodeInference inference(state, node);
        DIVISI_TRY(rule->second(inference));
        if (inference.contradiction()) return *inference.contradiction();
    }
    return {};
}

std::vector<std::string> open_dimensions(const Graph& graph) {
    std::vector<std::string> open;
    for (const ValueIndex index : graph.inputs) {
        const Value& input = graph.values[index];
        if (!input.shape) continue;
        for (std::size_t axis = 0; axis < input.shape->size(); ++axis) {
            const Dim& dim = (*input.shape)[axis];
            if (dim.known()) continue;
            const std::string name = dim.symbol.empty() ? axis_name(input, axis) : dim.symbol;
            if (std::find(open.begin(), open.end(), name) == open.end()) open.push_back(name);
        }
    }
    return open;
}

}  // namespace divisi::graph
