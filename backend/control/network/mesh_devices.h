// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "backend/control/core/orchestrator_context.h"
#include "backend/control/network/access_rules.h"
#include "backend/control/network/device_book.h"
#include "backend/control/network/request_book.h"
#include "backend/control/network/route_adverts.h"
#include "backend/control/protocol/policy_messages.h"
#include "backend/control/protocol/signal_book.h"
#include "backend/control/types/note_limiter.h"
#include "backend/mesh/base/topology.h"

namespace divisi::control::inline network {

/// The gateways and routers of the mesh: the registered devices, their routing identifiers, and the route table of all
/// devices (signaling type 2). Nothing here is part of the durable state: after a restart the devices register again.
class MeshDevices {
public:
    explicit MeshDevices(OrchestratorContext& context) : context_(context) {}

    void handle(const Received& received, const RegisterDevice& message);
    void handle(const Received& received, const DeviceReport& message);
    void handle(const Received& received, const QueryMesh& message);
    void handle(const Received& received, const QuerySignals& message);
    void handle(const Received& received, const QueryRequests& message);
    // Faults injected on purpose (mesh_faults.cpp).
    void handle(const Received& received, const FaultLink& message);
    void handle(const Received& received, const KillRouter& message);
    void handle(const Received& received, const HealFaults& message);
    /// Allows fault injection, which is refused otherwise. Call before the first message.
    void allow_faults() { faults_allowed_ = true; }
    /// Handles a lost connection. `left`: whether the device said goodbye or its key was revoked, so that no more
    /// traffic goes through it.
    void device_gone(PeerId peer, const std::string& why, bool left);
    std::optional<TimePoint> next_deadline() const;
    /// Notes events that change the route table: instances that join, leave or change their health. The renewal of a
    /// lease is not an event.
    void follow(const Event& event);
    /// Sends all devices the changes of the route table, or the whole table if it is due; see route_adverts.h. Returns
    /// whether devices were added or removed since the last call. If so, instances may reach each other by another
    /// route; see entry().
    bool advertise();

    /// The gateway to which an instance of one node sends data for an instance of another node. Without an entry, the
    /// data goes directly to the instance: both are in one MIC, or no gateways and routers connect their MICs.
    struct Entry {
        std::string endpoint, key;
        bool operator==(const Entry&) const = default;
    };
    std::optional<Entry> entry(const NodeId& from, const NodeId& to) const;
    /// Sets the ends of the current blob transfers. Each end is registered under its SID, and the two ends may send to
    /// each other.
    void set_blob_ends(std::vector<BlobEnd> ends);
    /// Sets the keys that the cluster file allows. If the log allows the same key, the log's name and role apply. Call
    /// before the first message.
    void allow_always(const std::vector<KeyChanged>& keys) { access_.allow_always(keys); }
    /// Returns whether any allowed key matches the sender of a PolicyKey::send entry.
    bool knows_key_of(const PolicyEntry& entry) const { return access_.knows_key_of(entry); }
    /// Returns whether all changes were sent to the devices.
    bool all_told() const { return !changed_; }
    /// Returns the gateway of the node's MIC, if there is one.
    std::optional<Entry> gateway(const NodeId& node) const;
    void each(const std::function<void(const DeviceView&)>& visit) const {
        for (const auto& [name, device] : devices_.all()) visit(device.view);
    }

    /// One direction of a working link between two connected devices (mesh_links.cpp).
    struct Way {
        std::string from, to;
        PeerId peer = {};         ///< connection of `from`
        std::uint32_t to_id = 0;  ///< routing identifier of `to`
        LinkFault fault;          ///< injected fault, if any; otherwise `a` and `b` are empty
    };
    std::vector<Way> ways() const;
    /// Returns a number that changes whenever a fault is injected or healed.
    std::uint64_t fault_changes() const { return fault_changes_; }

    // Interface for the leases of devices (mesh_leases.cpp).
    struct Heard {
        std::set<std::string> registered, reported, left;
    };
    /// Returns the devices that have registered, reported or left permanently since the last call.
    Heard take_heard() { return std::exchange(heard_, {}); }
    std::vector<std::string> names() const;
    /// Returns whether a device with this routing identifier is known but not connected.
    bool is_away(std::uint32_t id) const;
    void set_renewed(const std::string& name);
    /// Sets the state of a device's lease. No path uses a router whose lease has lapsed. A gateway stays in use, since
    /// the instances of its MIC have no other gateway.
    void set_lease(const std::string& name, mesh::LeaseStanding standing);

    // Interface for the policies (mesh_view.cpp).
    /// Returns the devices that have registered, or reported, since the last call.
    std::set<std::string> take_registered() { return std::exchange(registered_, {}); }
    std::set<std::string> take_registered_gateways() { return std::exchange(registered_gateways_, {}); }
    std::set<std::string> take_reported() { return std::exchange(reported_, {}); }
    /// Returns the devices that have left permanently since the last call. Another device may use the name by now.
    std::set<std::string> take_left() { return std::exchange(left_, {}); }
    const DeviceView* view(const std::string& name) const;
    const SignalBook& signals() const { return signals_; }
    std::optional<std::string> name_of(PeerId peer) const;
    /// Returns the device's component name in the log, for example "router sr-1". The device must be known.
    std::string component_of(const std::string& name) const;
    /// Returns the device's name, or for example "device 7" if it is unknown.
    std::string name_of(std::uint32_t id) const;
    bool is_gateway(const std::string& name) const;
    bool is_gateway(std::uint32_t id) const;
    /// Returns whether an instance of a running task serves the SID.
    bool plays(const Sid& sid) const;
    void tell(const std::string& name, Message message);
    /// The two paths between two gateways according to the route table, which devices use as long as nothing fails.
    /// ways() returns null if either end is not a known gateway.
    struct Ways {
        /// devices of the two paths; `second` is empty if there is no second path
        std::vector<std::uint32_t> first, second;
        std::string first_names, second_names;  ///< names of the two paths; see names_between()
    };
    const Ways* ways(std::uint32_t from, std::uint32_t to) const;
    /// Returns the devices between the ends of a path, for example "sr-2, sr-3".
    std::string names_between(const std::vector<std::uint32_t>& path) const;

private:
    using Known = DeviceBook::Known;
    Result<void> may_register(PeerId peer, const DeviceInfo& info) const;
    std::optional<Error> make_room(const DeviceInfo& info);
    const Known* gateway_of(const NodeId& node) const;
    double flops_of(const NodeId& node, const std::string& name) const;
    void forget(const std::string& name);
    void note_coming(const DeviceInfo& device, Severity severity, const std::string& text);
    void notes_due();
    const std::set<std::string>& reached_from(const std::string& gateway) const;
    void devices_changed();
    void remember(const std::string& name);
    // Admission policies and reported requests (mesh_admission.cpp).
    void send_policy(const Known& device);
    void send_policies();
    MeshTable table() const;
    void lay_out(MeshTable& table) const;
    DeviceView shown(const Known& device) const;
    bool leads_nowhere(const Known& device) const;
    const mesh::Topology& topology() const;
    mesh::Health health_of(const InstanceView& instance) const;
    bool stands_in_table(const InstanceId& instance) const;
    std::optional<TimePoint> change_due() const;
    void record_adverts();
    void place_blob_ends(MeshTable& table) const;
    /// Returns why no fault can be injected at this device now; none if it can.
    std::optional<Error> cannot_fault(const std::string& name) const;
    Result<void> check_fault(const LinkFault& fault) const;
    void heal_if(const std::function<bool(const LinkFault&)>& healed, const std::string& why);
    /// Heals all faults of a device's links.
    void heal_device(const std::string& name, const std::string& why);
    void tell_faults(const std::string& name);
    void say_fault(const std::string& what, Severity severity = Severity::warning);

    OrchestratorContext& context_;
    AccessRules access_{context_};
    RequestBook requests_{context_};
    std::map<std::string, AdmissionPolicy> admitted_;  ///< policies last sent, by gateway
    DeviceBook devices_;
    SignalBook signals_;
    RouteAdverts adverts_;
    using InstanceHealth = std::pair<InstanceId, mesh::Health>;
    std::map<Sid, InstanceHealth> healths_;  ///< health of all registered SIDs
    std::vector<BlobEnd> blob_ends_;
    std::uint64_t revision_ = 0;
    bool changed_ = false;
    bool ways_changed_ = false;
    std::optional<TimePoint> settled_;  ///< time before which no table is sent, in lived time
    bool faults_allowed_ = false;
    std::uint64_t fault_changes_ = 0;
    std::vector<LinkFault> faults_;  ///< faults of links: at most one per link, with `a` before `b`
    /// The gateways that each gateway reaches through routers. Computed on demand; cleared when devices change.
    mutable std::map<std::string, std::set<std::string>> reached_;
    /// paths between two gateways, by their identifiers; computed on demand and cleared when devices change
    mutable std::map<std::pair<std::uint32_t, std::uint32_t>, std::optional<Ways>> ways_;
    mutable std::optional<mesh::Topology> topology_;  ///< topology computed on demand; cleared when devices change
    std::set<std::string> registered_, registered_gateways_, reported_, left_;
    Heard heard_;
    struct LeaseMark {
        mesh::LeaseStanding standing = mesh::LeaseStanding::held;
        TimePoint renewed{};  ///< time of the renewal, in lived time
    };
    std::map<std::string, LeaseMark> leases_;  ///< lease of each device
    TimePoint notes_at_{};                     ///< time of the next call of notes_due()
    /// limits log lines about devices that connect or leave, by role and name, such as "gateway mg-1"
    std::map<std::string, NoteLimiter> comings_;
};

/// Maximum number of gateways and routers of one cluster; their identifiers have 16 bits.
inline constexpr std::size_t most_mesh_devices = 4096;

}  // namespace divisi::control::inline network
