// SPDX-License-Identifier: Apache-2.0
// RNN, GRU and LSTM. Names follow the ONNX definitions.
#include "backend/graph/inference.h"

namespace divisi::graph {

namespace {

/// Returns hidden_size, or, if that is omitted, the last dimension of the recurrent weights R [directions, gates * H,
/// H].
Dim hidden_size(const NodeInference& node) {
    if (node.has_attribute("hidden_size")) return dim_of(node.integer("hidden_size", 0));
    const Shape* weights = node.shape(2);
    return weights && weights->size() == 3 ? weights->back() : Dim{};
}

/// Reads X [time, batch, size], or with layout 1 [batch, time, size]. Sets Y, Y_h and, for LSTM, Y_c.
Result<void> recurrence(NodeInference& node) {
    const Shape* x = node.shape(0);
    if (x && x->size() != 3)
        return node.error("the input has rank " + std::to_string(x->size()) + ", but rank 3 is needed");
    const bool batch_first = node.integer("layout", 0) != 0;
    const Dim directions = dim_of(node.text("direction", "forward") == "bidirectional" ? 2 : 1);
    const Dim hidden = hidden_size(node);
    const Dim time = x ? (*x)[batch_first ? 1 : 0] : Dim{}, batch = x ? (*x)[batch_first ? 0 : 1] : Dim{};
    if (batch_first) node.set(0, node.dtype(0), Shape{batch, time, directions, hidden});
    else node.set(0, node.dtype(0), Shape{time, directions, batch, hidden});
    for (const std::size_t state : {1, 2}) {
        if (batch_first) node.set(state, node.dtype(0), Shape{batch, directions, hidden});
        else node.set(state, node.dtype(0), Shape{directions, batch, hidden});
    }
    return {};
}

}  // namespace

void add_recurrent_rules(ShapeRules& rules) {
    for (const char* type : {"GRU", "LSTM", "RNN"}) rules.emplace(type, recurrence);
}

}  // namespace divisi::graph
