// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "backend/control/protocol/message.h"
#include "backend/control/state/event.h"
#include "backend/mesh/signaling/load_advert.h"

namespace divisi::wire {

/// Number of a control message's type on the wire: its position in control::Message.
using MessageType = std::uint16_t;
inline MessageType type_of(const control::Message& message) { return static_cast<MessageType>(message.index()); }

/// Returns the largest size in bytes of a message of this type, checked before parsing. The limit is one control frame
/// for most types and larger for some types. Returns 0 for an unknown type.
std::size_t size_limit(MessageType type);

/// Encodes a message in Protobuf. Fails with `exhausted` if it exceeds the type's limit.
Result<std::string> encode(const control::Message& message);
/// Decodes a message. Fails with `corrupt`, naming the field, for bytes that do not parse, too many elements, or a
/// value outside its enumeration. Fails with `unsupported` for a type that this version does not know.
Result<control::Message> decode(MessageType type, std::span<const std::byte> bytes);

/// Encode and decode a message of signaling type 4, from a router to a gateway, of at most mesh::max_load_bytes. Fail
/// like encode() and decode().
Result<std::string> encode_load(const mesh::LoadAdvert& advert);
Result<mesh::LoadAdvert> decode_load(std::span<const std::byte> bytes);

/// Encode and decode an event as the log stores it.
Result<std::string> encode_event(const control::Event& event);
Result<control::Event> decode_event(std::span<const std::byte> bytes);
/// Encode and decode a page of the state as the log stores it.
Result<std::string> encode_page(const control::Snapshot& page);
Result<control::Snapshot> decode_page(std::span<const std::byte> bytes);

}  // namespace divisi::wire
