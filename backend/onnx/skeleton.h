// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "backend/base/result.h"
#include "backend/graph/graph.h"

namespace divisi::onnx {

/// A skeleton is a model without its weights, small enough to send to every instance. Nodes, values and initializers
/// are those of the model, in the same order, so that an index has the same meaning in both.

/// Alignment of every tensor in a weights file: a cache line, which suits the widest vector load.
inline constexpr std::int64_t weights_alignment = 64;
/// Size limits of constants that stay in the skeleton, so that shape arithmetic needs no weights file. Floating
/// constants are scalars and small tables; integer constants may be larger index tables.
inline constexpr std::int64_t inline_constant_limit = 4 << 10;
inline constexpr std::int64_t inline_integer_limit = 64 << 10;
/// Limit for loaded skeletons; a skeleton of 10,000 operators takes 3 MiB.
inline constexpr std::int64_t skeleton_limit = std::int64_t{64} << 20;

/// Writes the data of `graph` to a weights file (completely or not at all) and returns the graph with
/// Initializer::offset in place of data. Initializers that are drawn at random, stay in the skeleton or already have an
/// offset remain unchanged. If there is no data to write, no file is created.
Result<graph::Graph> place_weights(const graph::Graph& graph, const std::filesystem::path& weights_file);

/// Returns the same graph as place_weights() without writing a file, for callers that only plan.
graph::Graph without_weights(const graph::Graph& graph);

/// Serializes a canonical graph with shapes, trainable flags, random rules and offsets. Fails (invalid_input) on an
/// initializer whose data is neither small enough nor stored in a weights file.
Result<std::string> encode_skeleton(const graph::Graph& graph);

/// Reads a skeleton back. The bytes come from a peer, so everything is checked and bounded as in import.h. Offsets are
/// not compared with a weights file; read_weight() does that.
Result<graph::Graph> load_skeleton(std::span<const std::byte> bytes, std::string_view origin);

/// Maps the tensor of one initializer that has an offset, and reads no other part of the file.
Result<graph::HostTensor> read_weight(const graph::Graph& graph, std::size_t initializer,
                                      const std::filesystem::path& weights_file);

}  // namespace divisi::onnx
