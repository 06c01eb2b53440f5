// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/deal/balancing.h"

#include <algorithm>

namespace divisi::mesh::inline deal {

const char* to_string(Balancing rule) {
    switch (rule) {
        case Balancing::round_robin: return "round robin";
        case Balancing::least_outstanding: return "least outstanding bytes";
        case Balancing::weighted: return "weighted by capability";
        case Balancing::two_choices: return "two random choices";
    }
    return "unknown";
}

std::optional<std::size_t> round_robin(std::span<const Candidate> candidates, std::uint64_t turn) {
    if (candidates.empty()) return std::nullopt;
    return turn % candidates.size();
}

std::optional<std::size_t> least_outstanding(std::span<const Candidate> candidates) {
    if (candidates.empty()) return std::nullopt;
    const auto least = std::ranges::min_element(candidates, {}, &Candidate::outstanding_bytes);
    return static_cast<std::size_t>(least - candidates.begin());
}

std::optional<std::size_t> weighted(std::span<const Candidate> candidates, std::uint64_t random) {
    if (candidates.empty()) return std::nullopt;
    double slowest = 0, sum = 0;
    for (const Candidate& candidate : candidates)
        if (candidate.flops_per_s > 0 && (slowest == 0 || candidate.flops_per_s < slowest))
            slowest = candidate.flops_per_s;
    if (slowest == 0) return round_robin(candidates, random);
    const auto weight = [&](const Candidate& candidate) { return std::max(candidate.flops_per_s, slowest); };
    for (const Candidate& candidate : candidates) sum += weight(candidate);
    double rest = static_cast<double>(random >> 11) * 0x1p-53 * sum;  // uniform in [0, sum)
    for (std::size_t i = 0; i + 1 < candidates.size(); ++i) {
        rest -= weight(candidates[i]);
        if (rest < 0) return i;
    }
    return candidates.size() - 1;
}

std::optional<std::size_t> two_choices(std::span<const Candidate> candidates, std::uint64_t random) {
    if (candidates.size() < 2) return round_robin(candidates, 0);
    const std::size_t first = (random >> 32) % candidates.size();
    const std::size_t other = (random & 0xffffffff) % (candidates.size() - 1);
    const std::size_t second = other < first ? other : other + 1;  // always differs from `first`
    return candidates[second].outstanding_bytes < candidates[first].outstanding_bytes ? second : first;
}

std::optional<std::size_t> choose(Balancing rule, std::span<const Candidate> candidates, std::uint64_t number) {
    switch (rule) {
        case Balancing::round_robin: return round_robin(candidates, number);
        case Balancing::least_outstanding: return least_outstanding(candidates);
        case Balancing::weighted: return weighted(candidates, number);
        case Balancing::two_choices: return two_choices(candidates, number);
    }
    return std::nullopt;
}

}  // namespace divisi::mesh::inline deal
