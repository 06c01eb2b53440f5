// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "backend/frame/frame.h"
#include "backend/mesh/base/device.h"

namespace divisi::mesh::inline forwarding {

// Activation of draft-li (step 2). The programmable network element next to the sender, here the sender's gateway,
// writes the receiver's lease into the first data that a task sends there. The receiver removes and checks the lease,
// and reports it to the management node. It travels as the TLV `activation` of the segment-routing header.

/// The lease that an instance works under, and its configuration.
struct Activation {
    std::uint64_t lease = 0;
    std::uint32_t share = 0;
    std::uint32_t threads = 0;
    std::string device;  ///< for example cpu, cuda:1
    RoutingId by;        ///< the gateway that wrote it

    /// Returns whether both describe the same lease, regardless of the gateway that wrote it.
    bool agrees_with(const Activation& granted) const {
        return lease == granted.lease && share == granted.share && threads == granted.threads &&
               device == granted.device;
    }
};
/// Limit on the length of a device's name; no device has a longer name.
inline constexpr std::size_t longest_device_name = 64;

/// Returns whether the header has the TLV, well formed or not.
bool has_activation(const frame::FrameHeader& header);
/// Returns the activation; nothing if it is missing or not well formed.
std::optional<Activation> activation_of(const frame::FrameHeader& header);
void set_activation(frame::FrameHeader& header, const Activation& activation);
void drop_activation(frame::FrameHeader& header);

/// The gateway's part, without I/O. Marks every chunk of the first tensor of every flow of its MIC's instances,
/// including chunks that are sent again. A receiver with a new lease counts as a new receiver.
class Activator {
public:
    /// Sets the leases of all instances that hold one, by flow_id of the SID.
    void set_leases(std::map<std::uint64_t, Activation> leases);
    /// Marks a frame from an instance, if it belongs to the first tensor of its flow. Removes a TLV written by the
    /// instance.
    void mark(frame::FrameHeader& header);
    std::uint64_t marked() const { return marked_; }  ///< counts flows

private:
    struct Flow {
        std::uint64_t source = 0, destination = 0, task = 0;
        auto operator<=>(const Flow&) const = default;
    };
    std::map<std::uint64_t, Activation> leases_;
    std::map<Flow, frame::TensorKey> first_;
    std::uint64_t marked_ = 0;
};

/// The receiver's part: holds the granted lease, and whether an activation has been reported.
class ActivationCheck {
public:
    void expect(Activation granted) { granted_ = std::move(granted); }
    /// Checks the activation in arrived data. Fails with `denied` if the data name another lease than the held one;
    /// that lease is over, or was never granted here. Fails with `corrupt` if the TLV is malformed. Returns the
    /// activation the first time only.
    Result<std::optional<Activation>> take(const frame::FrameHeader& header);

private:
    std::optional<Activation> granted_;
    bool told_ = false;
};

}  // namespace divisi::mesh::inline forwarding
