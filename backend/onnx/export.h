// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>

#include "backend/base/result.h"
#include "backend/graph/graph.h"

namespace divisi::onnx {

/// Weights of more bytes than this are written to a data file next to the model. A Protobuf message has at most 2 GiB
/// and must fit completely into memory.
inline constexpr std::int64_t inline_weights_limit = std::int64_t{1} << 30;

struct ExportOptions {
    /// Returns the current data of an initializer, given its position in Graph::initializers. The data must have the
    /// initializer's type and shape. Called once for each initializer in order; each result is dropped before the next
    /// call. If this function is not set, Initializer::data is used.
    std::function<Result<graph::HostTensor>(std::size_t)> weights;
    std::int64_t inline_limit = inline_weights_limit;
};

/// Writes `graph` as a model that any ONNX runtime runs. Dimensions with a symbol remain open. The model file appears
/// completely or not at all. A data file gets a new name ("m.onnx.data", "m.onnx.1.data", ...), so that an older model
/// at the same path keeps its own data until it is replaced.
///
/// Fails with exhausted on a full disk, and with invalid_input on a weight without data, naming the weight.
Result<void> export_model(const graph::Graph& graph, const std::filesystem::path& path,
                          const ExportOptions& options = {});

}  // namespace divisi::onnx
