// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>

#include "backend/control/core/orchestrator_context.h"
#include "backend/control/types/service_types.h"

namespace divisi::control::inline network {

/// Runs the service registry and discovery (SRD) inside the orchestrator. Accepts registrations of instances (signaling
/// type 1), lets their leases expire, and answers which instance serves which SID.
///
/// Every change is an event, so that an answered registration is durable. After a restart the registry continues in the
/// same epoch. If its log is lost, the epoch changes, and instances notice that they must register again.
class Services {
public:
    explicit Services(OrchestratorContext& context) : context_(context) {}

    /// Restores the registry from the log. Call before the first message.
    void adopt();
    void handle(const Received& received, const RegisterService& message);
    void handle(const Received& received, const RenewService& message);
    void handle(const Received& received, const WatchServices& message);
    void peer_gone(PeerId peer) { watches_.erase(peer); }
    /// Gives a gateway or router a lease; see mesh::Registry::add.
    Result<void> hold(mesh::DeviceRegistration said, mesh::RoutingId id);
    /// Renews the lease of a gateway or router. Returns false if this incarnation has no lease.
    bool renew(const std::string& device, Incarnation incarnation);
    void withdraw(const std::string& device);
    /// Withdraws the registrations of instances that end, and of all instances of tasks that end.
    void follow(const Event& event);
    /// Logs the registry's changes; if there are any, answers all watches. Call after each input.
    void tell();
    void check_deadlines();
    std::optional<TimePoint> next_deadline() const;

    const mesh::Registry& registry() { return open(); }
    /// Returns the registry; null before the first registration.
    const mesh::Registry* begun() const { return registry_ ? &*registry_ : nullptr; }

private:
    /// A client that waits for changes; each connection has at most one watch.
    struct Watch {
        Received received;
        WatchServices message;
        TimePoint until{};  ///< end of the wait, in lived time
    };
    mesh::Registry& open();
    void registered(const Received& received);
    void keep_advancing();
    void record(mesh::Revision since);
    void record(const mesh::DeviceRow& row, bool removed, mesh::Revision revision);
    void answer(const Watch& watch);
    ServiceRow row_of(const mesh::Service& service, mesh::Revision revision, bool removed);
    ServiceChanges changes(const WatchServices& message);
    ServiceDevice row_of(const mesh::DeviceRow& device, mesh::Revision revision, bool removed);
    ServiceChanges page_of_snapshot(const Sid& after);
    /// Returns the ages of leases of services and devices, sorted by name.
    std::vector<LeaseAge> lease_ages(const Sid& after);
    std::int64_t renewed_ms(const Sid& sid);
    std::int64_t age_ms(std::optional<TimePoint> renewed) const;

    OrchestratorContext& context_;
    std::optional<mesh::Registry> registry_;
    std::optional<TimePoint> advance_at_;  ///< time of the next advance, in lived time
    std::map<PeerId, Watch> watches_;
    mesh::Revision told_ = 0;  ///< last revision sent to the log and to watchers
};

}  // namespace divisi::control::inline network
