// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "agents/segment/executor.h"
#include "backend/base/result.h"

namespace divisi::instance {

/// Packs the gradients of several uses into one tensor (uint8), because a channel carries one tensor per step. The
/// format is a count, then for each use initializer, use, dtype, rank, dims and bytes, little-endian.
graph::HostTensor pack_use_gradients(const std::vector<segment::UseGradient>& gradients);
/// Unpacks the gradients; fails with `corrupt` if the lengths do not add up.
Result<std::vector<segment::UseGradient>> unpack_use_gradients(const graph::HostTensor& packed);

/// Packs shares of the squared norm as float64 [n, 2]: initializer, share.
graph::HostTensor pack_norm_shares(const std::vector<segment::NormShare>& shares);
Result<std::vector<segment::NormShare>> unpack_norm_shares(const graph::HostTensor& packed);

/// Returns the sum of the shares, in the order of initializers. Counts the share of a shared weight once, although
/// every segment with the weight reports this share.
double total_squared_norm(std::vector<segment::NormShare> shares);

}  // namespace divisi::instance
