// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>

#include "backend/control/core/desk.h"

namespace divisi::control::inline network {

/// Service registry and discovery (SRD) beside the orchestrator: takes registrations of instances (signaling type 1),
/// lets their leases expire, and answers who serves what. Every change is an event, so that a registration that was
/// answered is durable, and after a restart the registry goes on where it stood, in the same epoch. Where its log is
/// lost its epoch is another one, by which instances notice that they have to register again.
class Services {
public:
    explicit Services(Desk& desk) : desk_(desk) {}

    /// What the log has of it, before the first message.
    void adopt();
    void handle(const Received& received, const RegisterService& message);
    void handle(const Received& received, const RenewService& message);
    void handle(const Received& received, const WatchServices& message);
    void peer_gone(PeerId peer) { watches_.erase(peer); }
    /// Gives a gateway or router a lease; see mesh::Registry::add.
    Result<void> hold(mesh::DeviceRegistration said, mesh::RoutingId id);
    /// Renews it. False where this incarnation has none.
    bool renew(const std::string& device, Incarnation incarnation);
    void withdraw(const std::string& device);
    /// Instances that end and tasks that are over leave at once.
    void follow(const Event& event);
    /// After each input: enters what has changed into the log, and answers the watches that have something to hear.
    void tell();
    void check_deadlines();
    std::optional<TimePoint> next_deadline() const;

    const mesh::Registry& registry() { return open(); }
    /// Null before the first registration.
    const mesh::Registry* begun() const { return registry_ ? &*registry_ : nullptr; }

private:
    /// Clients that wait; a connection has one watch.
    struct Watch {
        Received received;
        WatchServices message;
        TimePoint until{};  ///< in lived time
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
    /// Of services and devices, in the order of their names.
    std::vector<LeaseAge> lease_ages(const Sid& after);
    std::int64_t renewed_ms(const Sid& sid);
    std::int64_t age_ms(std::optional<TimePoint> renewed) const;

    Desk& desk_;
    std::optional<mesh::Registry> registry_;
    std::optional<TimePoint> advance_at_;  ///< in lived time
    std::map<PeerId, Watch> watches_;
    mesh::Revision told_ = 0;  ///< to the log, and to those who watch
};

}  // namespace divisi::control::inline network
