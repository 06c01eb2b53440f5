// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/result.h"

namespace divisi::search {

/// Version of the segmentation interface that this build speaks. A request of another version is refused.
inline constexpr std::int64_t segmentation_version = 1;

/// What a caller may ask of the segmentation module: the model segmentation interface of
/// draft-yang-dmsc-distributed-model-03, 6.2.4 (splitting mode, ranges, rules of the tabu search, shared layers,
/// privacy). The same fields are the [split] section of a task file and the message SegmentModel.
///
/// A layer is what lies between two neighbouring legal cuts.
struct SegmentationRequest {
    std::int64_t version = segmentation_version;
    std::string strategy = "layer";      ///< the draft's mode: layer, business, block
    std::string method = "equal-flops";  ///< how an open choice is made, see segmentation_methods()
    std::int64_t stages = 0;             ///< 0: not given; excludes `cuts`
    std::vector<std::string> cuts;       ///< node names, or decimal indices into the legal cuts; excludes `stages`

    // Ranges. 0: no bound.
    std::int64_t least_stages = 0, most_stages = 0;  ///< searched when neither `stages` nor `cuts` is given
    std::int64_t least_layers = 0, most_layers = 0;  ///< of one stage

    // Tabu search (Glover 1989); used by method "tabu".
    std::int64_t tabu_tenure = 7;            ///< iterations for which a moved cut may not move back
    std::int64_t tabu_iterations = 200;      ///< budget: evaluated neighbourhoods
    std::int64_t tabu_neighbourhood = 8;     ///< legal positions to each side that a cut may move in one move
    std::string tabu_aspiration = "better";  ///< what lifts a tabu: "better" (than the best so far) or "none"
    std::int64_t tabu_seed = 0;              ///< breaks ties among equal moves

    std::int64_t shared_layers = -1;  ///< business: layers of the shared backbone; -1: all that every head needs

    std::vector<std::string> sensitive;  ///< operators (or scope/*) that stay on secure nodes
    std::vector<std::string> together;   ///< scopes that are not cut: all operators under each in one segment

    bool operator==(const SegmentationRequest&) const = default;
};

/// Names that `strategy` and `method` know, for messages and forms.
const std::vector<std::string>& segmentation_strategies();
/// equal-layers, equal-parameters, equal-flops, optimal (slowest stage or link, exactly), tabu (simulated step time).
const std::vector<std::string>& segmentation_methods();

/// Ranges, names and what excludes what: an error for each bad field. Its `where` is "split." and the field's name,
/// `what` reads on from it ("= 0 is out of range"). Of another version only that is said.
std::vector<Error> request_errors(const SegmentationRequest& request);

/// The first of these.
Result<void> check_request(const SegmentationRequest& request);

}  // namespace divisi::search
