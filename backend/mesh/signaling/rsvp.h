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

/// A message with three SIDs has some 300 bytes; what is longer is a mistake or an attack.
inline constexpr std::size_t max_rsvp_bytes = 2u << 10;
inline constexpr std::size_t max_rsvp_objects = 32;

/// Msg Type of the common header: RFC 2205's, and the two of draft-hu-rtgwg-cbfc-rsvp-00.
enum class RsvpType : std::uint8_t {
    path_error = 3,    ///< PathErr: a device refuses the flow
    path_tear = 5,     ///< PathTear: the flow is over
    credit_path = 28,  ///< a sender looks for ways to the receiver
    credit_resv = 29,  ///< a device allows bytes to the one before it
};
const char* to_string(RsvpType type);

struct Ipv6 {
    std::array<std::uint8_t, 16> bytes{};  ///< in the order of the wire
    auto operator<=>(const Ipv6&) const = default;
};
/// fd00:6469:7669::<id>, a unique local address (RFC 4193). It stands in messages and captures; no packet goes there.
Ipv6 device_address(RoutingId id);

/// SESSION: the gateway at the flow's end, and the flow number as port.
struct Session {
    Ipv6 destination;
    std::uint8_t protocol = 6;  ///< of the data: TCP
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

/// RSVP_HOP: the device that sent this message, and by which of its links.
struct Hop {
    Ipv6 address;
    std::uint32_t interface_handle = 0;
    bool operator==(const Hop&) const = default;
};

/// CREDIT of C-Type 2. The bytes are counted from the start of the reservation, so a lost or doubled message does no
/// harm.
struct Credit {
    std::uint32_t flow = 0;
    std::uint64_t incarnation = 0;    ///< of the reservation
    std::uint64_t allowed_bytes = 0;  ///< all that the receiver has ever allowed
    bool operator==(const Credit&) const = default;
};

/// Paths of the task and of the two SIDs, in UTF-8.
struct FlowSids {
    std::string task, source, destination;
    bool operator==(const FlowSids&) const = default;
};

/// ERROR_SPEC: who refuses, and why (RFC 2205, appendix B).
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
    std::string content;  ///< a multiple of 4 bytes
    bool operator==(const RawObject&) const = default;
};

/// One RSVP message. Each type must carry: PATH: session, sender, hop, sids. RESV: session, sender, hop and at least
/// one of the two credits. PathTear: session, sender, hop. PathErr: session, sender, error, and no hop. Besides, PATH
/// and RESV may carry refresh, and all may carry sids.
struct RsvpMessage {
    RsvpType type = RsvpType::credit_path;
    std::uint8_t send_ttl = 64;
    Session session;
    SenderTemplate sender;
    Hop hop;
    std::optional<Duration> refresh;                ///< whole milliseconds
    std::optional<std::uint32_t> credit_megabytes;  ///< CREDIT of C-Type 1, which the draft has
    std::optional<Credit> credit;
    std::optional<FlowSids> sids;
    std::optional<ErrorSpec> error;
    std::vector<RawObject> passed_on;  ///< written again in this order, behind all others
    bool operator==(const RsvpMessage&) const = default;
};

/// Units of 10^6 bytes, rounded down; what 32 bits cannot hold becomes their greatest value.
std::uint32_t megabytes(std::uint64_t bytes);

/// RFC 1071 over all bytes, a last odd one padded with zero.
std::uint16_t internet_checksum(std::span<const std::byte> bytes);

/// `invalid_input` when the message breaks a rule that decode would refuse.
Result<std::string> encode(const RsvpMessage& message);
/// Trusts nothing: every length is checked before it is used. `unsupported` for a message type, a class 0bbbbbbb or a
/// C-Type that this version does not know; `corrupt` for all else that does not check. Reserved fields, the header's
/// flags, NULL objects and unknown classes 10bbbbbb are not kept (RFC 2205, 3.10).
Result<RsvpMessage> decode(std::span<const std::byte> bytes);

}  // namespace divisi::mesh::inline signaling
