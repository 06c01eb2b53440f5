// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backend/base/result.h"

namespace divisi::frame {

/// A micro-batch of the data: the same wherever it is read.
struct DataPlace {
    std::int64_t step = 0;
    std::int32_t microbatch = 0;
    auto operator<=>(const DataPlace&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// All micro-batches that a consumer waits for now. Said again it changes nothing, so that one that is lost costs the
/// time until the next.
struct Demand {
    std::uint64_t sequence = 0;          ///< of this consumer; an older one that comes late is dropped
    std::uint64_t microbatch_bytes = 0;  ///< of the tensors of one; 0: not known yet
    std::vector<DataPlace> places;
    bool operator==(const Demand&) const = default;
};

/// A consumer waits for no more than its tensor slots; task files allow far fewer.
inline constexpr std::size_t most_demanded = 4096;

/// The payload of a frame of FrameKind::demand: two numbers of eight bytes, then twelve bytes a place, little-endian.
std::string encode_demand(const Demand& demand);
/// `corrupt` for another length, too many places, or a place that is none.
Result<Demand> decode_demand(std::span<const std::byte> bytes);

}  // namespace divisi::frame
