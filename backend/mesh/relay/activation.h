// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "backend/frame/frame.h"
#include "backend/mesh/base/device.h"

namespace divisi::mesh::inline relay {

// Activation of draft-li (step 2): the programmable network element next to the sender, here its gateway, writes the
// lease of the receiver into the first data that a task sends there; at the other end it is taken out, checked, and
// told to the management node. It travels as the TLV `activation` of the segment-routing header.

/// The lease that an instance works under, and its configuration.
struct Activation {
    std::uint64_t lease = 0;
    std::uint32_t share = 0;
    std::uint32_t threads = 0;
    std::string device;  ///< cpu, cuda:1
    RoutingId by;        ///< the gateway that wrote it

    /// Whether it speaks of the same lease, whoever wrote it.
    bool agrees_with(const Activation& granted) const {
        return lease == granted.lease && share == granted.share && threads == granted.threads &&
               device == granted.device;
    }
};
/// A longer device name is nobody's.
inline constexpr std::size_t longest_device_name = 64;

/// Whether the header has the TLV, well formed or not.
bool has_activation(const frame::FrameHeader& header);
/// None where it is not there, or not well formed.
std::optional<Activation> activation_of(const frame::FrameHeader& header);
void set_activation(frame::FrameHeader& header, const Activation& activation);
void drop_activation(frame::FrameHeader& header);

/// A gateway's part, without I/O: it marks the first tensor of every flow of its MIC's instances, each of its chunks
/// and however often they come. A receiver with another lease is another receiver.
class Activator {
public:
    /// Of all instances that hold a lease, by flow_id of the SID.
    void set_leases(std::map<std::uint64_t, Activation> leases);
    /// What an instance sends. What it has written there itself is taken out.
    void mark(frame::FrameHeader& header);
    std::uint64_t marked() const { return marked_; }  ///< flows

private:
    struct Flow {
        std::uint64_t source = 0, destination = 0, task = 0;
        auto operator<=>(const Flow&) const = default;
    };
    std::map<std::uint64_t, Activation> leases_;
    std::map<Flow, frame::TensorKey> first_;
    std::uint64_t marked_ = 0;
};

/// The receiver's part: what it was granted, and whether it was told so.
class ActivationCheck {
public:
    void expect(Activation granted) { granted_ = std::move(granted); }
    /// Of data that have arrived. Refused (`denied`) where they name another lease than the one that is held, which is
    /// over then or was never granted here; (`corrupt`) where the TLV is none. The gateway, the first time.
    Result<std::optional<Activation>> take(const frame::FrameHeader& header);

private:
    std::optional<Activation> granted_;
    bool told_ = false;
};

}  // namespace divisi::mesh::inline relay
