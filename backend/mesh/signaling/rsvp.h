// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/result.h"
#include "backend/mesh/base/device.h"

namespace divisi::mesh::inline signaling {

/// Limits on a message. A message with three SIDs has about 300 bytes; a message above the limit is a mistake or an
/// attack.
inline constexpr std::size_t max_rsvp_bytes = 2u << 10;
inline constexpr std::size_t max_rsvp_objects = 32;

/// Msg Type of the common header: two types of RFC 2205, and the two of draft-hu-rtgwg-cbfc-rsvp-00.
enum class RsvpType : std::uint8_t {
    path_error = 3,    ///< PathErr: a device refuses the flow
    path_tear = 5,     ///< PathTear: the flow has ended
    credit_path = 28,  ///< a sender searches for paths to the receiver
    credit_resv = 29,  ///< a device grants bytes to the previous device
};
const char* to_string(RsvpType type);

struct Ipv6 {
    std::array<std::uint8_t, 16> bytes{};  ///< address in network byte order
    auto operator<=>(const Ipv6&) const = default;
};

/// Appends the 16 bytes of an address, in the order of the network.
inline void put_address(std::string& out, const Ipv6& address) {
    out.append(address.bytes.begin(), address.bytes.end());
}

/// Returns fd00:6469:7669::<id>, a unique local address (RFC 4193). It is used in messages and captures; no packet is
/// sent to this address.
Ipv6 device_address(RoutingId id);

/// SESSION: the gateway at the flow's end, with the flow number as port.
struct Session {
    Ipv6 destination;
    std::uint8_t protocol = 6;  ///< protocol of the data: TCP
    std::uint8_t flags = 0;
    std::uint16_t port = 0;
    bool operator==(const Session&) const = default;
};

/// SENDER_TEMPLATE: the gateway at the flow's start.
struct SenderTemplate {
    Ipv6 source;
    std::uint16_t port = 0;
    bool operator==(const SenderTemplate&) const = default;
};

/// RSVP_HOP: the device that sent this message, and the link that it used.
struct Hop {
    Ipv6 address;
    std::uint32_t interface_handle = 0;
    bool operator==(const Hop&) const = default;
};

/// CREDIT of C-Type 2. Bytes are counted from the start of the reservation, so a lost or repeated message has no
/// lasting effect.
struct Credit {
    std::uint32_t flow = 0;
    std::uint64_t incarnation = 0;    ///< incarnation of the reservation
    std::uint64_t allowed_bytes = 0;  ///< all bytes that the next hop has allowed so far
    bool operator==(const Credit&) const = default;
};

/// Paths of the task and of the two SIDs, in UTF-8.
struct FlowSids {
    std::string task, source, destination;
    bool operator==(const FlowSids&) const = default;
};

/// ERROR_SPEC: the refusing device and its reason (RFC 2205, appendix B).
struct ErrorSpec {
    Ipv6 node;
    std::uint8_t flags = 0;
    std::uint8_t code = 0;
    std::uint16_t value = 0;
    bool operator==(const ErrorSpec&) const = default;
};

/// An object of a class 11bbbbbb that this version does not know.
struct RawObject {
    std::uint8_t class_num = 0;
    std::uint8_t c_type = 0;
    std::string content;  ///< content of the object; its length is a multiple of 4 bytes
    bool operator==(const RawObject&) const = default;
};

/// One RSVP message. Each type must carry these fields:
/// - PATH: session, sender, hop, sids.
/// - RESV: session, sender, hop, and at least one of the two credits.
/// - PathTear: session, sender, hop.
/// - PathErr: session, sender, error, and no hop.
/// PATH and RESV may also carry refresh, and all types may carry sids.
struct RsvpMessage {
    RsvpType type = RsvpType::credit_path;
    std::uint8_t send_ttl = 64;
    Session session;
    SenderTemplate sender;
    Hop hop;
    std::optional<Duration> refresh;                ///< refresh period in whole milliseconds
    std::optional<std::uint32_t> credit_megabytes;  ///< CREDIT of C-Type 1, as the draft defines it
    std::optional<Credit> credit;
    std::optional<FlowSids> sids;
    std::optional<ErrorSpec> error;
    std::vector<RawObject> passed_on;  ///< unknown objects to be passed on; written in this order, after all other
                                       ///< objects
    bool operator==(const RsvpMessage&) const = default;
};

/// Converts to units of 10^6 bytes, rounded down; values beyond 32 bits become the largest 32-bit value.
std::uint32_t megabytes(std::uint64_t bytes);

/// Computes the RFC 1071 checksum over all bytes; an odd last byte is padded with zero.
std::uint16_t internet_checksum(std::span<const std::byte> bytes);

/// Encodes a message; fails with `invalid_input` if it breaks a rule that decode() enforces.
Result<std::string> encode(const RsvpMessage& message);
/// Decodes untrusted bytes: checks every length before using it. Fails with `unsupported` for a message type, a class
/// 0bbbbbbb or a C-Type that this version does not know, and with `corrupt` for everything else. Reserved fields, the
/// header's flags, NULL objects and unknown classes 10bbbbbb are not kept (RFC 2205, 3.10).
Result<RsvpMessage> decode(std::span<const std::byte> bytes);

}  // namespace divisi::mesh::inline signaling
