// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "backend/frame/frame.h"

namespace divisi::frame {

/// BLAKE2b-256 of everything that determines a tensor's bytes: the operators that made it, their weights and their
/// inputs. Tensors with equal keys have equal bytes, even if different processes compute them.
using ContentKey = std::array<std::byte, 32>;

/// Sets the TLV `content`. The TLV is used in the chunks of a tensor that a router may cache, and in offers of such a
/// tensor.
void set_content(std::vector<Tlv>& routing, const ContentKey& key);
/// Returns the key; nothing if there is none or its length is wrong.
std::optional<ContentKey> content_of(const std::vector<Tlv>& routing);

}  // namespace divisi::frame
