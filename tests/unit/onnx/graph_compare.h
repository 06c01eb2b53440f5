// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <variant>

#include "backend/graph/graph.h"

namespace divisi::onnx::testing {

inline bool same_data(const std::optional<graph::HostTensor>& a, const std::optional<graph::HostTensor>& b) {
    if (!a || !b) return a.has_value() == b.has_value();
    return a->dtype == b->dtype && a->dims == b->dims && std::ranges::equal(a->bytes(), b->bytes());
}

inline bool same_attribute(const graph::Attribute& a, const graph::Attribute& b) {
    if (const auto* tensor = get_if<graph::HostTensor>(&a)) {
        const auto* other = get_if<graph::HostTensor>(&b);
        return other != nullptr && same_data(*tensor, *other);
    }
    return visit(
        [&b](const auto& value) {
            using T = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<T, graph::HostTensor>) return false;
            else return holds_alternative<T>(b) && get<T>(b) == value;
        },
        a);
}

inline bool same_attributes(const graph::Node& a, const graph::Node& b) {
    return std::ranges::equal(a.attributes, b.attributes, [](const auto& x, const auto& y) {
        return x.first == y.first && same_attribute(x.second, y.second);
    });
}

/// Returns the first difference between two graphs. Returns an empty text if nodes, values and initializers are equal
/// under the same indices.
inline std::string differences(const graph::Graph& a, const graph::Graph& b) {
    if (a.name != b.name || a.opset != b.opset || a.other_opsets != b.other_opsets) return "name or opsets";
    if (a.inputs.size() != b.inputs.size() || a.outputs.size() != b.outputs.size()) return "inputs or outputs";
    const auto name_a = [&](graph::ValueIndex i) { return i < 0 ? std::string() : a.values[i].name; };
    const auto name_b = [&](graph::ValueIndex i) { return i < 0 ? std::string() : b.values[i].name; };
    const auto same_names = [&](const auto& x, const auto& y) {
        return std::ranges::equal(x, y, [&](auto i, auto j) { return name_a(i) == name_b(j); });
    };
    if (!same_names(a.inputs, b.inputs) || !same_names(a.outputs, b.outputs)) return "inputs or outputs";
    if (a.values.size() != b.values.size()) return "number of values";
    for (std::size_t i = 0; i < a.values.size(); ++i) {
        const auto& x = a.values[i];
        const auto at = b.find_value(x.name);
        if (at < 0) return "value " + x.name + " is missing";
        const auto& y = b.values[at];
        if (x.dtype != y.dtype || x.shape != y.shape || x.producer != y.producer || x.consumers != y.consumers)
            return "value " + x.name;
    }
    if (a.nodes.size() != b.nodes.size()) return "number of nodes";
    for (std::size_t i = 0; i < a.nodes.size(); ++i) {
        const auto& x = a.nodes[i];
        const auto& y = b.nodes[i];
        if (x.name != y.name || x.op_type != y.op_type || x.domain != y.domain || !same_names(x.inputs, y.inputs) ||
            !same_names(x.outputs, y.outputs) || !same_attributes(x, y))
            return "node " + x.name;
    }
    if (a.initializers.size() != b.initializers.size()) return "number of initializers";
    for (std::size_t i = 0; i < a.initializers.size(); ++i) {
        const auto& x = a.initializers[i];
        const auto& y = b.initializers[i];
        const bool same_random =
            x.random.has_value() == y.random.has_value() &&
            (!x.random || (x.random->kind == y.random->kind && x.random->scale == y.random->scale));
        if (name_a(x.value) != name_b(y.value) || !same_data(x.data, y.data) || !same_random || x.offset != y.offset ||
            x.trainable != y.trainable)
            return "initializer " + name_a(x.value);
    }
    return {};
}

}  // namespace divisi::onnx::testing
