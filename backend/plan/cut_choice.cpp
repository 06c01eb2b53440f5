// SPDX-License-Identifier: Apache-2.0
#include "backend/plan/cut_choice.h"

#include <algorithm>

#include "backend/plan/error_texts.h"

namespace divisi::plan {

namespace {

double node_flops(const graph::NodeCost& cost) {
    return cost.forward_flops + cost.input_gradient_flops + cost.weight_gradient_flops;
}

/// Builds the segments. Each node added after the model's own nodes, as for the loss, joins the segment of its anchor,
/// or the last segment if it has no anchor.
Result<std::vector<Segment>> anchored_segments(const graph::Graph& model, const graph::CutList& cuts,
                                               const CutChoice& choice, const std::vector<graph::NodeIndex>& anchors) {
    DIVISI_ASSIGN(const auto nodes, graph::segment_nodes(model, cuts, choice));
    std::vector<Segment> segments;
    std::vector<std::size_t> segment_of(cuts.home.size(), nodes.size() - 1);
    for (const auto& segment : nodes) {
        for (const graph::NodeIndex node : segment) segment_of[node] = segments.size();
        segments.push_back({segment});
    }
    auto next = static_cast<graph::NodeIndex>(cuts.home.size());
    for (const graph::NodeIndex anchor : anchors)
        (anchor == graph::no_node ? segments.back() : segments[segment_of[anchor]]).nodes.push_back(next++);
    return segments;
}

}  // namespace

Result<CutChoice> choose_cuts(const graph::Graph& graph, const graph::CutList& cuts,
                              const std::vector<std::string>& names_or_indices) {
    CutChoice choice;
    for (const std::string& text : names_or_indices) {
        DIVISI_ASSIGN(const std::int32_t index, graph::find_cut(graph, cuts, text));
        if (std::find(choice.begin(), choice.end(), index) != choice.end())
            return make_error(error_text("cut-listed-twice"), "cut '" + text + "'",
                              {graph.nodes[cuts.legal[index]].name});
        choice.push_back(index);
    }
    if (choice.size() >= static_cast<std::size_t>(most_stages))
        return make_error(error_text("too-many-cuts"), "cuts",
                          {std::to_string(choice.size()), std::to_string(most_stages - 1)});
    std::sort(choice.begin(), choice.end());
    return choice;
}

double segment_flops(const graph::GraphCost& cost, const std::vector<graph::NodeIndex>& nodes) {
    double sum = 0.0;
    for (const graph::NodeIndex node : nodes) sum += node_flops(cost.node(node));
    return sum;
}

std::vector<std::string> cut_names(const graph::Graph& graph, const graph::CutList& cuts, const CutChoice& choice) {
    std::vector<std::string> names;
    for (const std::int32_t index : choice) names.push_back(graph.nodes[cuts.legal[index]].name);
    return names;
}

Result<std::vector<Segment>> segments_from_cuts(const graph::Graph& model, const graph::CutList& cuts,
                                                const CutChoice& choice, const graph::Graph& continued) {
    return anchored_segments(
        model, cuts, choice,
        std::vector<graph::NodeIndex>(continued.nodes.size() - model.nodes.size(), graph::no_node));
}

Result<std::vector<Segment>> segments_from_cuts(const graph::Graph& model, const graph::CutList& cuts,
                                                const CutChoice& choice, const TrainingGraph& training) {
    return anchored_segments(model, cuts, choice, training.anchors);
}

}  // namespace divisi::plan
