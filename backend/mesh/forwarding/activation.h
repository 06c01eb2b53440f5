// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "backend/frame/frame.h"
#include "backend/mesh/base/device.h"

namespace divisi::mesh::inline forwarding {

// Activation of draft-li (step 2). The programmable network element next to the sender, here the sender's gateway,
// writes the receiver's lease into the first data that a task sends to the receiver. The receiver removes and checks
// the lease, and reports it to the management node. The lease is sent as the TLV `activation` of the segment-routing
// header.

/// The lease under which an instance works, and the lease's configuration.
struct Activation {
    std::uint64_t lease = 0;
    std::uint32_t share = 0;
    std::uint32_t threads = 0;
    std::string device;  ///< device of the instance, for example cpu, cuda:1
    RoutingId by;        ///< the gateway that wrote the activation

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
/// Returns the activation; nothing if it is missing or malformed.
std::optional<Activation> activation_of(const frame::FrameHeader& header);
void set_activation(frame::FrameHeader& header, const Activation& activation);
void drop_activation(frame::FrameHeader& header);

/// The gateway's part of the activation, without I/O. Marks every chunk of the first tensor of each flow from its MIC's
/// instances, including chunks that are sent again. After the receiver's lease has changed, the next tensor of the flow
/// is marked.
class Activator {
public:
    /// Sets the leases of all instances that hold one, by flow_id of the SID.
    void set_leases(std::map<std::uint64_t, Activation> leases);
    /// Writes the receiver's lease into a frame from an instance, if the frame belongs to the first tensor of its flow.
    /// Removes a TLV written by the instance.
    void mark(frame::FrameHeader& header);
    std::uint64_t marked() const { return marked_; }  ///< number of flows marked so far

private:
    struct Flow {
        std::uint64_t source = 0, destination = 0, task = 0;
        auto operator<=>(const Flow&) const = default;
    };
    std::map<std::uint64_t, Activation> leases_;
    std::map<Flow, frame::TensorKey> first_;
    std::uint64_t marked_ = 0;
};

/// The receiver's part of the activation: stores the granted lease, and whether an activation was reported already.
class ActivationCheck {
public:
    void expect(Activation granted) { granted_ = std::move(granted); }
    /// Checks the activation in arrived data. Fails with `denied` if the data name a lease that this instance does not
    /// hold, because the lease has ended or was never granted to this instance. Fails with `corrupt` if the TLV is
    /// malformed. Returns the activation the first time only.
    Result<std::optional<Activation>> take(const frame::FrameHeader& header);

private:
    std::optional<Activation> granted_;
    bool told_ = false;
};

}  // namespace divisi::mesh::inline forwarding
