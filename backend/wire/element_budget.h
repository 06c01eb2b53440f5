// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace google::protobuf {
class Descriptor;
}

namespace divisi::wire {

/// Sub-messages and strings that one message may hold. Parsed, each costs some hundred bytes however few
/// it has on the wire: 4 MB of empty elements would take 140 MB.
inline constexpr std::size_t element_limit = 200'000;

/// Walks the encoded bytes without allocating. False when they are malformed, nest too deep or hold more
/// than element_limit elements.
bool within_element_budget(const google::protobuf::Descriptor& type, std::span<const std::byte> bytes);

}  // namespace divisi::wire
