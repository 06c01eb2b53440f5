// SPDX-License-Identifier: Apache-2.0
#include "backend/search/segmentation_request.h"

#include <algorithm>
#include <utility>

#include "backend/plan/cut_choice.h"
#include "backend/search/error_texts.h"

namespace divisi::search {
namespace {

constexpr std::int64_t most_layers_of_a_stage = 1'000'000;  // more operators than any import accepts
constexpr std::int64_t most_tabu_tenure = 10'000;
constexpr std::int64_t most_tabu_iterations = 1'000'000;  // takes minutes, at one simulation per millisecond
constexpr std::int64_t most_tabu_neighbourhood = 10'000;
constexpr std::size_t most_names = 10'000;     // maximum per list; each name is compared with every operator
constexpr std::size_t longest_name = 4 << 10;  // longer than any scope that exporters write

/// Collects errors. Each field is reported once, with its first error.
class Checker {
public:
    void bad(const std::string& field, const ErrorText& text, std::vector<std::string> args = {}) {
        const std::string where = "split." + field;
        for (const Error& known : errors_)
            if (known.where == where) return;
        errors_.push_back(make_error(text, where, std::move(args)));
    }
    void within(const char* field, std::int64_t value, std::int64_t least, std::int64_t most) {
        if (value >= least && value <= most) return;
        bad(field, error_text("request-value-out-of-range"),
            {std::to_string(value), std::to_string(least), std::to_string(most)});
    }
    void one_of(const char* field, const std::string& value, const std::vector<std::string>& known) {
        if (std::find(known.begin(), known.end(), value) != known.end()) return;
        std::string names;
        for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
        if (value.empty()) bad(field, error_text("request-value-missing"), {names});
        else bad(field, error_text("request-value-not-known"), {value.substr(0, longest_shown), names});
    }
    /// Checks a range whose bounds may be open (0).
    void ordered(const char* field, std::int64_t least, std::int64_t most, const char* other) {
        if (most == 0 || least <= most) return;
        bad(field, error_text("bounds-reversed"), {std::to_string(most), other, std::to_string(least)});
    }
    void names(const char* field, const std::vector<std::string>& list, std::size_t most) {
        if (list.size() > most)
            bad(field, error_text("too-many-names"), {std::to_string(list.size()), std::to_string(most)});
        for (const std::string& name : list)
            if (name.size() > longest_name)
                bad(field, error_text("name-too-long"), {std::to_string(name.size()), std::to_string(longest_name)});
    }
    /// Checks a list of operators, or of scopes with everything below them.
    void patterns(const char* field, const std::vector<std::string>& list) {
        names(field, list, most_names);
        for (const std::string& pattern : list)
            if (pattern.empty() || pattern == "*")
                bad(field, pattern.empty() ? error_text("empty-operator-name") : error_text("names-every-operator"));
    }
    std::vector<Error> take() { return std::move(errors_); }

private:
    static constexpr std::size_t longest_shown = 64;
    std::vector<Error> errors_;
};

void check_ranges(Checker& check, const SegmentationRequest& request) {
    check.within("stages", request.stages, 0, plan::most_stages);
    check.within("least_stages", request.least_stages, 0, plan::most_stages);
    check.within("most_stages", request.most_stages, 0, plan::most_stages);
    check.ordered("most_stages", request.least_stages, request.most_stages, "least_stages");
    check.within("least_layers", request.least_layers, 0, most_layers_of_a_stage);
    check.within("most_layers", request.most_layers, 0, most_layers_of_a_stage);
    check.ordered("most_layers", request.least_layers, request.most_layers, "least_layers");
}

/// Checks that only one way of specifying the number of segments is used.
void check_exclusive(Checker& check, const SegmentationRequest& request) {
    const ErrorText& range_excludes = error_text("range-of-stages-excludes");
    const bool range = request.least_stages > 0 || request.most_stages > 0;
    if (request.stages > 0 && !request.cuts.empty()) check.bad("cuts", error_text("cuts-and-stages"));
    if (range && request.stages > 0) check.bad("stages", range_excludes);
    if (range && !request.cuts.empty()) check.bad("cuts", range_excludes);
}

void check_tabu(Checker& check, const SegmentationRequest& request) {
    check.within("tabu_tenure", request.tabu_tenure, 0, most_tabu_tenure);
    check.within("tabu_iterations", request.tabu_iterations, 1, most_tabu_iterations);
    check.within("tabu_neighbourhood", request.tabu_neighbourhood, 1, most_tabu_neighbourhood);
    check.one_of("tabu_aspiration", request.tabu_aspiration, {"better", "none"});
}

void check_shared(Checker& check, const SegmentationRequest& request) {
    if (request.shared_layers < -1 || request.shared_layers > most_layers_of_a_stage)
        check.bad("shared_layers", error_text("no-number-of-shared-layers"), {std::to_string(request.shared_layers)});
    if (request.shared_layers >= 0 && request.strategy != "business")
        check.bad("shared_layers", error_text("shared-layers-of-other-strategy"));
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

std::vector<Error> request_errors(const SegmentationRequest& request) {
    Checker check;
    if (request.version != segmentation_version) {
        check.bad("version", error_text("segmentation-version-not-spoken"),
                  {std::to_string(request.version), std::to_string(segmentation_version)});
        return check.take();  // the meaning of its other fields is unknown
    }
    check.one_of("strategy", request.strategy, segmentation_strategies());
    check.one_of("method", request.method, segmentation_methods());
    check_ranges(check, request);
    check.names("cuts", request.cuts, static_cast<std::size_t>(plan::most_stages) - 1);
    check_exclusive(check, request);
    check_tabu(check, request);
    check_shared(check, request);
    check.patterns("sensitive", request.sensitive);
    check.patterns("together", request.together);
    return check.take();
}

Result<void> check_request(const SegmentationRequest& request) {
    auto errors = request_errors(request);
    if (errors.empty()) return {};
    return std::move(errors.front());
}

bool stages_are_open(const SegmentationRequest& request) {
    if (request.stages > 0 || !request.cuts.empty()) return false;
    return request.least_stages > 0 || request.most_stages > 0 || is_searched(request);
}

bool is_searched(const SegmentationRequest& request) {
    return request.cuts.empty() && (request.method == "optimal" || request.method == "tabu");
}

}  // namespace divisi::search
