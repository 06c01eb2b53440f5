// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backend/base/result.h"

namespace divisi::onnx {

/// Everything of a model but its weights. Protobuf turns two bytes of hostile input into forty bytes of
/// memory, so this bounds an import at a few GiB; a graph of 10,000 operators needs 2 MiB.
inline constexpr std::int64_t structure_limit = std::int64_t{256} << 20;
/// Weight data of at least this size stays where it is; below it, copying is cheaper than bookkeeping.
inline constexpr std::int64_t raw_data_inline_limit = 4096;
/// Sub-graphs within sub-graphs. Protobuf itself stops at 100 nested messages, three a level.
inline constexpr int subgraph_depth_limit = 16;

/// A model without the large tensor data of its initializers, which stays in the input.
struct ScannedModel {
    std::string structure;                         ///< a ModelProto that parses, initializers without large data
    std::vector<std::span<const std::byte>> data;  ///< by initializer in file order; empty: still in `structure`
};

/// Walks the wire format of a serialized onnx.ModelProto: checks every length before anything is allocated,
/// says at which byte a file is damaged, and takes raw_data, packed float_data and double_data of
/// initializers out (all little-endian, as in memory). `where` stands in messages.
Result<ScannedModel> scan_model(std::span<const std::byte> bytes, const std::string& where);

}  // namespace divisi::onnx
