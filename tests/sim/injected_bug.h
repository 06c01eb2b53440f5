// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace divisi::sim {

/// A bug planted in a world on purpose. The invariants must find it.
enum class InjectedBug : std::uint8_t {
    none,
    keeps_its_state,         ///< a process that starts another instance keeps the weights of the previous one
    reports_unfenced,        ///< reports carry the current generation instead of the generation of their instance
    begins_too_early,        ///< a restored instance repeats the last step of its checkpoint
    reports_before_durable,  ///< a snapshot is reported before it is written
    goes_on_past_a_hold,     ///< a stage that is held for a re-cut begins the next step nevertheless
    brought_before_durable,  ///< a node reports a fetched blob before it is written
    begins_with_one_part,    ///< a stage merged from several old stages restores only the snapshot of the first
    accuses_after_a_pause,   ///< a second silence detector mistakes pauses of divisid itself for silence of its peers
    hellos_are_lost,         ///< peers are not told that a stage has entered a new generation
    forgets_to_adopt,        ///< a restarted orchestrator does not adopt running tasks
    returns_credit_twice,    ///< gateways and routers return the credit of each freed byte twice
};

}  // namespace divisi::sim
