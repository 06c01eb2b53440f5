// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backend/base/result.h"

namespace divisi::staging {

/// Maximum number of nodes in a profile. Bounds the memory that a hostile file can make this program allocate.
inline constexpr std::size_t most_profile_nodes = 100'000;

/// One measured operator.
struct ProfileNode {
    std::string id;           ///< id of the node, for example "node11"
    std::string description;  ///< layer in words, for example "Conv2d(3, 64, ...)"
    double forward_ms = 0;
    double backward_ms = 0;
    double activation_bytes = 0;  ///< total of all its outputs
    double parameter_bytes = 0;
};

/// A measured graph. Nodes are in file order; edges are pairs of node positions, ascending and each once.
struct Profile {
    struct Edge {
        std::int32_t from = 0;
        std::int32_t to = 0;
        auto operator<=>(const Edge&) const = default;  // NOLINT(modernize-use-nullptr): the compiler generates the 0
    };
    std::vector<ProfileNode> nodes;
    std::vector<Edge> edges;
};

/// Reads PipeDream's text profile. A node is a line
///     node5 -- ReLU(inplace) -- forward_compute_time=0.5, backward_compute_time=0.2, activation_size=64.0,
///     parameter_size=0.0
/// Times are in milliseconds and sizes in bytes. Several outputs are written `[64.0; 8.0]`; a fourth part such as `--
/// stage_id=1` is ignored. An edge is an indented line `node4 -- node5`, anywhere in the file. Blank lines and lines
/// that begin with # are ignored.
///
/// Fails (invalid_input). Errors refer to "name:line" for:
/// - a line that is neither a node nor an edge, or an edge to an unknown node;
/// - a node without a cost, or a number that is negative or not finite;
/// - a repeated id, or a cycle (its nodes are listed in order).
///
/// For a text without nodes, and for times above 1e300 ms in total, the error refers to "name".
Result<Profile> parse_profile(std::string_view text, const std::string& name);

}  // namespace divisi::staging
