// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "backend/control/core/orchestrator_context.h"

namespace divisi::control::inline queue {

/// Manages nodes that operators reserve for a submitter or task for a time. Placement keeps other tasks off them
/// (PlacementRequest). Tasks that already run on them when a reservation begins continue.
class Reservations {
public:
    explicit Reservations(OrchestratorContext& context) : context_(context) {}

    void handle(const Received& received, const Reserve& message);
    void handle(const Received& received, const CancelReservation& message);

    /// Ends reservations whose time is over. Returns whether one began since the last call, so that tasks may start.
    bool check_deadlines();
    std::optional<TimePoint> next_deadline() const;  ///< in lived time

private:
    Result<Reservation> checked(const Reserve& message, const std::string& by) const;

    OrchestratorContext& context_;
    TimePoint looked_{};
};

}  // namespace divisi::control::inline queue
