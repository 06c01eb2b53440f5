// SPDX-License-Identifier: Apache-2.0
#include "backend/search/business_segmentation.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "backend/search/error_texts.h"
#include "backend/search/layer_methods.h"
#include "backend/search/segmentation_request.h"

namespace divisi::search {
namespace {

/// Returns the last legal cut before node `end` that is not before `first`; -1 if there is none.
std::int32_t last_cut(const graph::CutList& cuts, graph::NodeIndex first, graph::NodeIndex end) {
    const auto next = std::lower_bound(cuts.legal.begin(), cuts.legal.end(), end);
    if (next == cuts.legal.begin() || *std::prev(next) < first) return -1;
    return static_cast<std::int32_t>(next - cuts.legal.begin()) - 1;
}

/// The allowed cuts, ascending: `inside` the backbone and at its end, and `between` branches.
struct Candidates {
    std::vector<std::int32_t> inside, between;
};

Result<Candidates> find_candidates(const plan::BranchedModel& model, const graph::CutList& cuts,
                                   std::int64_t shared_layers) {
    Candidates candidates;
    const plan::Branch* backbone = model.backbone();
    if (backbone) {
        const std::int32_t behind = last_cut(cuts, backbone->first, backbone->last);
        const std::int64_t layers = behind + 1;
        if (shared_layers > layers)
            return make_error(error_text("shared-layers-out-of-range"), "split.shared_layers",
                              {std::to_string(layers), std::to_string(shared_layers)});
        const std::int64_t kept = shared_layers < 0 ? layers : shared_layers;
        for (std::int32_t cut = 0; cut < kept; ++cut) candidates.inside.push_back(cut);
    }
    for (const plan::Branch& branch : model.branches) {
        if (&branch == backbone || &branch == &model.branches.back()) continue;
        const std::int32_t behind = last_cut(cuts, branch.first, branch.last);
        if (behind >= 0) candidates.between.push_back(behind);
    }
    return candidates;
}

/// Makes the candidates the only places to cut. Forces a cut after the backbone, so that no stage contains both shared
/// layers and layers of a single branch. If `all` is set, every branch is a stage.
void keep_candidates(Chain& chain, const Candidates& candidates, bool all) {
    std::vector<double> wall(chain.positions(), 0), open(chain.positions(), 0);
    for (const std::int32_t cut : candidates.inside) open[static_cast<std::size_t>(cut) + 1] = all ? 0 : 1;
    for (const std::int32_t cut : candidates.between) open[static_cast<std::size_t>(cut) + 1] = 1;
    const auto must = [&](std::int32_t cut) {
        open[static_cast<std::size_t>(cut) + 1] = 1;
        wall[static_cast<std::size_t>(cut) + 1] = 1;
    };
    if (!candidates.inside.empty()) must(candidates.inside.back());
    if (all)
        for (const std::int32_t cut : candidates.between) must(cut);
    for (std::vector<double>& link : chain.crossing_ms)
        for (std::size_t at = 0; at < link.size(); ++at)
            if (open[at] == 0) link[at] = std::numeric_limits<double>::infinity();
    chain.walls.assign(1, 0);
    for (std::size_t at = 0; at + 1 < wall.size(); ++at) chain.walls.push_back(chain.walls.back() + wall[at]);
}

}  // namespace

std::vector<graph::NodeIndex> branch_nodes(const plan::Branch& branch, const plan::TrainingGraph& training) {
    std::vector<graph::NodeIndex> nodes(static_cast<std::size_t>(branch.last - branch.first));
    std::iota(nodes.begin(), nodes.end(), branch.first);
    for (std::size_t i = 0; i < training.anchors.size(); ++i)
        if (training.anchors[i] >= branch.first && training.anchors[i] < branch.last)
            nodes.push_back(training.model_nodes + static_cast<graph::NodeIndex>(i));
    return nodes;
}

Result<LayerPlan> plan_branches(const LayerTask& task, const plan::BranchedModel& model,
                                const SegmentationRequest& request) {
    const bool one_left = model.branches.size() == 1 && request.stages == 0;  // the other heads were dropped
    const bool whole = request.stages == 1 || one_left;
    if (!whole && model.branches.size() < 2) return make_error(error_text("model-without-heads"), "split.strategy");
    Candidates candidates;
    if (!whole) {
        DIVISI_ASSIGN(candidates, find_candidates(model, task.cuts, request.shared_layers));
    }
    const std::size_t backbone = candidates.inside.size(), branches = candidates.between.size() + 1;
    const auto most = static_cast<std::int64_t>(backbone + branches);
    const std::int64_t least = whole || backbone == 0 ? 1 : 2;
    const auto check = [&](const char* where, std::int64_t wanted) -> Result<void> {
        if (wanted == 0 || (wanted >= least && wanted <= most)) return {};
        return make_error(error_text("branches-do-not-fill-stages"), where,
                          {std::to_string(backbone), std::to_string(branches), std::to_string(wanted),
                           std::to_string(least), std::to_string(most)});
    };
    DIVISI_TRY(check("split.stages", request.stages));
    DIVISI_TRY(check("split.least_stages", std::max(request.least_stages, request.least_stages > 0 ? least : 0)));
    DIVISI_TRY(check("split.most_stages", std::min(request.most_stages, std::max(most, std::int64_t{1}))));
    SegmentationRequest asked = request;
    asked.method = "equal-flops";  // so that the request's method does not leave the number of stages open
    asked.cuts.clear();
    asked.together.clear();
    asked.most_stages = std::min(request.most_stages, most);
    if (request.least_stages > 0 && request.most_stages == 0) asked.most_stages = most;
    const bool all = request.stages == 0 && !stages_are_open(asked);
    if (all) asked.stages = static_cast<std::int64_t>(branches) + (backbone > 0 ? 1 : 0);
    DIVISI_ASSIGN(PricedChain priced,
                  priced_chain(task, asked, static_cast<std::int32_t>(std::max(asked.stages, asked.most_stages))));
    if (!whole) keep_candidates(priced.chain, candidates, all);
    return plan_by_step(priced, task, asked);
}

}  // namespace divisi::search
