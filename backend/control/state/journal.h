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
    std::uint64_t folded = 0;       ///< events after the saved state
};

/// The number of events between saved states. A start folds this many in about ten milliseconds.
inline constexpr std::uint64_t save_interval = 5000;

/// Makes the orchestrator's events durable: with SQLite in divisid (backend/store), with a failing disk in simulation.
class Journal {
public:
    virtual ~Journal() = default;
    /// Appends all events or none. They are durable when the call returns. Fails at once with `conflict` while another
    /// process holds the journal: try again. After any other error it is unknown whether the events are durable.
    virtual Result<void> append(std::span<const Event> events) = 0;
    /// Returns the newest readable saved state, with all later events folded in. Unreadable parts stay in the journal.
    virtual Result<Restored> restore() = 0;
    /// Begins to save the state after the events so far, so that a restart folds fewer events. Also removes events that
    /// are no longer kept. Events may be appended meanwhile. No other save begins while one is running. Fails with the
    /// error that ended the previous save.
    virtual Result<void> save() = 0;
    /// Waits for the end of a running save, and fails with the save's error.
    virtual Result<void> finish_saving() = 0;
    /// Returns the number of events since the last save began.
    virtual std::uint64_t unsaved() const = 0;
    /// Returns the number of events after which to save the state again.
    virtual std::uint64_t interval() const { return save_interval; }
};

}  // namespace divisi::control::inline state
