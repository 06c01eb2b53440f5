// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "backend/control/core/orchestrator_context.h"

namespace divisi::control::inline queue {

/// Manages nodes that operators reserve for a submitter or task for a time. Placement assigns no other tasks to
/// reserved nodes (PlacementRequest). Tasks that already run on a node when its reservation begins continue.
class Reservations {
public:
    /// Calls `begun` when a reservation begins, so that tasks may start.
    Reservations(OrchestratorContext& context, std::function<void()> begun)
        : context_(context), begun_(std::move(begun)) {}

    void handle(const Received& received, const Reserve& message);
    void handle(const Received& received, const CancelReservation& message);

    /// Ends reservations whose time is over. Calls `begun` if reservations began since the last call.
    void check_deadlines();
    std::optional<TimePoint> next_deadline() const;  ///< earliest deadline, in lived time

private:
    Result<Reservation> checked(const Reserve& message, const std::string& by) const;

    OrchestratorContext& context_;
    std::function<void()> begun_;
    TimePoint looked_{};
};

}  // namespace divisi::control::inline queue
