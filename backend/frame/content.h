// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "backend/frame/frame.h"

namespace divisi::frame {

/// BLAKE2b-256 of all that a tensor's bytes depend on: the operators that made it, their weights, their inputs. Tensors
/// of equal keys have equal bytes, whoever makes them.
using ContentKey = std::array<std::byte, 32>;

/// The TLV `content`: in the chunks of a tensor that a router may keep, and in the offer of one that it may have.
void set_content(std::vector<Tlv>& routing, const ContentKey& key);
/// Nothing where there is none, or of another length.
std::optional<ContentKey> content_of(const std::vector<Tlv>& routing);

}  // namespace divisi::frame
