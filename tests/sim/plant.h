// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace divisi::sim {

/// A bug that a world has on purpose, which its invariants must find.
enum class Plant : std::uint8_t {
    none,
    keeps_its_state,         ///< a process that plays another instance goes on with what the one before had learned
    reports_unfenced,        ///< reports say the generation that is in force, whichever their instance is of
    begins_too_early,        ///< a restored instance does the last step of its checkpoint again
    reports_before_durable,  ///< a snapshot is reported before it is written
    goes_on_past_a_hold,     ///< a stage that is to stand still for a re-cut begins the next step all the same
    brought_before_durable,  ///< a node says that it has a blob before it is written
    begins_with_one_part,    ///< a stage that was several before begins with what only the first of them has learned
    accuses_after_a_pause,   ///< a second detector of silence, which takes divisid's own pauses for that of others
    hellos_are_lost,         ///< nobody hears that a stage is in a new generation
    forgets_to_adopt,        ///< a restarted orchestrator takes no care of the tasks that run
    returns_credit_twice,    ///< gateways and routers tell their neighbours of each byte that they free two times
};

}  // namespace divisi::sim
