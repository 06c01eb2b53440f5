// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/base/result.h"
#include "backend/control/state/state.h"

namespace divisi::control::inline state {

/// What a journal held when it was opened.
struct Restored {
    ClusterState state;
    std::vector<Finding> findings;  ///< what could not be read, and was left out
    std::uint64_t folded = 0;       ///< events that came after the saved state
};

/// As many are folded at a start, in some ten milliseconds.
inline constexpr std::uint64_t save_interval = 5000;

/// Where the orchestrator's events become durable: SQLite in divisid (backend/store), a disk that fails in simulation.
class Journal {
public:
    virtual ~Journal() = default;
    /// All of them or none; they are durable when it returns. Fails at once (conflict) while somebody else holds the
    /// journal: try again. After any other error nobody knows whether they are durable.
    virtual Result<void> append(std::span<const Event> events) = 0;
    /// The newest saved state that can be read, and the events after it folded in. What cannot be read stays there.
    virtual Result<Restored> restore() = 0;
    /// Begins to save the state that the events so far make, so that a restart folds fewer, and to remove events that
    /// are kept no longer. Events are appended meanwhile; while one state is being saved no other is begun. Fails with
    /// what ended the one before.
    virtual Result<void> save() = 0;
    /// Waits for the end of what was begun, and fails with what ended it.
    virtual Result<void> finish_saving() = 0;
    /// Events since a state was begun to be saved.
    virtual std::uint64_t unsaved() const = 0;
    /// Events after which the state is to be saved anew.
    virtual std::uint64_t interval() const { return save_interval; }
};

}  // namespace divisi::control::inline state
