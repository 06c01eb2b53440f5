// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/result.h"

namespace divisi::search {

/// Version of the segmentation interface that this build supports. A request of another version is refused.
inline constexpr std::int64_t segmentation_version = 1;

/// A request to the segmentation module: the model segmentation interface of draft-yang-dmsc-distributed-model-03,
/// 6.2.4 (splitting mode, ranges, rules of the tabu search, shared layers, privacy). The [split] section of a task file
/// and the message SegmentModel have the same fields. A layer is the part between two neighbouring legal cuts.
struct SegmentationRequest {
    std::int64_t version = segmentation_version;
    std::string strategy = "layer";      ///< the draft's mode: layer, business, block
    std::string method = "equal-flops";  ///< method for open choices, see segmentation_methods()
    std::int64_t stages = 0;             ///< 0: not given; excludes `cuts`
    std::vector<std::string> cuts;       ///< node names, or decimal indices into the legal cuts; excludes `stages`

    // Ranges. 0: unlimited.
    std::int64_t least_stages = 0, most_stages = 0;  ///< used if neither `stages` nor `cuts` is given
    std::int64_t least_layers = 0, most_layers = 0;  ///< number of layers per stage

    // Tabu search (Glover 1989); used by method "tabu".
    std::int64_t tabu_tenure = 7;        ///< iterations for which a moved cut may not move back
    std::int64_t tabu_iterations = 200;  ///< budget: number of evaluated neighbourhoods
    /// maximum number of legal positions that one move shifts a cut, to either side
    std::int64_t tabu_neighbourhood = 8;
    std::string tabu_aspiration = "better";  ///< lifts a tabu: "better" (than the best so far) or "none"
    std::int64_t tabu_seed = 0;              ///< breaks ties among equal moves

    std::int64_t shared_layers = -1;  ///< business: layers of the shared backbone; -1: all layers that every head needs

    std::vector<std::string> sensitive;  ///< operators (or scope/*) that must stay on secure nodes
    /// scopes that must not be cut: all operators of such a scope stay in one segment
    std::vector<std::string> together;

    bool operator==(const SegmentationRequest&) const = default;
};

/// Returns the names that `strategy` accepts, for messages and forms.
const std::vector<std::string>& segmentation_strategies();
/// Returns the names that `method` accepts: equal-layers, equal-parameters, equal-flops, optimal (slowest stage or
/// link, exactly), tabu (simulated step time).
const std::vector<std::string>& segmentation_methods();

/// Checks ranges, names and exclusions, and returns an error for each bad field. The `where` of an error is "split."
/// and the field's name; `what` continues from there ("= 0 is out of range"). If the version differs, only the version
/// is reported.
std::vector<Error> request_errors(const SegmentationRequest& request);

/// Returns the first error of request_errors(), if there is one.
Result<void> check_request(const SegmentationRequest& request);

/// Returns whether the request leaves the number of stages open.
bool stages_are_open(const SegmentationRequest& request);

/// Returns whether cuts are searched by price; such a search takes time, and its result depends on the prices.
bool is_searched(const SegmentationRequest& request);

/// The result of trying one number of stages.
struct StageCount {
    std::int32_t stages = 0;
    double slowest = 0;  ///< slowest stage or link of the chain, in ms or in the unit of the rule
    double buys = 0;     ///< share by which the last of these stages makes the slowest stage faster, e.g. 0.25
};

}  // namespace divisi::search
