// SPDX-License-Identifier: Apache-2.0
#include "backend/graph/roles.h"

#include <algorithm>
#include <array>

namespace divisi::graph {

namespace {

constexpr auto view_operators = std::to_array<std::string_view>(
    {"Cast", "CastLike", "Dropout", "Flatten", "Identity", "Reshape", "Squeeze", "Transpose", "Unsqueeze"});

Role source_role(const Graph& graph, const std::vector<Role>& roles, ValueIndex input) {
    if (graph.is_initializer(input)) return Role::constant;
    const NodeIndex producer = graph.values[input].producer;
    return producer == no_node ? Role::compute : roles[producer];
}

}  // namespace

std::vector<Role> node_roles(const Graph& graph) {
    std::vector<Role> roles;
    roles.reserve(graph.nodes.size());
    for (const Node& node : graph.nodes) {
        Role role = Role::constant;
        for (const ValueIndex input : node.inputs)
            if (input != no_value) role = std::max(role, source_role(graph, roles, input));
        if (role > Role::shape) {
            const bool only_shape = node.op_type == "Shape" || node.op_type == "Size";
            const bool view = std::binary_search(view_operators.begin(), view_operators.end(), node.op_type);
            role = only_shape ? Role::shape : view ? Role::view : Role::compute;
        }
        roles.push_back(role);
    }
    return roles;
}

std::vector<bool> needs_gradient(const Graph& graph) {
    std::vector<bool> needed(graph.values.size(), false);
    for (const Initializer& initializer : graph.initializers)
        if (initializer.trainable) needed[initializer.value] = true;
    for (const Node& node : graph.nodes) {
        const bool any = std::any_of(node.inputs.begin(), node.inputs.end(),
                                     [&](ValueIndex input) { return input != no_value && needed[input]; });
        if (!any || node.op_type == "Shape" || node.op_type == "Size") continue;
        for (const ValueIndex output : node.outputs) {
            if (output == no_value) continue;
            const DType dtype = graph.values[output].dtype;
            needed[output] = dtype == DType::undefined || is_floating(dtype);
        }
    }
    return needed;
}

}  // namespace divisi::graph
