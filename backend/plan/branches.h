// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/graph/graph.h"

namespace divisi::plan {

/// Operators of a multi-task model that the same heads need. Operators needed by all heads form the backbone.
struct Branch {
    std::vector<std::string> heads;        ///< outputs that need the branch, in the model's order
    bool shared = false;                   ///< backbone or trunk: owned by no single head
    graph::NodeIndex first = 0, last = 0;  ///< nodes first <= i < last of BranchedModel::graph
};

/// The part of a model that the chosen heads need, ordered by branches.
struct BranchedModel {
    graph::Graph graph;                 ///< canonical; its outputs are the heads
    std::vector<Branch> branches;       ///< in topological order: each branch feeds only later branches
    std::vector<std::string> warnings;  ///< parts of the model that were left out

    /// Returns the first branch if it is shared and all heads need it, otherwise nullptr.
    const Branch* backbone() const;
    /// Returns a branch's name: "backbone", "trunk of a, b" or "head a".
    std::string name(const Branch& branch) const;
};

/// Keeps the part of `model` that `outputs` need, ordered by branches: the backbone, trunks shared by some heads, then
/// each head in the order of the model's outputs. The order depends only on the heads, so a training gives the same
/// numbers for every split of the model.
///
/// A head owns the operators that its output post-dominates: every path from such an operator to a loss goes through
/// that output. Other operators that lead to heads are shared. Constants and shape arithmetic join the first branch
/// that reads them. `model` must be canonical. Fails with not_found for an unknown output, and with invalid_input for
/// an output that no operator computes.
Result<BranchedModel> keep_heads(const graph::Graph& model, const std::vector<std::string>& outputs);

}  // namespace divisi::plan
