// SPDX-License-Identifier: Apache-2.0
#include "backend/task/place_rules.h"

#include <algorithm>

#include "backend/graph/roles.h"
#include "backend/plan/blocks.h"
#include "backend/task/error_texts.h"
#include "backend/task/model_source.h"

namespace divisi::task {

namespace {

using graph::NodeIndex;

std::string stage_name(std::int32_t stage) { return "segment " + std::to_string(stage); }

/// Collects where each segment must run, and why.
class Wishes {
public:
    Wishes(std::vector<std::string> wanted, std::size_t segments) : nodes(std::move(wanted)), reasons(segments) {
        nodes.resize(segments);
        for (std::size_t i = 0; i < segments; ++i)
            if (!nodes[i].empty()) reasons[i] = "the task file places it";
    }
    /// Adds a wish. `reason` is a sentence about the segment: "operator '/a' is pinned".
    Result<void> add(std::int32_t segment, const std::string& node, const std::string& reason, const char* where) {
        const auto s = static_cast<std::size_t>(segment);
        if (nodes[s].empty()) {
            nodes[s] = node;
            reasons[s] = reason;
        }
        if (nodes[s] == node) return {};
        return make_error(error_text("segment-on-two-nodes"), where,
                          {stage_name(segment), reasons[s], nodes[s], reason, node});
    }

    std::vector<std::string> nodes;
    std::vector<std::string> reasons;
};

/// Returns the segment of each model node, or -1 for constants, which follow their consumers.
std::vector<std::int32_t> working_segments(const plan::TrainingGraph& training,
                                           const std::vector<plan::Segment>& segments) {
    const std::vector<graph::Role> roles = graph::node_roles(training.graph);
    std::vector<std::int32_t> result(training.graph.nodes.size(), -1);
    for (std::size_t s = 0; s < segments.size(); ++s)
        for (const NodeIndex node : segments[s].nodes)
            if (roles[node] != graph::Role::constant) result[node] = static_cast<std::int32_t>(s);
    return result;
}

/// Adds the wishes of pinned operators, and of operators that read data stored on a node: only that node may read it.
Result<void> add_pins(const TaskSpec& spec, const plan::TrainingGraph& training,
                      const std::vector<std::int32_t>& segment_of, Wishes& wishes) {
    DIVISI_ASSIGN(const auto pinned, pinned_operators(spec, training));
    for (const PinnedOperator& one : pinned)
        if (segment_of[one.node] >= 0)
            DIVISI_TRY(wishes.add(segment_of[one.node], one.place,
                                  "operator '" + training.graph.nodes[one.node].name +
                                      (one.by_data ? "' reads data that is stored" : "' is pinned"),
                                  one.by_data ? "place.data" : "place.pin"));
    return {};
}

Result<void> check_together(const TaskSpec& spec, const plan::TrainingGraph& training,
                            const std::vector<std::int32_t>& segment_of) {
    for (const std::string& pattern : spec.split.together) {
        DIVISI_ASSIGN(const auto found,
                      plan::find_operators(training.graph, training.model_nodes, pattern, "split.together"));
        NodeIndex first = graph::no_node;
        for (const NodeIndex node : found) {
            if (segment_of[node] < 0) continue;
            if (first == graph::no_node) first = node;
            if (segment_of[node] == segment_of[first]) continue;
            return make_error(error_text("group-is-divided"), "split.together",
                              {pattern, training.graph.nodes[first].name, stage_name(segment_of[first]),
                               training.graph.nodes[node].name, stage_name(segment_of[node])});
        }
    }
    return {};
}

Result<void> add_secure(const TaskSpec& spec, const plan::TrainingGraph& training,
                        const std::vector<std::int32_t>& segment_of, const std::vector<std::string>& secure,
                        Wishes& wishes) {
    std::vector<NodeIndex> first(wishes.nodes.size(), graph::no_node);  // first sensitive operator of each segment
    DIVISI_ASSIGN(const auto sensitive, sensitive_operators(spec, training));
    for (const NodeIndex node : sensitive)
        if (segment_of[node] >= 0 && first[segment_of[node]] == graph::no_node) first[segment_of[node]] = node;
    std::size_t turn = 0;
    for (std::size_t s = 0; s < first.size(); ++s) {
        if (first[s] == graph::no_node) continue;
        const std::string& name = training.graph.nodes[first[s]].name;
        if (secure.empty())
            return make_error(error_text("sensitive-without-secure-node"), "split.sensitive",
                              {std::to_string(s), name});
        if (wishes.nodes[s].empty()) wishes.nodes[s] = secure[turn++ % secure.size()];
        if (std::find(secure.begin(), secure.end(), wishes.nodes[s]) != secure.end()) continue;
        return make_error(error_text("sensitive-on-insecure-node"), "split.sensitive",
                          {std::to_string(s), name, wishes.nodes[s], wishes.reasons[s], secure.front()});
    }
    return {};
}

}  // namespace

Result<std::vector<PinnedOperator>> pinned_operators(const TaskSpec& spec, const plan::TrainingGraph& training) {
    const std::vector<graph::Role> roles = graph::node_roles(training.graph);
    std::vector<const std::pair<const std::string, std::string>*> pin_of(training.graph.nodes.size(), nullptr);
    // In ascending order, so that longer patterns and full names override shorter patterns.
    for (const auto& pin : spec.place.pins) {
        DIVISI_ASSIGN(const auto found,
                      plan::find_operators(training.graph, training.model_nodes, pin.first, "place.pin"));
        for (const NodeIndex node : found)
            if (pin_of[node] == nullptr || !pin.first.ends_with('*') || pin.first.size() >= pin_of[node]->first.size())
                pin_of[node] = &pin;
    }
    std::vector<PinnedOperator> pinned;
    for (NodeIndex node = 0; node < training.model_nodes; ++node)
        if (pin_of[node] != nullptr && roles[node] != graph::Role::constant)
            pinned.push_back({node, pin_of[node]->second, false});
    if (spec.data.path.starts_with(node_prefix) && !spec.place.data.empty())
        for (const graph::ValueIndex input : training.graph.inputs)
            for (const NodeIndex node : training.graph.values[input].consumers)
                if (!training.is_target(input) && node < training.model_nodes)
                    pinned.push_back({node, spec.place.data, true});
    std::stable_sort(pinned.begin(), pinned.end(),
                     [](const PinnedOperator& a, const PinnedOperator& b) { return a.node < b.node; });
    return pinned;
}

Result<std::vector<NodeIndex>> sensitive_operators(const TaskSpec& spec, const plan::TrainingGraph& training) {
    const std::vector<graph::Role> roles = graph::node_roles(training.graph);
    std::vector<NodeIndex> sensitive;
    for (const std::string& pattern : spec.split.sensitive) {
        DIVISI_ASSIGN(const auto found,
                      plan::find_operators(training.graph, training.model_nodes, pattern, "split.sensitive"));
        for (const NodeIndex node : found)
            if (roles[node] != graph::Role::constant) sensitive.push_back(node);
    }
    std::sort(sensitive.begin(), sensitive.end());
    sensitive.erase(std::unique(sensitive.begin(), sensitive.end()), sensitive.end());
    return sensitive;
}

Result<price::CutConstraints> cut_constraints(const TaskSpec& spec, const plan::TrainingGraph& training,
                                              const price::NodePool& pool) {
    price::CutConstraints constraints;
    constraints.stages = spec.place.stages;
    DIVISI_ASSIGN(const auto pinned, pinned_operators(spec, training));
    for (const PinnedOperator& one : pinned) {
        if (!constraints.pins.empty() && constraints.pins.back().node == one.node) {
            const std::string& other = constraints.pins.back().place;
            if (other == one.place) continue;
            return make_error(error_text("pinned-away-from-data"), "place.pin",
                              {training.graph.nodes[one.node].name, other, one.place});
        }
        constraints.pins.push_back({one.node, one.place});
    }
    DIVISI_ASSIGN(constraints.sensitive, sensitive_operators(spec, training));
    if (pool.complete) constraints.secure = pool.secure_nodes();
    return constraints;
}

Result<std::vector<std::string>> place_segments(const TaskSpec& spec, const plan::TrainingGraph& training,
                                                const std::vector<plan::Segment>& segments,
                                                std::vector<std::string> wanted,
                                                const std::optional<std::vector<std::string>>& secure_nodes) {
    const std::vector<std::int32_t> segment_of = working_segments(training, segments);
    Wishes wishes(std::move(wanted), segments.size());
    DIVISI_TRY(add_pins(spec, training, segment_of, wishes));
    DIVISI_TRY(check_together(spec, training, segment_of));
    if (secure_nodes) DIVISI_TRY(add_secure(spec, training, segment_of, *secure_nodes, wishes));
    return std::move(wishes.nodes);
}

}  // namespace divisi::task
