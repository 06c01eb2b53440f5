// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/graph/graph.h"

namespace divisi::plan {

/// Operators of a multi-task model that serve the same heads. Those that all heads need are the backbone.
struct Branch {
    std::vector<std::string> heads;        ///< outputs that need it, in the model's order
    bool shared = false;                   ///< backbone or trunk: no head alone decides over it
    graph::NodeIndex first = 0, last = 0;  ///< nodes first <= i < last of BranchedModel::graph
};

/// The part of a model that some of its heads need, ordered by branches.
struct BranchedModel {
    graph::Graph graph;                 ///< canonical; its outputs are the heads
    std::vector<Branch> branches;       ///< by position: each feeds only later ones
    std::vector<std::string> warnings;  ///< what was left out

    /// The first branch if all heads need it, else null.
    const Branch* backbone() const;
    /// "backbone", "trunk of a, b" or "head a".
    std::string name(const Branch& branch) const;
};

/// Keeps the part of `model` that `outputs` need, in the order of its branches: backbone, trunks that some heads
/// share, then head by head in the order of the model's outputs. The order depends on the heads alone, so a training
/// has the same numbers however it is split.
///
/// A head owns the operators that its output post-dominates: every path from them to a loss runs through that
/// output. The heads share all other operators that lead to them. Constants and shape arithmetic join the first
/// branch that reads them. `model` must be canonical. Fails (not_found) for an unknown output, (invalid_input)
/// for one that no operator computes.
Result<BranchedModel> keep_heads(const graph::Graph& model, const std::vector<std::string>& outputs);

}  // namespace divisi::plan
