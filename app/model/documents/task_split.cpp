// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/documents/task_split.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "backend/search/segmentation_request.h"
#include "backend/task/compile.h"

namespace divisi::model {
namespace {

Cuts carried_cuts(const Cuts& cuts, const LoadedModel& from, const LoadedModel& to) {
    Cuts carried;
    for (const std::int32_t cut : cuts) {
        const graph::NodeIndex node = to.graph.find_node(from.graph.nodes[from.cuts.legal[cut]].name);
        const auto at = std::lower_bound(to.cuts.legal.begin(), to.cuts.legal.end(), node);
        if (node != graph::no_node && at != to.cuts.legal.end() && *at == node)
            carried.push_back(static_cast<std::int32_t>(at - to.cuts.legal.begin()));
    }
    std::sort(carried.begin(), carried.end());
    return carried;
}

/// Transfers a painting. New operators join the segment of the operator before them.
Painting carried_painting(const Painting& painting, const LoadedModel& from, const LoadedModel& to) {
    std::unordered_map<std::string_view, std::int32_t> segment_by_name;
    for (std::size_t node = 0; node < from.graph.nodes.size(); ++node)
        segment_by_name[from.graph.nodes[node].name] = painting.segment_of[node];
    Painting carried;
    carried.places = painting.places;
    std::int32_t segment = 0;
    for (const graph::Node& node : to.graph.nodes) {
        if (const auto found = segment_by_name.find(node.name); found != segment_by_name.end()) segment = found->second;
        carried.segment_of.push_back(segment);
    }
    follow_consumers(to, carried);
    return carried;
}

}  // namespace

SplitSource split_source(const task::SplitSection& split) {
    const bool block = split.strategy == "block";
    if (block ? !split.segments.empty() : !split.cuts.empty()) return SplitSource::listed;
    return split.strategy == "layer" && search::is_searched(split) ? SplitSource::searched : SplitSource::planned;
}

Result<Split> listed_split(const task::TaskSpec& spec, const LoadedModel& model) {
    Split split;
    if (spec.split.strategy == "block") {
        DIVISI_ASSIGN(split.painting, painting_of(model, spec.split.segments));
    } else {
        DIVISI_ASSIGN(split.cuts, plan::choose_cuts(model.graph, model.cuts, spec.split.cuts));
    }
    return split;
}

Result<Split> planned_split(const task::TaskSpec& spec, const LoadedModel& model, const search::StopSearch& stop) {
    task::CompileOptions options;
    options.stop = stop;
    DIVISI_ASSIGN(const task::CompiledPlan plan, task::compile(spec, model.graph, options));
    Split split;
    if (spec.split.strategy == "block") {
        split.painting = painting_of(model, plan.graph(), plan.partition.segments, plan.stage_nodes);
    } else {
        DIVISI_ASSIGN(split.cuts, plan::choose_cuts(model.graph, model.cuts, plan.cuts));
    }
    return split;
}

Split carried_over(const Split& split, const LoadedModel& from, const LoadedModel& to) {
    Split carried;
    carried.as_in_task = split.as_in_task;
    carried.cuts = carried_cuts(split.cuts, from, to);
    if (split.painting) carried.painting = carried_painting(*split.painting, from, to);
    return carried;
}

}  // namespace divisi::model
