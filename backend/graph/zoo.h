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
    std::int64_t fallback = 0;  ///< used if the task gives none
    std::int64_t least = 1;
    std::int64_t most = 1;
    std::string meaning;
};

struct ZooModel {
    std::string name;     ///< without "zoo:"
    std::string meaning;  ///< one line, shown in lists and forms
    std::vector<ZooSize> sizes;
};

/// Returns all models with their sizes, for help texts and forms.
const std::vector<ZooModel>& zoo_models();

using ZooSizes = std::map<std::string, std::int64_t>;

/// Builds a model in code. The graph is the one that an ONNX export of opset 17 would give: canonical, with scoped
/// names, inferred shapes, and weights with PyTorch's default initialization (gpt: normal 0.02).
///
/// `name` may have the prefix "zoo:". `batch` is the number of rows of one micro-batch and binds the symbol "batch" of
/// every input. The input is `input` (float32) or, for gpt, `tokens` (int64 [batch, context]). The output is `logits`
/// (gpt: [batch, context, vocabulary]); multitask has one per head (`logits_0`, ...). Fails with not_found for an
/// unknown model and with invalid_input for an unknown size or a size out of range. The message lists the known ones.
Result<Graph> build_zoo(std::string_view name, const ZooSizes& sizes, std::int64_t batch);

}  // namespace divisi::graph
