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

/// Identifies a micro-batch of the data. Every data instance reads the same micro-batch at this place.
struct DataPlace {
    std::int64_t step = 0;
    std::int32_t microbatch = 0;
    auto operator<=>(const DataPlace&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// All micro-batches that a consumer is waiting for now. Each demand replaces the previous demand, so a lost demand
/// only costs the time until the next demand.
struct Demand {
    std::uint64_t sequence = 0;          ///< counted by this consumer; an older demand that arrives late is dropped
    std::uint64_t microbatch_bytes = 0;  ///< tensor bytes of one micro-batch; 0: not known yet
    std::vector<DataPlace> places;
    bool operator==(const Demand&) const = default;
};

/// Limit on places in a demand. A consumer waits for no more than its tensor slots; task files allow far fewer.
inline constexpr std::size_t most_demanded = 4096;
/// Limit on the payload of a demand. The lane must let such a message pass.
inline constexpr std::size_t max_demand_bytes = 16 + 12 * most_demanded;

/// Encodes the payload of a FrameKind::demand frame: two numbers of eight bytes, then twelve bytes per place,
/// little-endian.
std::string encode_demand(const Demand& demand);
/// Decodes a demand. Fails with `corrupt` for a wrong length, too many places, or an invalid place.
Result<Demand> decode_demand(std::span<const std::byte> bytes);

}  // namespace divisi::frame
