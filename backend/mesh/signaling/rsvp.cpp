// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/signaling/rsvp.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "backend/base/text.h"
#include "backend/mesh/base/network_order.h"

namespace divisi::mesh::inline signaling {
namespace {

constexpr std::uint8_t version = 1;
constexpr std::size_t header_bytes = 8, object_header_bytes = 4, checksum_at = 2;

/// The objects that this version knows; the values are bits of a set.
enum Kind : unsigned {
    session = 1 << 0,
    hop = 1 << 1,
    error_spec = 1 << 2,
    time_values = 1 << 3,
    sender_template = 1 << 4,
    credit_megabytes = 1 << 5,
    credit_bytes = 1 << 6,
    flow_sids = 1 << 7,
};
constexpr unsigned any_credit = credit_megabytes | credit_bytes;

struct Known {
    Kind kind;
    std::uint8_t class_num, c_type;
    std::size_t bytes;  ///< content size; 0: the size that its strings need
    const char* name;
};
constexpr std::array known_objects{
    Known{session, 1, 2, 20, "SESSION"},
    Known{hop, 3, 2, 20, "RSVP_HOP"},
    Known{error_spec, 6, 2, 20, "ERROR_SPEC"},
    Known{time_values, 5, 1, 4, "TIME_VALUES"},
    Known{sender_template, 11, 2, 20, "SENDER_TEMPLATE"},
    Known{credit_megabytes, 240, 1, 4, "CREDIT in megabytes"},
    Known{credit_bytes, 240, 2, 20, "CREDIT in bytes"},
    Known{flow_sids, 241, 1, 0, "FLOW_SIDS"},
};

struct TypeRule {
    RsvpType type;
    const char* name;
    unsigned needed, allowed;
};
constexpr std::array type_rules{
    TypeRule{RsvpType::path_error, "PathErr", session | sender_template | error_spec, flow_sids},
    TypeRule{RsvpType::path_tear, "PathTear", session | hop | sender_template, flow_sids},
    TypeRule{RsvpType::credit_path, "credit-based PATH", session | hop | sender_template | flow_sids, time_values},
    TypeRule{RsvpType::credit_resv, "credit-based RESV", session | hop | sender_template,
             any_credit | time_values | flow_sids},
};

const TypeRule* find_rule(RsvpType type) {
    const auto* found = std::find_if(type_rules.begin(), type_rules.end(), [&](auto& r) { return r.type == type; });
    return found == type_rules.end() ? nullptr : found;
}

bool is_known_class(std::uint8_t class_num) {
    return std::any_of(known_objects.begin(), known_objects.end(), [&](auto& k) { return k.class_num == class_num; });
}

Error corrupt(std::string what, std::size_t at) {
    return {ErrorCode::corrupt, std::move(what), "RSVP message, byte " + std::to_string(at),
            "the message is dropped and its sender repeats it"};
}

Error unsupported(std::string what, std::size_t at) {
    return {ErrorCode::unsupported, std::move(what), "RSVP message, byte " + std::to_string(at),
            "run the same Divisi version on all gateways and routers"};
}

Error invalid(std::string what) {
    return {ErrorCode::invalid_input, std::move(what), "RSVP message", "correct the message before sending it"};
}

/// Returns what is wrong with a set of objects in a message of this type; empty if the set is correct.
std::string objection(const TypeRule& rule, unsigned present) {
    const std::string type = std::string("a ") + rule.name;
    for (const Known& known : known_objects) {
        if ((rule.needed & ~present & known.kind) != 0) return type + " without " + known.name;
        if ((present & ~(rule.needed | rule.allowed) & known.kind) != 0) return type + " with " + known.name;
    }
    if (rule.type == RsvpType::credit_resv && (present & any_credit) == 0) return type + " without CREDIT";
    return {};
}

/// Returns the position of the first byte that is not valid UTF-8; nothing if all are valid.
std::optional<std::size_t> foreign_byte(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = character_length(text.substr(at));
        if (length == 0) return at;
        at += length;
    }
    return std::nullopt;
}

// ---- writing

void put_object(std::string& out, std::uint8_t class_num, std::uint8_t c_type, std::string_view content) {
    put(out, static_cast<std::uint16_t>(object_header_bytes + content.size()));
    put(out, class_num);
    put(out, c_type);
    out += content;
}

std::string sids_content(const FlowSids& sids) {
    std::string out;
    for (const std::string* text : {&sids.task, &sids.source, &sids.destination}) {
        put(out, static_cast<std::uint16_t>(text->size()));
        out += *text;
    }
    out.resize((out.size() + 3) / 4 * 4);
    return out;
}

unsigned kinds_of(const RsvpMessage& m) {
    unsigned present = session | sender_template;
    if (m.type != RsvpType::path_error || m.hop != Hop{}) present |= hop;
    if (m.refresh) present |= time_values;
    if (m.credit_megabytes) present |= credit_megabytes;
    if (m.credit) present |= credit_bytes;
    if (m.sids) present |= flow_sids;
    if (m.error) present |= error_spec;
    return present;
}

std::uint32_t refresh_ms(const RsvpMessage& m) {
    return static_cast<std::uint32_t>(*m.refresh / std::chrono::milliseconds(1));
}

std::string content_of(Kind kind, const RsvpMessage& m) {
    std::string out;
    switch (kind) {
        case session:
            put_address(out, m.session.destination);
            put(out, m.session.protocol);
            put(out, m.session.flags);
            put(out, m.session.port);
            break;
        case hop:
            put_address(out, m.hop.address);
            put(out, m.hop.interface_handle);
            break;
        case error_spec:
            put_address(out, m.error->node);
            put(out, m.error->flags);
            put(out, m.error->code);
            put(out, m.error->value);
            break;
        case time_values: put(out, refresh_ms(m)); break;
        case sender_template:
            put_address(out, m.sender.source);
            put(out, std::uint16_t{0});
            put(out, m.sender.port);
            break;
        case credit_megabytes: put(out, *m.credit_megabytes); break;
        case credit_bytes:
            put(out, m.credit->flow);
            put(out, m.credit->incarnation);
            put(out, m.credit->allowed_bytes);
            break;
        case flow_sids: out = sids_content(*m.sids); break;
    }
    return out;
}

/// Checks the rules that the fields' types do not enforce.
Result<void> check_own(const RsvpMessage& m) {
    const TypeRule* rule = find_rule(m.type);
    if (rule == nullptr) return invalid("message type " + std::to_string(static_cast<unsigned>(m.type)));
    if (std::string wrong = objection(*rule, kinds_of(m)); !wrong.empty()) return invalid(std::move(wrong));
    if (m.refresh && (*m.refresh < Duration::zero() || *m.refresh != std::chrono::milliseconds(refresh_ms(m))))
        return invalid("a refresh period that is not between 0 and 2^32 - 1 whole milliseconds");
    if (m.sids) {
        for (const std::string* text : {&m.sids->task, &m.sids->source, &m.sids->destination}) {
            if (text->size() > max_rsvp_bytes) return invalid("a SID above 2 KiB");
            if (foreign_byte(*text)) return invalid("a SID that is not UTF-8");
        }
    }
    for (const RawObject& raw : m.passed_on) {
        if (raw.class_num < 0xC0 || is_known_class(raw.class_num))
            return invalid("class " + std::to_string(raw.class_num) + " cannot be the class of an object to forward");
        if (raw.content.size() % 4 != 0 || raw.content.size() > max_rsvp_bytes)
            return invalid("an object of " + std::to_string(raw.content.size()) + " bytes cannot be forwarded");
    }
    return {};
}

// ---- reading

struct Object {
    std::size_t at = 0;  ///< position in the message
    std::uint8_t class_num = 0, c_type = 0;
    std::span<const std::byte> content;
};

Result<Object> object_at(std::span<const std::byte> bytes, std::size_t at) {
    if (bytes.size() - at < object_header_bytes) return corrupt("truncated object header", at);
    auto rest = bytes.subspan(at);
    const std::size_t length = take<std::uint16_t>(rest);
    const auto class_num = take<std::uint8_t>(rest), c_type = take<std::uint8_t>(rest);
    if (length < object_header_bytes || length % 4 != 0)
        return corrupt("an object of " + std::to_string(length) + " bytes", at);
    if (length > bytes.size() - at) return corrupt("an object goes beyond the end of the message", at);
    return Object{at, class_num, c_type, rest.first(length - object_header_bytes)};
}

Ipv6 take_address(std::span<const std::byte>& bytes) {
    Ipv6 address;
    for (std::uint8_t& byte : address.bytes) byte = take<std::uint8_t>(bytes);
    return address;
}

Result<FlowSids> read_sids(const Object& object) {
    FlowSids sids;
    auto rest = object.content;
    const auto here = [&] { return object.at + object_header_bytes + object.content.size() - rest.size(); };
    for (std::string* text : {&sids.task, &sids.source, &sids.destination}) {
        if (rest.size() < 2) return corrupt("no room for the length of a SID", here());
        const std::size_t length_at = here(), length = take<std::uint16_t>(rest);
        if (length > rest.size()) return corrupt("a SID is longer than its object", length_at);
        text->assign(reinterpret_cast<const char*>(rest.data()), length);
        if (const auto foreign = foreign_byte(*text)) return corrupt("a SID is not UTF-8", here() + *foreign);
        rest = rest.subspan(length);
    }
    if (rest.size() > 3) return corrupt("more bytes than three SIDs have", here());
    if (std::any_of(rest.begin(), rest.end(), [](std::byte b) { return b != std::byte{0}; }))
        return corrupt("padding that is not zero", here());
    return sids;
}

Result<void> read_content(Kind kind, const Object& object, RsvpMessage& m) {
    auto rest = object.content;
    switch (kind) {
        case session:
            m.session.destination = take_address(rest);
            m.session.protocol = take<std::uint8_t>(rest);
            m.session.flags = take<std::uint8_t>(rest);
            m.session.port = take<std::uint16_t>(rest);
            break;
        case hop:
            m.hop.address = take_address(rest);
            m.hop.interface_handle = take<std::uint32_t>(rest);
            break;
        case error_spec:
            m.error.emplace();
            m.error->node = take_address(rest);
            m.error->flags = take<std::uint8_t>(rest);
            m.error->code = take<std::uint8_t>(rest);
            m.error->value = take<std::uint16_t>(rest);
            break;
        case time_values: m.refresh = std::chrono::milliseconds(take<std::uint32_t>(rest)); break;
        case sender_template:
            m.sender.source = take_address(rest);
            rest = rest.subspan(2);  // reserved
            m.sender.port = take<std::uint16_t>(rest);
            break;
        case credit_megabytes: m.credit_megabytes = take<std::uint32_t>(rest); break;
        case credit_bytes:
            m.credit.emplace();
            m.credit->flow = take<std::uint32_t>(rest);
            m.credit->incarnation = take<std::uint64_t>(rest);
            m.credit->allowed_bytes = take<std::uint64_t>(rest);
            break;
        case flow_sids: {
            DIVISI_ASSIGN(m.sids, read_sids(object));
            break;
        }
    }
    return {};
}

/// Handles an object of an unknown class by the two highest bits of the class (RFC 2205, 3.10).
Result<void> read_unknown(const Object& object, RsvpMessage& m) {
    const std::string number = "object class " + std::to_string(object.class_num);
    if (object.class_num == 0) return {};  // NULL may appear anywhere and is ignored
    if (is_known_class(object.class_num))
        return unsupported(number + " of C-Type " + std::to_string(object.c_type), object.at);
    if (object.class_num < 0x80) return unsupported(number, object.at);
    if (object.class_num >= 0xC0)
        m.passed_on.push_back(
            {object.class_num, object.c_type,
             std::string(reinterpret_cast<const char*>(object.content.data()), object.content.size())});
    return {};
}

/// Adds the object to the message, and its kind to `present`.
Result<void> read_object(const Object& object, RsvpMessage& m, unsigned& present) {
    const auto* known = std::find_if(known_objects.begin(), known_objects.end(), [&](const Known& k) {
        return k.class_num == object.class_num && k.c_type == object.c_type;
    });
    if (known == known_objects.end()) return read_unknown(object, m);
    if (known->bytes != 0 && object.content.size() != known->bytes)
        return corrupt(std::string(known->name) + " of " + std::to_string(object.content.size()) + " bytes", object.at);
    if ((present & known->kind) != 0) return corrupt(std::string("a second ") + known->name, object.at);
    present |= known->kind;
    return read_content(known->kind, object, m);
}

/// Checks the whole message; returns a message with the type and TTL of the common header.
Result<RsvpMessage> read_header(std::span<const std::byte> bytes) {
    if (bytes.size() < header_bytes) return corrupt("truncated header", bytes.size());
    if (bytes.size() > max_rsvp_bytes) return corrupt("a message above 2 KiB", max_rsvp_bytes);
    auto rest = bytes;
    const auto first = take<std::uint8_t>(rest), type = take<std::uint8_t>(rest);
    const auto checksum = take<std::uint16_t>(rest);
    RsvpMessage m;
    m.send_ttl = take<std::uint8_t>(rest);
    rest = rest.subspan(1);  // reserved
    const std::size_t length = take<std::uint16_t>(rest);
    if (const unsigned seen = first >> 4; seen != version) return corrupt("RSVP version " + std::to_string(seen), 0);
    if (length != bytes.size())
        return corrupt(std::to_string(bytes.size()) + " bytes, but its header says " + std::to_string(length), 6);
    if (checksum == 0) return corrupt("no checksum", checksum_at);
    if (internet_checksum(bytes) != 0) return corrupt("wrong checksum", checksum_at);
    m.type = static_cast<RsvpType>(type);
    if (find_rule(m.type) == nullptr) return unsupported("message type " + std::to_string(type), 1);
    return m;
}

}  // namespace

const char* to_string(RsvpType type) {
    const TypeRule* rule = find_rule(type);
    return rule == nullptr ? "unknown" : rule->name;
}

Ipv6 device_address(RoutingId id) {
    Ipv6 address{{0xfd, 0x00, 0x64, 0x69, 0x76, 0x69}};
    address.bytes[14] = static_cast<std::uint8_t>(id.value() >> 8);
    address.bytes[15] = static_cast<std::uint8_t>(id.value() & 0xff);
    return address;
}

std::uint32_t megabytes(std::uint64_t bytes) {
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    return static_cast<std::uint32_t>(std::min(bytes / 1'000'000, most));
}

std::uint16_t internet_checksum(std::span<const std::byte> bytes) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        sum += std::to_integer<std::uint64_t>(bytes[i]) << (i % 2 == 0 ? 8 : 0);
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<std::uint16_t>(~sum & 0xffff);
}

Result<std::string> encode(const RsvpMessage& m) {
    DIVISI_TRY(check_own(m));
    const unsigned present = kinds_of(m);
    std::string objects;
    std::size_t count = m.passed_on.size();
    for (const Known& known : known_objects) {
        if ((present & known.kind) == 0) continue;
        put_object(objects, known.class_num, known.c_type, content_of(known.kind, m));
        ++count;
    }
    for (const RawObject& raw : m.passed_on) put_object(objects, raw.class_num, raw.c_type, raw.content);
    if (count > max_rsvp_objects) return invalid("more than 32 objects");
    if (objects.size() > max_rsvp_bytes - header_bytes) return invalid("a message above 2 KiB");

    std::string out;
    put(out, static_cast<std::uint8_t>(version << 4));
    put(out, static_cast<std::uint8_t>(m.type));
    put(out, std::uint16_t{0});
    put(out, m.send_ttl);
    put(out, std::uint8_t{0});
    put(out, static_cast<std::uint16_t>(header_bytes + objects.size()));
    out += objects;
    const std::uint16_t sum = internet_checksum(std::as_bytes(std::span(out)));
    // A checksum of zero would mean that none was sent. All ones is equivalent to zero in the ones' complement sum.
    std::string checksum;
    put(checksum, sum == 0 ? std::uint16_t{0xffff} : sum);
    out.replace(checksum_at, checksum.size(), checksum);
    return out;
}

Result<RsvpMessage> decode(std::span<const std::byte> bytes) {
    DIVISI_ASSIGN(RsvpMessage m, read_header(bytes));
    unsigned present = 0;
    std::size_t count = 0;
    for (std::size_t at = header_bytes; at < bytes.size();) {
        if (++count > max_rsvp_objects) return corrupt("more than 32 objects", at);
        DIVISI_ASSIGN(const Object object, object_at(bytes, at));
        DIVISI_TRY(read_object(object, m, present));
        at += object_header_bytes + object.content.size();
    }
    if (std::string wrong = objection(*find_rule(m.type), present); !wrong.empty())
        return corrupt(std::move(wrong), bytes.size());
    return m;
}

}  // namespace divisi::mesh::inline signaling
