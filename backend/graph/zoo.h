// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "backend/base/result.h"
#include "backend/graph/graph.h"

namespace divisi::graph {

/// One size of a zoo model, as the task file's [model] section names it.
struct ZooSize {
    std::string name;
    std::int64_t fallback = 0;  ///< used when the task gives none
    std::int64_t least = 1;
    std::int64_t most = 1;
    std::string meaning;
};

struct ZooModel {
    std::string name;     ///< without "zoo:"
    std::string meaning;  ///< one line for lists and forms
    std::vector<ZooSize> sizes;
};

/// All models with their sizes, for help texts and forms.
const std::vector<ZooModel>& zoo_models();

using ZooSizes = std::map<std::string, std::int64_t>;

/// Builds a model in code, as the graph that an ONNX export of opset 17 would give: canonical, scoped
/// names, shapes inferred, weights with PyTorch's default initialization (gpt: normal 0.02).
///
/// `name` with or without "zoo:". `batch` is the number of rows of one micro-batch; it binds the symbol
/// "batch" of every input. Inputs are `input` (float32) or, for gpt, `tokens` (int64 [batch, context]); the
/// output is `logits` (gpt: [batch, context, vocabulary]), for multitask one per head (`logits_0`, ...).
/// Fails (not_found) for an unknown model, (invalid_input) for an unknown size or one out of its range,
/// each with the known ones.
Result<Graph> build_zoo(std::string_view name, const ZooSizes& sizes, std::int64_t batch);

}  // namespace divisi::graph
