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

/// A skeleton is a model without its weights: small enough to send to every instance, with the same nodes,
/// values and initializers in the same order, so that an index means the same at both ends.

/// Every tensor of a weights file starts at a multiple of this: a cache line, the widest vector load.
inline constexpr std::int64_t weights_alignment = 64;
/// Constants that stay in the skeleton, so that shape arithmetic needs no weights file; floating ones are
/// scalars and small tables, integer ones also index tables.
inline constexpr std::int64_t inline_constant_limit = 4 << 10;
inline constexpr std::int64_t inline_integer_limit = 64 << 10;
/// Skeletons that are loaded: 10,000 operators take 3 MiB.
inline constexpr std::int64_t skeleton_limit = std::int64_t{64} << 20;

/// Writes the data of `graph` to a weights file (whole or not at all) and returns the graph with
/// Initializer::offset in place of data. What is drawn at random, lies in the skeleton, or has an offset
/// already, stays as it is; when nothing is left to write, no file is made.
Result<graph::Graph> place_weights(const graph::Graph& graph, const std::filesystem::path& weights_file);

/// The graph that place_weights() returns, without any file: for those who only plan.
graph::Graph without_weights(const graph::Graph& graph);

/// Serializes a canonical graph with shapes, trainable flags, random rules and offsets. Fails
/// (invalid_input) on an initializer whose data is neither small enough nor placed.
Result<std::string> encode_skeleton(const graph::Graph& graph);

/// The reverse. Bytes come from a peer: everything is checked and bounded as in import.h. Offsets are not
/// compared with a weights file; read_weight() does that.
Result<graph::Graph> load_skeleton(std::span<const std::byte> bytes, std::string_view origin);

/// Maps the one tensor of an initializer with an offset; touches no other part of the file.
Result<graph::HostTensor> read_weight(const graph::Graph& graph, std::size_t initializer,
                                      const std::filesystem::path& weights_file);

}  // namespace divisi::onnx
