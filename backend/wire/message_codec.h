// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "backend/control/protocol/message.h"
#include "backend/mesh/signaling/load_advert.h"

namespace divisi::wire {

/// Number of a control message on the wire: its position in control::Message.
using MessageType = std::uint16_t;
inline MessageType type_of(const control::Message& message) { return static_cast<MessageType>(message.index()); }

/// Bytes that a message of this type may have before it is parsed at all: a control frame for most, more for some, 0
/// for an unknown type.
std::size_t size_limit(MessageType type);

/// Protobuf bytes of a message. `exhausted` when they exceed the type's limit.
Result<std::string> encode(const control::Message& message);
/// `corrupt` for bytes that do not parse, too many elements or a value outside its enumeration, with the
/// field; `unsupported` for a type this version does not know.
Result<control::Message> decode(MessageType type, std::span<const std::byte> bytes);

/// Signaling type 4 between a router and a gateway; at most mesh::max_load_bytes. Errors as above.
Result<std::string> encode_load(const mesh::LoadAdvert& advert);
Result<mesh::LoadAdvert> decode_load(std::span<const std::byte> bytes);

/// An event as the log keeps it.
Result<std::string> encode_event(const control::Event& event);
Result<control::Event> decode_event(std::span<const std::byte> bytes);
/// A page of the state, likewise.
Result<std::string> encode_page(const control::Snapshot& page);
Result<control::Snapshot> decode_page(std::span<const std::byte> bytes);

}  // namespace divisi::wire
