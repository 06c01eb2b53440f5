// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace google::protobuf {
class Descriptor;
}

namespace divisi::wire {

/// Checks the encoded bytes without allocating. Returns false if they are malformed, nest too deep, or hold more than
/// control::message_elements elements (sub-messages and strings).
bool within_element_budget(const google::protobuf::Descriptor& type, std::span<const std::byte> bytes);

}  // namespace divisi::wire
