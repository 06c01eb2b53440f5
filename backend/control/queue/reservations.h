// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "backend/control/core/desk.h"

namespace divisi::control::inline queue {

/// Nodes that operators keep for somebody for a time: what placement keeps others off (Seeker). Whatever runs there
/// when a reservation begins runs on.
class Reservations {
public:
    explicit Reservations(Desk& desk) : desk_(desk) {}

    void handle(const Received& received, const Reserve& message);
    void handle(const Received& received, const CancelReservation& message);

    /// Ends those whose time is over. Whether one has begun since the last call, so that tasks may start.
    bool check_deadlines();
    std::optional<TimePoint> next_deadline() const;  ///< in lived time

private:
    Result<Reservation> checked(const Reserve& message, const std::string& by) const;

    Desk& desk_;
    TimePoint looked_{};
};

}  // namespace divisi::control::inline queue
