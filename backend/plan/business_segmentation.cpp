// SPDX-License-Identifier: Apache-2.0
#include "backend/plan/business_segmentation.h"

#include <algorithm>
#include <numeric>

namespace divisi::plan {

namespace {

/// What stays in one segment: the operators up to a legal cut, or to the end.
struct Piece {
    std::int32_t cut = -1;  ///< index of the legal cut behind it; -1: the end of the model
    double flops = 0;
};

/// The pieces that may be packed, in the order of the model. Shared and own ones are not mixed in a segment.
struct Pieces {
    std::vector<Piece> backbone, branches;
};

Error refuse(const char* where, std::string what, std::string next) {
    return Error{ErrorCode::invalid_input, std::move(what), where, std::move(next)};
}

/// The last legal cut before node `end`, at or behind `first`; -1 if there is none.
std::int32_t last_cut(const graph::CutList& cuts, graph::NodeIndex first, graph::NodeIndex end) {
    const auto next = std::lower_bound(cuts.legal.begin(), cuts.legal.end(), end);
    if (next == cuts.legal.begin() || *std::prev(next) < first) return -1;
    return static_cast<std::int32_t>(next - cuts.legal.begin()) - 1;
}

/// Cuts that may be taken, ascending: between the layers of the backbone, behind it, and behind branches.
struct Candidates {
    std::vector<std::int32_t> inside, between;
};

Result<Candidates> find_candidates(const BranchedModel& model, const graph::CutList& cuts, std::int64_t shared_layers) {
    Candidates candidates;
    const Branch* backbone = model.backbone();
    if (backbone) {
        const std::int32_t behind = last_cut(cuts, backbone->first, backbone->last);
        const std::int64_t layers = behind + 1;
        if (shared_layers > layers)
            return refuse("split.shared_layers",
                          "the backbone that all heads share has " + std::to_string(layers) + " layers, not " +
                              std::to_string(shared_layers),
                          "use 0 to " + std::to_string(layers) + ", or -1 for all");
        const std::int64_t kept = shared_layers < 0 ? layers : shared_layers;
        for (std::int32_t cut = 0; cut < kept; ++cut) candidates.inside.push_back(cut);
    }
    for (const Branch& branch : model.branches) {
        if (&branch == backbone || &branch == &model.branches.back()) continue;
        const std::int32_t behind = last_cut(cuts, branch.first, branch.last);
        if (behind >= 0) candidates.between.push_back(behind);
    }
    return candidates;
}

/// Work between the candidates: of every node where its constants run, and of a loss where its head's output is made.
Pieces make_pieces(const Candidates& candidates, const graph::CutList& cuts, const TrainingGraph& training,
                   const graph::GraphCost& cost) {
    std::vector<double> work(cuts.home.size() + 1, 0.0);
    const auto last = static_cast<graph::NodeIndex>(cuts.home.size());  // what runs in the last segment anyway
    const auto add = [&](graph::NodeIndex node, graph::NodeIndex at) { work[at] += segment_flops(cost, {node}); };
    for (graph::NodeIndex node = 0; node < last; ++node) add(node, cuts.home[node]);
    for (std::size_t i = 0; i < training.anchors.size(); ++i) {
        const graph::NodeIndex anchor = training.anchors[i];
        add(training.model_nodes + static_cast<graph::NodeIndex>(i), anchor == graph::no_node ? last : anchor);
    }
    graph::NodeIndex from = 0;
    const auto piece = [&](std::int32_t cut) {
        const graph::NodeIndex to = cut < 0 ? last + 1 : cuts.legal[cut] + 1;
        const double flops = std::accumulate(work.begin() + from, work.begin() + to, 0.0);
        from = to;
        return Piece{cut, flops};
    };
    Pieces pieces;
    for (const std::int32_t cut : candidates.inside) pieces.backbone.push_back(piece(cut));
    for (const std::int32_t cut : candidates.between) pieces.branches.push_back(piece(cut));
    pieces.branches.push_back(piece(-1));
    return pieces;
}

/// Fewest segments of at most `limit` each; more than there are pieces where one is larger.
std::size_t fewest(const std::vector<Piece>& pieces, double limit) {
    std::size_t segments = 0;
    double filled = 0;
    for (const Piece& piece : pieces) {
        if (piece.flops > limit) return pieces.size() + 1;
        if (segments == 0 || filled + piece.flops > limit) {
            ++segments;
            filled = 0;
        }
        filled += piece.flops;
    }
    return segments;
}

/// The least limit under which all pieces fit into `stages` segments: the work of some run of pieces.
double least_limit(const Pieces& pieces, std::size_t stages) {
    const auto fits = [&](double limit) {
        const std::size_t backbone = fewest(pieces.backbone, limit), branches = fewest(pieces.branches, limit);
        return backbone <= pieces.backbone.size() && branches <= pieces.branches.size() &&
               backbone + branches <= stages;
    };
    double low = 0, high = 0;
    for (const auto* some : {&pieces.backbone, &pieces.branches})
        for (const Piece& piece : *some) high += piece.flops;
    constexpr int halvings = 60;  // to the last bits of a double
    for (int i = 0; i < halvings; ++i) {
        const double middle = low + (high - low) / 2;
        (fits(middle) ? high : low) = middle;
    }
    return high;
}

/// Packs from the front into exactly `segments` of at most `limit`; appends the cuts between and behind them.
void pack(const std::vector<Piece>& pieces, std::size_t segments, double limit, CutChoice& choice) {
    double filled = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        filled += pieces[i].flops;
        const std::size_t left = pieces.size() - i - 1;
        const bool full = left > 0 && filled + pieces[i + 1].flops > limit;
        if (left > 0 && !full && left >= segments) continue;  // enough pieces for the segments that must follow
        if (pieces[i].cut >= 0) choice.push_back(pieces[i].cut);
        filled = 0;
        --segments;
    }
}

}  // namespace

std::vector<graph::NodeIndex> branch_nodes(const Branch& branch, const TrainingGraph& training) {
    std::vector<graph::NodeIndex> nodes(static_cast<std::size_t>(branch.last - branch.first));
    std::iota(nodes.begin(), nodes.end(), branch.first);
    for (std::size_t i = 0; i < training.anchors.size(); ++i)
        if (training.anchors[i] >= branch.first && training.anchors[i] < branch.last)
            nodes.push_back(training.model_nodes + static_cast<graph::NodeIndex>(i));
    return nodes;
}

Result<CutChoice> cut_between_branches(const BranchedModel& model, const graph::CutList& cuts,
                                       const TrainingGraph& training, const graph::GraphCost& cost,
                                       const SegmentationRequest& request) {
    if (request.stages == 1) return CutChoice{};
    if (model.branches.size() < 2)
        return refuse("split.strategy", "business segmentation needs a model with several heads",
                      "give each a loss, as in [train.losses] ads = \"cross_entropy\", or use strategy = \"layer\"");
    DIVISI_ASSIGN(const Candidates candidates, find_candidates(model, cuts, request.shared_layers));
    Pieces pieces = make_pieces(candidates, cuts, training, cost);
    const std::size_t most = pieces.backbone.size() + pieces.branches.size();
    const std::size_t least = pieces.backbone.empty() ? 1 : 2;
    if (request.stages == 0) {
        CutChoice choice;
        if (!candidates.inside.empty()) choice.push_back(candidates.inside.back());
        choice.insert(choice.end(), candidates.between.begin(), candidates.between.end());
        return choice;
    }
    const auto stages = static_cast<std::size_t>(request.stages);
    if (stages > most)
        return refuse("split.stages",
                      "a backbone of " + std::to_string(pieces.backbone.size()) + " layers and " +
                          std::to_string(pieces.branches.size()) + " branches do not fill " + std::to_string(stages) +
                          " stages",
                      "use " + std::to_string(least) + " to " + std::to_string(most) + " stages");
    const double limit = least_limit(pieces, stages);
    // What the limit leaves free goes to the branches first, so that each has a segment of its own.
    std::size_t shared = fewest(pieces.backbone, limit);
    if (stages - shared > pieces.branches.size()) shared = stages - pieces.branches.size();
    CutChoice choice;
    pack(pieces.backbone, shared, limit, choice);
    pack(pieces.branches, stages - shared, limit, choice);
    return choice;
}

}  // namespace divisi::plan
