// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>

#include "backend/base/result.h"
#include "backend/graph/graph.h"

namespace divisi::onnx {

/// Above this, weights go to a data file beside the model: Protobuf holds at most 2 GiB, and all in memory.
inline constexpr std::int64_t inline_weights_limit = std::int64_t{1} << 30;

struct ExportOptions {
    /// Current data of an initializer, by its position in Graph::initializers; must have its type and shape.
    /// Empty: Initializer::data. Called once for each, in order; each is dropped before the next.
    std::function<Result<graph::HostTensor>(std::size_t)> weights;
    std::int64_t inline_limit = inline_weights_limit;
};

/// Writes `graph` as a model that any ONNX runtime runs; dimensions with a symbol stay open. The model appears
/// whole or not at all. A data file gets a fresh name ("m.onnx.data", "m.onnx.1.data", ...), so that an older
/// model in the same place keeps its own until it is replaced.
/// Fails with exhausted on a full disk, and with invalid_input, naming it, on a weight without data.
Result<void> export_model(const graph::Graph& graph, const std::filesystem::path& path,
                          const ExportOptions& options = {});

}  // namespace divisi::onnx
