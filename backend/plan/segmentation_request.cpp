// SPDX-License-Identifier: Apache-2.0
#include "backend/plan/segmentation_request.h"

#include <algorithm>

#include "backend/plan/segmentation.h"

namespace divisi::plan {

namespace {

constexpr std::int64_t most_layers_of_a_stage = 1'000'000;  // a graph of more operators than any import takes
constexpr std::int64_t most_tabu_tenure = 10'000;
constexpr std::int64_t most_tabu_iterations = 1'000'000;  // minutes, at a simulation a millisecond
constexpr std::int64_t most_tabu_neighbourhood = 10'000;

Error bad(const char* field, std::string what, std::string next) {
    return Error{ErrorCode::invalid_input, std::move(what), std::string("split.") + field, std::move(next)};
}

Result<void> within(const char* field, std::int64_t value, std::int64_t least, std::int64_t most) {
    if (value >= least && value <= most) return {};
    return bad(field, "= " + std::to_string(value) + " is out of range",
               "use " + std::to_string(least) + " to " + std::to_string(most));
}

Result<void> one_of(const char* field, const std::string& value, const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), value) != known.end()) return {};
    std::string names;
    for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
    return bad(field, value.empty() ? "is empty" : "= '" + value + "' is not known", "use one of " + names);
}

/// A range whose bounds may be open (0).
Result<void> ordered(const char* field, std::int64_t least, std::int64_t most, const char* other) {
    if (most == 0 || least <= most) return {};
    return bad(field, "= " + std::to_string(most) + " is less than split." + other + " = " + std::to_string(least),
               "raise it or lower the other");
}

Result<void> check_ranges(const SegmentationRequest& request) {
    DIVISI_TRY(within("stages", request.stages, 0, most_stages));
    DIVISI_TRY(within("least_stages", request.least_stages, 0, most_stages));
    DIVISI_TRY(within("most_stages", request.most_stages, 0, most_stages));
    DIVISI_TRY(ordered("most_stages", request.least_stages, request.most_stages, "least_stages"));
    DIVISI_TRY(within("least_layers", request.least_layers, 0, most_layers_of_a_stage));
    DIVISI_TRY(within("most_layers", request.most_layers, 0, most_layers_of_a_stage));
    return ordered("most_layers", request.least_layers, request.most_layers, "least_layers");
}

/// Only one of the ways to say how many segments there are.
Result<void> check_exclusive(const SegmentationRequest& request) {
    if (request.stages > 0 && !request.cuts.empty())
        return bad("cuts", "and split.stages exclude each other", "keep one of them");
    const bool range = request.least_stages > 0 || request.most_stages > 0;
    if (range && request.stages > 0)
        return bad("stages", "and the range split.least_stages to split.most_stages exclude each other",
                   "keep one of them");
    if (range && !request.cuts.empty())
        return bad("cuts", "and the range split.least_stages to split.most_stages exclude each other",
                   "keep one of them");
    return {};
}

Result<void> check_tabu(const SegmentationRequest& request) {
    DIVISI_TRY(within("tabu_tenure", request.tabu_tenure, 0, most_tabu_tenure));
    DIVISI_TRY(within("tabu_iterations", request.tabu_iterations, 1, most_tabu_iterations));
    DIVISI_TRY(within("tabu_neighbourhood", request.tabu_neighbourhood, 1, most_tabu_neighbourhood));
    return one_of("tabu_aspiration", request.tabu_aspiration, {"better", "none"});
}

Result<void> check_patterns(const char* field, const std::vector<std::string>& patterns) {
    for (const std::string& pattern : patterns)
        if (pattern.empty() || pattern == "*")
            return bad(field, pattern.empty() ? "has an empty name" : "names every operator",
                       "name operators, or a scope and all below it as in \"/encoder/*\"");
    return {};
}

}  // namespace

const std::vector<std::string>& segmentation_strategies() {
    static const std::vector<std::string> names{"layer", "business", "block"};
    return names;
}

const std::vector<std::string>& segmentation_methods() {
    static const std::vector<std::string> names{"equal-layers", "equal-parameters", "equal-flops", "optimal", "tabu"};
    return names;
}

Result<void> check_request(const SegmentationRequest& request) {
    if (request.version != segmentation_version)
        return bad("version", "= " + std::to_string(request.version) + " is a version that this build does not speak",
                   "use version = " + std::to_string(segmentation_version));
    DIVISI_TRY(one_of("strategy", request.strategy, segmentation_strategies()));
    DIVISI_TRY(one_of("method", request.method, segmentation_methods()));
    DIVISI_TRY(check_ranges(request));
    DIVISI_TRY(check_exclusive(request));
    DIVISI_TRY(check_tabu(request));
    if (request.shared_layers < -1 || request.shared_layers > most_layers_of_a_stage)
        return bad("shared_layers", "= " + std::to_string(request.shared_layers) + " is out of range",
                   "use a number of layers, or -1 for all that every head needs");
    if (request.shared_layers >= 0 && request.strategy != "business")
        return bad("shared_layers", "belongs to strategy = \"business\"", "remove it");
    DIVISI_TRY(check_patterns("sensitive", request.sensitive));
    return check_patterns("together", request.together);
}

}  // namespace divisi::plan
