// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>

#include "backend/control/desk.h"

namespace divisi::control {

/// Service registry and discovery (SRD) beside the orchestrator: takes registrations of instances (signaling type 1),
/// lets their leases expire, and answers who serves what. It is not part of the durable state: after a restart its
/// epoch is another one, by which instances notice that they have to register again.
class Services {
public:
    explicit Services(Desk& desk) : desk_(desk) {}

    void handle(const Received& received, const RegisterService& message);
    void handle(const Received& received, const RenewService& message);
    void handle(const Received& received, const WatchServices& message);
    void peer_gone(PeerId peer) { watches_.erase(peer); }
    /// Instances that end and tasks that are over leave at once.
    void follow(const Event& event);
    /// Answers the watches that have something to hear.
    void tell_watchers();
    void check_deadlines();
    std::optional<TimePoint> next_deadline() const;

    const mesh::Registry& registry() { return open(); }

private:
    /// Clients that wait; a connection has one watch.
    struct Watch {
        Received received;
        WatchServices message;
        TimePoint until{};  ///< in lived time
    };
    mesh::Registry& open();
    void registered(const Received& received);
    void answer(const Watch& watch);
    ServiceChanges changes(const WatchServices& message);
    ServiceChanges page_of_snapshot(const Sid& after);

    Desk& desk_;
    std::optional<mesh::Registry> registry_;
    std::optional<TimePoint> advance_at_;  ///< in lived time
    std::map<PeerId, Watch> watches_;
    mesh::Revision told_ = 0;  ///< to those who watch
};

}  // namespace divisi::control
