// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "backend/control/core/desk.h"
#include "backend/control/network/access_rules.h"
#include "backend/control/network/device_book.h"
#include "backend/control/network/request_book.h"
#include "backend/control/network/route_adverts.h"
#include "backend/control/protocol/signal_book.h"
#include "backend/control/types/note_limiter.h"
#include "backend/mesh/base/topology.h"

namespace divisi::control::inline network {

/// The gateways and routers of the mesh: who is there, under which routing identifier, and the table by which all of
/// them forward (signaling type 2). It is not part of the durable state: after a restart they say again who they are.
class MeshDevices {
public:
    explicit MeshDevices(Desk& desk) : desk_(desk) {}

    void handle(const Received& received, const RegisterDevice& message);
    void handle(const Received& received, const DeviceReport& message);
    void handle(const Received& received, const QueryMesh& message);
    void handle(const Received& received, const QuerySignals& message);
    void handle(const Received& received, const QueryRequests& message);
    // Faults that are made on purpose (mesh_faults.cpp).
    void handle(const Received& received, const FaultLink& message);
    void handle(const Received& received, const KillRouter& message);
    void handle(const Received& received, const HealFaults& message);
    /// Before the first message; else they are refused.
    void allow_faults() { faults_allowed_ = true; }
    /// `left`: it said goodbye, or its key was revoked, and nothing goes by it any more.
    void device_gone(PeerId peer, const std::string& why, bool left);
    std::optional<TimePoint> next_deadline() const;
    /// Instances that join and leave change the table, and those whose health becomes another. That a lease is renewed
    /// is no event.
    void follow(const Event& event);
    /// Tells all devices what has changed in the table, or the whole of it where that is due, see route_adverts.h.
    /// Whether devices have come or gone, since the last time: instances may then reach each other another way, see
    /// entry().
    bool advertise();

    /// Where an instance of one node sends what is for one of another; none: straight to it, since both are in one MIC,
    /// or because no gateways and routers lie between their MICs.
    struct Entry {
        std::string endpoint, key;
        bool operator==(const Entry&) const = default;
    };
    std::optional<Entry> entry(const NodeId& from, const NodeId& to) const;
    /// The ends of the blobs that are brought now: they play their SIDs, and may send to each other.
    void set_blob_ends(std::vector<BlobEnd> ends);
    /// Keys that are allowed whatever the log says. Before the first message.
    void allow_always(const std::vector<KeyChanged>& keys) { access_.allow_always(keys); }
    /// Whether a key is allowed that an entry of PolicyKey::send is about.
    bool knows_key_of(const PolicyEntry& entry) const { return access_.knows_key_of(entry); }
    /// Whether all that has changed was told to the devices.
    bool all_told() const { return !changed_; }
    /// The gateway of the node's MIC, where there is one.
    std::optional<Entry> gateway(const NodeId& node) const;
    void each(const std::function<void(const DeviceView&)>& visit) const {
        for (const auto& [name, device] : devices_.all()) visit(device.view);
    }

    /// One way of a link between two devices that are there and say that it works (mesh_links.cpp).
    struct Way {
        std::string from, to;
        PeerId peer = {};         ///< of `from`
        std::uint32_t to_id = 0;  ///< routing identifier
        LinkFault fault;          ///< that was made of it, if any; `a` and `b` are empty elsewhere
    };
    std::vector<Way> ways() const;
    /// Changes with every fault that is made or healed.
    std::uint64_t fault_changes() const { return fault_changes_; }

    // For leases of registrations (mesh_leases.cpp).
    struct Heard {
        std::set<std::string> registered, reported, left;
    };
    /// Who has registered, reported, or gone for good since the last call.
    Heard take_heard() { return std::exchange(heard_, {}); }
    std::vector<std::string> names() const;
    /// Whether a device with this number is there, and has no connection here.
    bool is_away(std::uint32_t id) const;
    void set_renewed(const std::string& name);
    /// No way goes by a router whose lease has lapsed. A gateway stays, since instances of its MIC have no other.
    void set_lease(const std::string& name, mesh::LeaseStanding standing);

    // For the policies (mesh_view.cpp).
    /// Those that have registered, or reported, since the last call.
    std::set<std::string> take_registered() { return std::exchange(registered_, {}); }
    std::set<std::string> take_registered_gateways() { return std::exchange(registered_gateways_, {}); }
    std::set<std::string> take_reported() { return std::exchange(reported_, {}); }
    /// Those that are gone for good, by now; one of the same name may have come since.
    std::set<std::string> take_left() { return std::exchange(left_, {}); }
    const DeviceView* view(const std::string& name) const;
    const SignalBook& signals() const { return signals_; }
    std::optional<std::string> name_of(PeerId peer) const;
    /// In the log: "router sr-1". The device is there.
    std::string component_of(const std::string& name) const;
    /// "device 7" for one that is not there.
    std::string name_of(std::uint32_t id) const;
    bool is_gateway(const std::string& name) const;
    bool is_gateway(std::uint32_t id) const;
    /// Whether a SID of a task that runs.
    bool plays(const Sid& sid) const;
    void tell(const std::string& name, Message message);
    /// The two paths from one gateway to another by the route table, as their devices have them while nothing fails.
    /// Null where one of them is no gateway that is known.
    struct Ways {
        std::vector<std::uint32_t> first, second;  ///< without a second it is empty
        std::string first_names, second_names;     ///< see names_between()
    };
    const Ways* ways(std::uint32_t from, std::uint32_t to) const;
    /// "sr-2, sr-3": what lies between the ends of a path.
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
    // Who may send, and who asked to (mesh_admission.cpp).
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
    /// Why no fault can be made of this device now, if so.
    std::optional<Error> cannot_fault(const std::string& name) const;
    Result<void> check_fault(const LinkFault& fault) const;
    void heal_if(const std::function<bool(const LinkFault&)>& healed, const std::string& why);
    /// All faults of its links.
    void heal_device(const std::string& name, const std::string& why);
    void tell_faults(const std::string& name);
    void say_fault(const std::string& what, Severity severity = Severity::warning);

    Desk& desk_;
    AccessRules access_{desk_};
    RequestBook requests_{desk_};
    std::map<std::string, AdmissionPolicy> admitted_;  ///< that gateways were sent last
    DeviceBook devices_;
    SignalBook signals_;
    RouteAdverts adverts_;
    using InstanceHealth = std::pair<InstanceId, mesh::Health>;
    std::map<Sid, InstanceHealth> healths_;  ///< of all that are registered
    std::vector<BlobEnd> blob_ends_;
    std::uint64_t revision_ = 0;
    bool changed_ = false;
    bool ways_changed_ = false;
    std::optional<TimePoint> settled_;  ///< no table before, in lived time
    bool faults_allowed_ = false;
    std::uint64_t fault_changes_ = 0;
    std::vector<LinkFault> faults_;  ///< one a link at most, `a` before `b`
    /// By gateway: the gateways to which routers lead from it. As they were asked for since devices last changed.
    mutable std::map<std::string, std::set<std::string>> reached_;
    mutable std::map<std::pair<std::uint32_t, std::uint32_t>, std::optional<Ways>> ways_;  ///< likewise
    mutable std::optional<mesh::Topology> topology_;                                       ///< likewise
    std::set<std::string> registered_, registered_gateways_, reported_, left_;
    Heard heard_;
    struct LeaseMark {
        mesh::LeaseStanding standing = mesh::LeaseStanding::held;
        TimePoint renewed{};  ///< in lived time
    };
    std::map<std::string, LeaseMark> leases_;     ///< by device
    TimePoint notes_at_{};                        ///< when notes_due() looks again
    std::map<std::string, NoteLimiter> comings_;  ///< and goings, by "gateway mg-1"; those of a while ago are forgotten
};

/// Gateways and routers of one cluster; their identifiers have 16 bits.
inline constexpr std::size_t most_mesh_devices = 4096;

}  // namespace divisi::control::inline network
