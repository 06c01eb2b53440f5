// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "agents/segment/executor.h"
#include "backend/base/result.h"

namespace divisi::instance {

/// Gradients of several uses as one tensor (uint8), since a channel carries one tensor per step:
/// count, then per use initializer, use, dtype, rank, dims and bytes, little-endian.
graph::HostTensor pack_use_gradients(const std::vector<segment::UseGradient>& gradients);
/// `corrupt` when the lengths do not add up.
Result<std::vector<segment::UseGradient>> unpack_use_gradients(const graph::HostTensor& packed);

/// Shares of the squared norm as float64 [n, 2]: initializer, squared.
graph::HostTensor pack_norm_shares(const std::vector<segment::NormShare>& shares);
Result<std::vector<segment::NormShare>> unpack_norm_shares(const graph::HostTensor& packed);

/// Sum of the shares in the order of initializers, each counted once although every holder of a shared
/// weight names it.
double total_squared_norm(std::vector<segment::NormShare> shares);

}  // namespace divisi::instance
