// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/base/result.h"
#include "backend/graph/graph.h"

namespace divisi::onnx {

/// Opsets of ai.onnx that are read. Forms that only opsets before 9 had are refused with their operator (see
/// graph/operators.h); opsets after the newest were not known when the operators were written.
inline constexpr std::int64_t oldest_opset = 1;
inline constexpr std::int64_t newest_opset = 23;

struct ImportOptions {
    graph::Bindings bindings;          ///< sizes of symbolic dimensions
    std::vector<std::string> frozen;   ///< initializer names, or prefixes ending in '*', that do not train
    std::vector<std::string> trained;  ///< likewise: train although they look like constants (see trainable.h)
    bool check_operators = true;       ///< refuse a model with an operator that cannot run
    bool infer_shapes = true;          ///< fill in every value's type and shape
};

/// Reads a model with its external data, checks it, inlines its local functions, turns Constant nodes into
/// initializers, brings the nodes into canonical order, marks what trains, and infers shapes.
///
/// Initializer data stays in the mapped file (HostTensor::owner holds the mapping) and so may be unaligned.
/// Unnamed nodes get names from their operator and place in the file; these are stable for a given file.
/// Errors name the file and the node or value: not_found, invalid_input (malformed), unsupported (well formed,
/// cannot run; names the node and operator), exhausted (a limit).
Result<graph::Graph> import_model(const std::filesystem::path& path, const ImportOptions& options = {});

/// The same for a model in memory; external data is refused. `origin` stands in messages.
Result<graph::Graph> import_bytes(std::span<const std::byte> bytes, std::string_view origin,
                                  const ImportOptions& options = {});

}  // namespace divisi::onnx
