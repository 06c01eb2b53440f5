// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backend/base/result.h"

namespace divisi::onnx {

/// Limit for everything in a model except its weights. Protobuf turns two bytes of hostile input into forty bytes of
/// memory, so this limit bounds the memory of an import to a few GiB. A graph of 10,000 operators needs 2 MiB.
inline constexpr std::int64_t structure_limit = std::int64_t{256} << 20;
/// Weight data of at least this size is not copied. Below it, copying is cheaper than bookkeeping.
inline constexpr std::int64_t raw_data_inline_limit = 4096;
/// Limit for nested sub-graphs. Protobuf stops at 100 nested messages, three per level.
inline constexpr int subgraph_depth_limit = 16;

/// A model without the large tensor data of its initializers; that data stays in the input buffer.
struct ScannedModel {
    std::string structure;  ///< a valid ModelProto whose initializers lack their large data
    /// data of each initializer in file order; empty if the data is still in `structure`
    std::vector<std::span<const std::byte>> data;
};

/// Scans the wire format of a serialized onnx.ModelProto. Checks every length before allocating memory, and reports the
/// byte at which a file is damaged. Separates raw_data, packed float_data and double_data of initializers (all
/// little-endian, as in memory). `where` names the file in messages.
Result<ScannedModel> scan_model(std::span<const std::byte> bytes, const std::string& where);

}  // namespace divisi::onnx
