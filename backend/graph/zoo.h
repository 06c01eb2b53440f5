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
    std::int64_t fallback = 0;  ///< default value if the task gives no size
    std::int64_t least = 1;
    std::int64_t most = 1;
    std::string meaning;
};

struct ZooModel {
    std::string name;     ///< name of the model, without "zoo:"
    std::string meaning;  ///< one line of description, for lists and forms
    std::vector<ZooSize> sizes;
};

/// Returns all models with their sizes, for help texts and forms.
const std::vector<ZooModel>& zoo_models();

using ZooSizes = std::map<std::string, std::int64_t>;

/// Builds a model in code. The graph is like an ONNX export of opset 17 (gpt, vit: 20) with fused attention: canonical,
/// with scoped names and inferred shapes. Weights are initialized as in PyTorch (gpt, vit: normal, deviation 0.02).
///
/// `name` may have the prefix "zoo:". `batch` is the number of rows of one micro-batch and binds the symbol "batch" of
/// every input. The input is `input` (float32) or, for gpt, `tokens` (int64 [batch, context]). The output is `logits`
/// (gpt: [batch, context, vocabulary]); multitask has one per head (`logits_0`, ...). Fails with not_found for an
/// unknown model and with invalid_input for an unknown size or a size out of range. The message lists the known models
/// or sizes.
Result<Graph> build_zoo(std::string_view name, const ZooSizes& sizes, std::int64_t batch);

}  // namespace divisi::graph
