// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backend/base/result.h"
#include "backend/staging/ideals.h"
#include "backend/staging/profile.h"

namespace divisi::staging {

/// A profile's nodes in stages, and how good that is.
struct Staging {
    std::vector<std::vector<std::int32_t>> stages;  ///< positions in Profile::nodes, in a topological order
    double objective_ms = 0;                        ///< of the slowest stage or boundary
    double lower_bound_ms = 0;     ///< no partition into as many stages is faster; equal to the objective when exact
    bool exact = false;            ///< nothing faster exists (to nine digits: times are summed as integers)
    std::size_t ideals = 0;        ///< downward-closed sets that were looked through; 0 when that was not necessary
    bool too_many_ideals = false;  ///< more than most_ideals: the best that several searches found

    double gap() const { return lower_bound_ms > 0 ? objective_ms / lower_bound_ms - 1 : 0; }
};

/// The slowest of the stages' compute times (forward + backward) and of the times that the activations which
/// cross each boundary need, there and back: 2 x bytes / bandwidth. A node with several later consumers counts
/// once at each boundary between it and the last of them.
double slowest_ms(const Profile& profile, const std::vector<std::vector<std::int32_t>>& stages,
                  std::optional<double> bandwidth);

/// Cuts a profile into at most `stages` stages so that slowest_ms() is least. A boundary is a downward-closed
/// set of nodes; all of them are looked through while they are at most most_ideals (ideals.h), else several
/// linear orders, local moves, the cheapest boundary of each weight (stage_frontier.h) and exact searches of random
/// parts give the answer, and lower_bound_ms tells how far it can be from the optimum. `bandwidth` in bytes/s; without
/// it links are free. Deterministic. Fails (invalid_input) for less than one stage and a bandwidth that is not finite
/// and above 0.
Result<Staging> stage_profile(const Profile& profile, std::int64_t stages, std::optional<double> bandwidth);

}  // namespace divisi::staging
