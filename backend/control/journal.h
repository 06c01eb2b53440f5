// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/base/result.h"
#include "backend/control/state.h"

namespace divisi::control {

/// What a journal held when it was opened.
struct Restored {
    ClusterState state;
    std::vector<Finding> findings;  ///< what could not be read, and was left out
    std::uint64_t folded = 0;       ///< events that came after the saved state
};

/// Where the orchestrator's events become durable: SQLite in divisid (backend/store), a disk that fails in simulation.
class Journal {
public:
    virtual ~Journal() = default;
    /// All of them or none; they are durable when it returns. Fails at once (conflict) while somebody else holds the
    /// journal: try again. After any other error nobody knows whether they are durable.
    virtual Result<void> append(std::span<const Event> events) = 0;
    /// The newest saved state that can be read, and the events after it folded in. What cannot be read stays there.
    virtual Result<Restored> restore() = 0;
    /// Saves the state, so that a restart folds fewer events, and removes events that are kept no longer: all or
    /// nothing.
    virtual Result<void> save(const ClusterState& state) = 0;
    /// Events since the state was saved, or since saving it failed.
    virtual std::uint64_t unsaved() const = 0;
};

/// Events after which the state is saved anew: as many are folded at a start, in some ten milliseconds.
inline constexpr std::uint64_t save_interval = 5000;

}  // namespace divisi::control
