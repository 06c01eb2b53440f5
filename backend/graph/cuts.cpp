// SPDX-License-Identifier: Apache-2.0
#include "backend/graph/cuts.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <string>

#include "backend/graph/error_texts.h"
#include "backend/graph/roles.h"

namespace divisi::graph {

namespace {

/// Returns the effective position of each node: constant nodes move to their first consumer, other nodes stay. Goes
/// from the last node to the first, so that chains of constants move together.
std::vector<NodeIndex> find_homes(const Graph& graph, const std::vector<Role>& roles) {
    std::vector<NodeIndex> home(graph.nodes.size());
    std::iota(home.begin(), home.end(), 0);
    for (auto i = static_cast<NodeIndex>(home.size()) - 1; i >= 0; --i) {
        if (roles[i] != Role::constant) continue;
        NodeIndex first = no_node;
        for (const ValueIndex output : graph.nodes[i].outputs) {
            if (output == no_value) continue;
            for (const NodeIndex consumer : graph.values[output].consumers)
                if (first == no_node || home[consumer] < first) first = home[consumer];
        }
        if (first != no_node) home[i] = first;
    }
    return home;
}

/// The positions that a value crosses, from `first` up to but excluding `last`. Empty (first == last) if there are
/// none.
struct Interval {
    NodeIndex first = 0, last = 0;
};

Interval crossing_interval(const Graph& graph, const std::vector<NodeIndex>& home, ValueIndex index) {
    const Value& value = graph.values[index];
    if (value.producer == no_node) return {};
    Interval interval{home[value.producer], home[value.producer]};
    for (const NodeIndex consumer : value.consumers) interval.last = std::max(interval.last, home[consumer]);
    return interval;
}

/// Difference arrays: a running sum over the positions gives the figures of each position.
struct Sweep {
    std::vector<std::int64_t> forward, backward, values, unknown, data;
    explicit Sweep(std::size_t count)
        : forward(count + 1), backward(count + 1), values(count + 1), unknown(count + 1), data(count + 1) {}

    static void add(std::vector<std::int64_t>& differences, Interval where, std::int64_t amount) {
        differences[where.first] += amount;
        differences[where.last] -= amount;
    }
};

Sweep sweep_values(const Graph& graph, const CutList& cuts, const std::vector<Role>& roles) {
    Sweep sweep(graph.nodes.size());
    const std::vector<bool> gradient = needs_gradient(graph);
    for (ValueIndex i = 0; i < static_cast<ValueIndex>(graph.values.size()); ++i) {
        const Interval where = crossing_interval(graph, cuts.home, i);
        if (where.first == where.last) continue;
        const Value& value = graph.values[i];
        const auto bytes = size_bytes(value);
        Sweep::add(sweep.values, where, 1);
        Sweep::add(sweep.forward, where, bytes.value_or(0));
        if (gradient[i]) Sweep::add(sweep.backward, where, bytes.value_or(0));
        if (!bytes) Sweep::add(sweep.unknown, where, 1);
        const bool differentiable = value.dtype == DType::undefined || is_floating(value.dtype);
        if (roles[value.producer] >= Role::view && differentiable) Sweep::add(sweep.data, where, 1);
    }
    return sweep;
}

std::optional<std::int64_t> as_integer(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::string legal_name(const Graph& graph, const CutList& cuts, std::size_t index) {
    return "'" + graph.nodes[cuts.legal[index]].name + "' (" + std::to_string(index) + ")";
}

/// Returns the nearest legal positions before and after a node, for messages.
std::string neighbours(const Graph& graph, const CutList& cuts, NodeIndex after) {
    const auto next = std::upper_bound(cuts.legal.begin(), cuts.legal.end(), after) - cuts.legal.begin();
    std::string text;
    if (next > 0) text = legal_name(graph, cuts, next - 1);
    if (next < static_cast<std::ptrdiff_t>(cuts.legal.size()))
        text += (text.empty() ? "" : " or ") + legal_name(graph, cuts, next);
    return text;
}

/// Returns the Levenshtein distance, computed one row at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substitute = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
        }
    }
    return row[b.size()];
}

std::string similar_names(const Graph& graph, const CutList& cuts, std::string_view name) {
    constexpr std::size_t shown = 3;
    constexpr std::size_t longest_compared = 256;  // bounds the time spent on hostile names
    std::vector<std::pair<std::size_t, std::size_t>> ranked;
    for (std::size_t i = 0; i < cuts.legal.size(); ++i) {
        const std::string_view other = std::string_view(graph.nodes[cuts.legal[i]].name).substr(0, longest_compared);
        ranked.emplace_back(edit_distance(name.substr(0, longest_compared), other), i);
    }
    const std::size_t count = std::min(shown, ranked.size());
    std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(count), ranked.end());
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += (i ? ", " : "") + legal_name(graph, cuts, ranked[i].second);
    return text;
}

}  // namespace

std::int32_t CutList::nearest(NodeIndex after) const {
    if (legal.empty()) return -1;
    const auto next = std::lower_bound(legal.begin(), legal.end(), after);
    if (next == legal.begin()) return 0;
    const auto before = static_cast<std::int32_t>(next - legal.begin()) - 1;
    return next != legal.end() && *next - after < after - legal[before] ? before + 1 : before;
}

CutList find_cuts(const Graph& graph) {
    const std::size_t count = graph.nodes.size();
    const std::vector<Role> roles = node_roles(graph);
    CutList cuts;
    cuts.home = find_homes(graph, roles);
    cuts.positions.resize(count);
    const Sweep sweep = sweep_values(graph, cuts, roles);
    const auto is_compute = [&](Role role) { return role == Role::compute; };
    const auto all_compute = std::count_if(roles.begin(), roles.end(), is_compute);
    std::ptrdiff_t compute = 0;
    std::int64_t forward = 0, backward = 0, values = 0, unknown = 0, data = 0;
    for (std::size_t i = 0; i < count; ++i) {
        CutPosition& position = cuts.positions[i];
        position.forward_bytes = forward += sweep.forward[i];
        position.backward_bytes = backward += sweep.backward[i];
        position.values = static_cast<std::int32_t>(values += sweep.values[i]);
        position.exact = (unknown += sweep.unknown[i]) == 0;
        compute += is_compute(roles[i]);
        data += sweep.data[i];
        position.legal = roles[i] >= Role::view && compute > 0 && compute < all_compute && data > 0;
        if (position.legal) cuts.legal.push_back(static_cast<NodeIndex>(i));
    }
    return cuts;
}

Result<std::int32_t> find_cut(const Graph& graph, const CutList& cuts, std::string_view name_or_index) {
    const std::string where = "cut '" + std::string(name_or_index) + "'";
    if (cuts.legal.empty()) return make_error(error_text("model-cannot-be-cut"), where);
    const NodeIndex node = graph.find_node(name_or_index);
    if (node == no_node) {
        const auto index = as_integer(name_or_index);
        if (!index)
            return make_error(error_text("no-node-to-cut-after"), where, {similar_names(graph, cuts, name_or_index)});
        if (*index >= 0 && *index < static_cast<std::int64_t>(cuts.legal.size()))
            return static_cast<std::int32_t>(*index);
        return make_error(error_text("no-cut-of-index"), where,
                          {std::to_string(cuts.legal.size()), std::to_string(cuts.legal.size() - 1)});
    }
    const auto found = std::lower_bound(cuts.legal.begin(), cuts.legal.end(), node);
    if (found != cuts.legal.end() && *found == node) return static_cast<std::int32_t>(found - cuts.legal.begin());
    return make_error(error_text("cut-would-be-illegal"), where, {neighbours(graph, cuts, node)});
}

Result<std::vector<std::vector<NodeIndex>>> segment_nodes(const Graph& graph, const CutList& cuts,
                                                          std::span<const std::int32_t> chosen) {
    std::vector<NodeIndex> boundaries;
    for (const std::int32_t index : chosen) {
        if (index < 0 || index >= static_cast<std::int32_t>(cuts.legal.size()))
            return make_error(error_text("cut-does-not-exist"), "cuts",
                              {std::to_string(index), std::to_string(cuts.legal.size())});
        if (!boundaries.empty() && boundaries.back() >= cuts.legal[index])
            return make_error(error_text("cuts-out-of-order"), "cuts", {legal_name(graph, cuts, index)});
        boundaries.push_back(cuts.legal[index]);
    }
    std::vector<std::vector<NodeIndex>> segments(boundaries.size() + 1);
    for (NodeIndex i = 0; i < static_cast<NodeIndex>(cuts.home.size()); ++i) {
        const auto segment = std::lower_bound(boundaries.begin(), boundaries.end(), cuts.home[i]) - boundaries.begin();
        segments[segment].push_back(i);
    }
    return segments;
}

}  // namespace divisi::graph
