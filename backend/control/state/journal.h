// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/base/result.h"
#include "backend/control/state/state.h"

namespace divisi::control::inline state {

/// The content of a journal when it was opened.
struct Restored {
    ClusterState state;
    std::vector<Finding> findings;  ///< unreadable parts, which were left out
    std::uint64_t folded = 0;       ///< number of events after the saved state
};

/// The number of events between two saved states. A restart applies at most about this many events, which takes about
/// ten milliseconds.
inline constexpr std::uint64_t save_interval = 5000;

/// Interface that makes the orchestrator's events durable: with SQLite in divisid (backend/store), with a failing disk
/// in simulation.
class Journal {
public:
    virtual ~Journal() = default;
    /// Appends all events or none. The events are durable when the call returns. Fails immediately with `conflict`
    /// while another process holds the journal; the caller may try again. After any other error it is unknown whether
    /// the events are durable.
    virtual Result<void> append(std::span<const Event> events) = 0;
    /// Returns the newest readable saved state with all later events applied. Unreadable parts stay in the journal.
    virtual Result<Restored> restore() = 0;
    /// Begins to save the state with all events so far, so that a restart applies fewer events. Also removes events
    /// that are no longer kept. Events may be appended during the save. Does not begin a save while another save is
    /// running. If the previous save failed, begins this one and fails with the error of the previous one.
    virtual Result<void> save() = 0;
    /// Waits for the end of a running save, and fails with the save's error.
    virtual Result<void> finish_saving() = 0;
    /// Returns the number of events since the last save began.
    virtual std::uint64_t unsaved() const = 0;
    /// Returns the number of events after which to save the state again.
    virtual std::uint64_t interval() const { return save_interval; }
};

}  // namespace divisi::control::inline state
