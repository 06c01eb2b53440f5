// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backend/base/result.h"

namespace divisi::staging {

/// Most nodes of a profile: a bound on what a hostile file can make us allocate.
inline constexpr std::size_t most_profile_nodes = 100'000;

/// One measured operator.
struct ProfileNode {
    std::string id;           ///< "node11"
    std::string description;  ///< "Conv2d(3, 64, ...)"
    double forward_ms = 0;
    double backward_ms = 0;
    double activation_bytes = 0;  ///< of all its outputs together
    double parameter_bytes = 0;
};

/// A measured graph: nodes in the order of the file, edges as pairs of their positions, ascending and each once.
struct Profile {
    struct Edge {
        std::int32_t from = 0;
        std::int32_t to = 0;
        auto operator<=>(const Edge&) const = default;  // NOLINT(modernize-use-nullptr): the 0 is the compiler's
    };
    std::vector<ProfileNode> nodes;
    std::vector<Edge> edges;
};

/// Reads PipeDream's text profile. A node is a line
///     node5 -- ReLU(inplace) -- forward_compute_time=0.5, backward_compute_time=0.2, activation_size=64.0,
///     parameter_size=0.0
/// (milliseconds and bytes; several outputs are written `[64.0; 8.0]`, a fourth part such as `-- stage_id=1` is
/// passed over); an edge is an indented line `node4 -- node5`, anywhere in the file. Blank lines and lines that
/// begin with # are passed over. Fails (invalid_input) with "name:line" for a line that is neither, a node without
/// a cost, a number that is negative or not finite, an edge of a node that is not there, an id given twice and a
/// cycle (its nodes in their order), with "name" for a text without nodes.
Result<Profile> parse_profile(std::string_view text, const std::string& name);

}  // namespace divisi::staging
