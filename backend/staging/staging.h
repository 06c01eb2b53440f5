// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backend/base/result.h"
#include "backend/staging/ideals.h"
#include "backend/staging/profile.h"

namespace divisi::staging {

/// A partition of a profile's nodes into stages, and its quality.
struct Staging {
    std::vector<std::vector<std::int32_t>> stages;  ///< positions in Profile::nodes, in topological order
    double objective_ms = 0;                        ///< time of the slowest stage or boundary
    double lower_bound_ms = 0;  ///< no partition into this number of stages is faster; equal to the objective if exact
    bool exact = false;         ///< optimal to nine digits (times are summed as integers)
    std::size_t ideals = 0;     ///< number of downward-closed sets searched; 0 if no search was needed
    bool too_many_ideals = false;  ///< there are more than most_ideals; this is the best result of several searches

    double gap() const { return lower_bound_ms > 0 ? objective_ms / lower_bound_ms - 1 : 0; }
};

/// Returns the time of the slowest stage or boundary. A stage takes its compute time (forward + backward). A boundary
/// takes the time of all crossing activations in both directions: 2 x bytes / bandwidth. A node with several later
/// consumers counts once at each boundary up to the last consumer.
double slowest_ms(const Profile& profile, const std::vector<std::vector<std::int32_t>>& stages,
                  std::optional<double> bandwidth);

/// Cuts a profile into at most `stages` stages that minimize slowest_ms(). A boundary is a downward-closed set of
/// nodes. Up to most_ideals boundaries (ideals.h) are searched exhaustively. If there are more, the result is the best
/// result of several methods. These are linear orders, local moves, the cheapest boundary of each weight
/// (stage_frontier.h) and exact searches of random parts. lower_bound_ms then shows how far the result can be from the
/// optimum.
///
/// `bandwidth` is in bytes/s; without it, links are free. Deterministic. Fails (invalid_input) for fewer than one
/// stage, a profile without nodes, and a bandwidth that is not finite and above 0.
Result<Staging> stage_profile(const Profile& profile, std::int64_t stages, std::optional<double> bandwidth);

}  // namespace divisi::staging
