// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/activation.h"

#include <algorithm>

#include "backend/frame/bytes.h"
#include "backend/mesh/forwarding/usage_limits.h"

namespace divisi::mesh::inline forwarding {
namespace {

constexpr auto activation_type = static_cast<std::uint16_t>(frame::TlvType::activation);
/// Layout of the TLV, little-endian: lease, share, threads, gateway, length of the device's name; then the name, padded
/// to 32 bits.
constexpr std::size_t share_at = 8, threads_at = 12, by_at = 16, length_at = 18, name_at = 20;

const frame::Tlv* find(const frame::FrameHeader& header) {
    const auto tlv = std::ranges::find(header.routing, activation_type, &frame::Tlv::type);
    return tlv == header.routing.end() ? nullptr : &*tlv;
}

std::string text_of(const Activation& activation) {
    return "lease " + std::to_string(activation.lease) + ", share " + std::to_string(activation.share) + ", " +
           activation.device + " with " + std::to_string(activation.threads) + " threads";
}

}  // namespace

bool has_activation(const frame::FrameHeader& header) { return find(header) != nullptr; }

std::optional<Activation> activation_of(const frame::FrameHeader& header) {
    const frame::Tlv* tlv = find(header);
    if (!tlv || tlv->value.size() < name_at) return std::nullopt;
    const auto bytes = std::as_bytes(std::span(tlv->value));
    const std::size_t length = frame::load_le<std::uint16_t>(bytes, length_at);
    if (length > longest_device_name || tlv->value.size() != (name_at + length + 3) / 4 * 4) return std::nullopt;
    return Activation{frame::load_le<std::uint64_t>(bytes, 0), frame::load_le<std::uint32_t>(bytes, share_at),
                      frame::load_le<std::uint32_t>(bytes, threads_at), tlv->value.substr(name_at, length),
                      RoutingId(frame::load_le<std::uint16_t>(bytes, by_at))};
}

void set_activation(frame::FrameHeader& header, const Activation& activation) {
    const std::string name = activation.device.substr(0, longest_device_name);
    std::string text((name_at + name.size() + 3) / 4 * 4, '\0');
    const auto bytes = std::as_writable_bytes(std::span(text));
    frame::store_le(bytes, 0, activation.lease);
    frame::store_le(bytes, share_at, activation.share);
    frame::store_le(bytes, threads_at, activation.threads);
    frame::store_le(bytes, by_at, activation.by.value());
    frame::store_le(bytes, length_at, static_cast<std::uint16_t>(name.size()));
    std::ranges::copy(name, text.begin() + name_at);
    drop_activation(header);
    header.routing.push_back({activation_type, std::move(text)});
}

void drop_activation(frame::FrameHeader& header) {
    std::erase_if(header.routing, [](const frame::Tlv& tlv) { return tlv.type == activation_type; });
}

void Activator::set_leases(std::map<std::uint64_t, Activation> leases) {
    const auto before = std::exchange(leases_, std::move(leases));
    std::erase_if(first_, [&](const auto& entry) {
        const auto now = leases_.find(entry.first.destination);
        const auto then = before.find(entry.first.destination);
        return now == leases_.end() || then == before.end() || !now->second.agrees_with(then->second);
    });
}

void Activator::mark(frame::FrameHeader& header) {
    drop_activation(header);
    if (!frame::carries_tensor(header.key.kind)) return;
    const auto lease = leases_.find(header.destination.sid);
    if (lease == leases_.end()) return;
    const Flow flow{header.source.sid, header.destination.sid, header.key.task};
    auto known = first_.find(flow);
    if (known == first_.end()) {
        if (first_.size() >= most_flows) return;
        known = first_.emplace(flow, header.key).first;
        ++marked_;
    }
    if (known->second == header.key) set_activation(header, lease->second);
}

Result<std::optional<Activation>> ActivationCheck::take(const frame::FrameHeader& header) {
    if (!has_activation(header)) return std::optional<Activation>();
    auto said = activation_of(header);
    if (!said)
        return Error{ErrorCode::corrupt, "the activation in a frame is malformed", "data frame",
                     "run the same Divisi version on all machines"};
    if (!granted_ || !said->agrees_with(*granted_))
        return Error{ErrorCode::denied,
                     "a frame names " + text_of(*said) + ", but this instance has " +
                         (granted_ ? text_of(*granted_) : std::string("no lease")),
                     "data frame",
                     "compare 'divisictl leases'; the gateway learns of the current lease with the next "
                     "route table"};
    if (std::exchange(told_, true)) return std::optional<Activation>();
    return said;
}

}  // namespace divisi::mesh::inline forwarding
