// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace divisi::mesh::inline deal {

/// How work is dealt among instances that answer for the same name.
enum class Balancing : std::uint8_t {
    round_robin = 1,
    least_outstanding = 2,  ///< bytes that were sent and not answered yet
    weighted = 3,           ///< by measured capability
    two_choices = 4,        ///< of two random ones that with fewer outstanding bytes
};
const char* to_string(Balancing rule);

struct Candidate {
    std::uint64_t outstanding_bytes = 0;
    double flops_per_s = 0;  ///< 0: not measured
};

// Pure functions: each answers with the index of a candidate, none where there are no candidates.

/// `turn` counts the choices.
std::optional<std::size_t> round_robin(std::span<const Candidate> candidates, std::uint64_t turn);
/// Of equals the first.
std::optional<std::size_t> least_outstanding(std::span<const Candidate> candidates);
/// A candidate is chosen in proportion to its FLOP/s; `random` is uniform over 64 bits. Who is not measured counts as
/// the slowest that is, so that it gets work to be measured by; where nobody is measured, all count the same.
std::optional<std::size_t> weighted(std::span<const Candidate> candidates, std::uint64_t random);
/// Nearly as even as least_outstanding, and many choosers with the same old figures do not all take the same one
/// (Mitzenmacher, "The Power of Two Choices in Randomized Load Balancing", 2001). `random` is uniform over 64 bits.
std::optional<std::size_t> two_choices(std::span<const Candidate> candidates, std::uint64_t random);

/// By a rule of the policy. `number`: the turn of round_robin, the random number of weighted and two_choices.
std::optional<std::size_t> choose(Balancing rule, std::span<const Candidate> candidates, std::uint64_t number);

}  // namespace divisi::mesh::inline deal
