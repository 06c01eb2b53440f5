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

/// Range of ai.onnx opsets that can be read. Operator forms that exist only in opsets before 9 are refused with the
/// operator's name (see graph/operators.h). Later opsets are refused, since they may change operators.
inline constexpr std::int64_t oldest_opset = 1;
inline constexpr std::int64_t newest_opset = 23;

struct ImportOptions {
    graph::Bindings bindings;         ///< sizes of symbolic dimensions
    std::vector<std::string> frozen;  ///< initializers that do not train: names, or prefixes ending in '*'
    /// initializers, named in the same way, that train although they look like constants (see trainable.h)
    std::vector<std::string> trained;
    bool check_operators = true;  ///< whether to refuse a model with an operator that cannot run
    bool infer_shapes = true;     ///< whether to fill in every value's type and shape
};

/// Reads a model with its external data and checks it. Inlines its local functions, turns Constant nodes into
/// initializers, brings the nodes into canonical order, marks trainable initializers and infers shapes.
///
/// Initializer data stays in the mapped file (HostTensor::owner holds the mapping), so it may be unaligned. Unnamed
/// nodes are named by their operator and position in the file; these names are stable for a given file. Errors name the
/// file and the node or value:
/// - not_found: the file or its external data does not exist.
/// - invalid_input: the model is malformed.
/// - unsupported: the model is well formed but cannot run. Names the node and its operator.
/// - exhausted: a limit is exceeded.
Result<graph::Graph> import_model(const std::filesystem::path& path, const ImportOptions& options = {});

/// Reads a model in memory as import_model() does, but refuses external data. Messages name `origin` as the source.
Result<graph::Graph> import_bytes(std::span<const std::byte> bytes, std::string_view origin,
                                  const ImportOptions& options = {});

}  // namespace divisi::onnx
