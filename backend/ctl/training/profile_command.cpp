// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "backend/base/units.h"
#include "backend/ctl/terminal/commands.h"
#include "backend/ctl/terminal/json_output.h"
#include "backend/ctl/terminal/terminal.h"
#include "backend/staging/staging.h"

namespace divisi::ctl {
namespace {

/// Size limit of a profile file. Even a profile with the most nodes and long descriptions is far smaller.
constexpr std::uintmax_t largest_profile = std::uintmax_t{64} << 20;

struct Answer {
    staging::Profile profile;
    staging::Staging staging;
    double time_ms = 0;  ///< time taken to find the stages
};

Result<std::string> read_text(const std::string& file) {
    std::error_code code;
    if (!std::filesystem::is_regular_file(file, code))
        return Error{ErrorCode::not_found, "cannot read the profile", file, "check the path"};
    if (std::filesystem::file_size(file, code) > largest_profile || code)
        return Error{ErrorCode::invalid_input, "is larger than 64 MiB", file, "check that it is a profile"};
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    if (!stream) return Error{ErrorCode::not_found, "cannot read the profile", file, "check its permissions"};
    return text.str();
}

Result<Answer> answer(const ProfileOptions& options) {
    if (!options.stages)
        return Error{ErrorCode::invalid_input, "is missing", "--stages", "give the maximum number of stages"};
    DIVISI_ASSIGN(const std::string text, read_text(options.file));
    Answer answer;
    DIVISI_ASSIGN(answer.profile, staging::parse_profile(text, options.file));
    const auto begin = std::chrono::steady_clock::now();
    DIVISI_ASSIGN(answer.staging, staging::stage_profile(answer.profile, *options.stages, options.bandwidth));
    answer.time_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    return answer;
}

/// Prints the answer without a predicted step time: a profile describes a whole batch and not its micro-batches.
void print_answer_json(const Answer& answer) {
    nlohmann::ordered_json stages = nlohmann::ordered_json::array();
    for (const auto& nodes : answer.staging.stages) {
        nlohmann::ordered_json ids = nlohmann::ordered_json::array();
        for (const std::int32_t node : nodes) ids.push_back(answer.profile.nodes[node].id);
        stages.push_back(std::move(ids));
    }
    const nlohmann::ordered_json line = {{"stages", stages},
                                         {"objective_ms", answer.staging.objective_ms},
                                         {"lower_bound_ms", answer.staging.lower_bound_ms},
                                         {"gap", answer.staging.gap()},
                                         {"predicted_step_ms", nullptr},
                                         {"time_ms", answer.time_ms}};
    print_json(line);
}

void print_text(const Answer& answer) {
    const staging::Staging& staging = answer.staging;
    std::printf("%s in %s, the slowest stage or boundary takes %s; ",
                counted(static_cast<std::int64_t>(answer.profile.nodes.size()), "node").c_str(),
                counted(static_cast<std::int64_t>(staging.stages.size()), "stage").c_str(),
                format_duration_ms(staging.objective_ms).c_str());
    if (staging.exact) std::printf("no partition is faster");
    else std::printf("at most %.2f %% above the minimum", 100 * staging.gap());
    std::printf(" (found in %s)\n", format_duration_ms(answer.time_ms).c_str());
    if (staging.too_many_ideals)
        std::printf("note: more than %zu sets of nodes could precede a boundary, so not all of them were searched\n",
                    staging::most_ideals);
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < staging.stages.size(); ++i) {
        double ms = 0;
        for (const std::int32_t node : staging.stages[i])
            ms += answer.profile.nodes[node].forward_ms + answer.profile.nodes[node].backward_ms;
        const auto& last = answer.profile.nodes[staging.stages[i].back()];
        rows.push_back({std::to_string(i), std::to_string(staging.stages[i].size()), format_duration_ms(ms), last.id,
                        last.description.substr(0, 40)});
    }
    print_table({">STAGE", ">NODES", ">COMPUTES", "LAST NODE", ""}, rows);
}

}  // namespace

int plan_profile(const Common& common, const ProfileOptions& options) {
    const auto found = answer(options);
    if (!found) return print_error(found.error());
    if (common.json) print_answer_json(*found);
    else print_text(*found);
    return 0;
}

}  // namespace divisi::ctl
