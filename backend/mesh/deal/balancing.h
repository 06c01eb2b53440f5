// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace divisi::mesh::inline deal {

/// The rule by which work is distributed among instances that answer for the same name.
enum class Balancing : std::uint8_t {
    round_robin = 1,
    least_outstanding = 2,  ///< the instance with the fewest bytes that are sent but not answered
    weighted = 3,           ///< instances in proportion to their FLOPs per second
    two_choices = 4,        ///< of two random instances, the one with fewer outstanding bytes
};
const char* to_string(Balancing rule);

struct Candidate {
    std::uint64_t outstanding_bytes = 0;
    double flops_per_s = 0;  ///< from the cluster file; 0: not stated
};

// Pure functions; each returns the index of the chosen candidate, or nothing if there are no candidates.

/// `turn` counts the choices made before.
std::optional<std::size_t> round_robin(std::span<const Candidate> candidates, std::uint64_t turn);
/// Chooses the first of several equal candidates.
std::optional<std::size_t> least_outstanding(std::span<const Candidate> candidates);
/// Chooses a candidate in proportion to its FLOP/s; `random` is uniform over 64 bits. An unmeasured candidate counts as
/// the slowest measured candidate, so that it gets some work and can be measured. If no candidate is measured, all
/// count the same.
std::optional<std::size_t> weighted(std::span<const Candidate> candidates, std::uint64_t random);
/// Chooses nearly as evenly as least_outstanding. Callers with the same outdated figures do not all choose the same
/// candidate. Source: Mitzenmacher, "The Power of Two Choices in Randomized Load Balancing", 2001. `random` is uniform
/// over 64 bits.
std::optional<std::size_t> two_choices(std::span<const Candidate> candidates, std::uint64_t random);

/// Chooses by the policy's rule. `number` is the `turn` of round_robin, or the random number of weighted and
/// two_choices.
std::optional<std::size_t> choose(Balancing rule, std::span<const Candidate> candidates, std::uint64_t number);

}  // namespace divisi::mesh::inline deal
