// SPDX-License-Identifier: Apache-2.0
// divisictl recut: changes the plan of a training task.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "backend/base/units.h"
#include "backend/ctl/changing/advice_json.h"
#include "backend/ctl/terminal/commands.h"
#include "backend/ctl/terminal/fields_json.h"
#include "backend/ctl/terminal/json_output.h"
#include "backend/ctl/terminal/terminal.h"
#include "backend/file/atomic_file.h"
#include "backend/task/parse.h"

namespace divisi::ctl {
namespace {

/// Time limit of the answer to a re-cut. The orchestrator refuses the re-cut if the new plan is not in force in time.
/// Otherwise it answers after the first step of the new plan, and that step may take any time.
constexpr Duration longest_recut = std::chrono::hours(24);

/// Returns the task's current state; an empty one if the task is unknown.
control::TaskView task_of(const control::ClusterState& state, const std::string& name) {
    const auto found = state.tasks.find(TaskId(name));
    return found == state.tasks.end() ? control::TaskView{} : found->second;
}

std::string plan_text(const std::string& hash, const std::vector<std::string>& cuts) {
    if (cuts.empty()) return "plan " + hash;
    std::string names;
    for (const std::string& cut : cuts) names += (names.empty() ? "" : ", ") + cut;
    return "plan " + hash + ": " + counted(static_cast<std::int64_t>(cuts.size()) + 1, "stage") + ", cut after " +
           names;
}

void print_done(const control::TaskView& before, const control::RecutDone& done) {
    std::printf("%s\n%s\n", plan_text(before.plan_hash, before.cuts).c_str(), plan_text(done.plan, done.cuts).c_str());
    std::printf("in force after step %lld as generation %lld; %s trained again, %s transferred, stalled for %s\n",
                static_cast<long long>(done.step), static_cast<long long>(done.generation),
                counted(done.again, "step").c_str(), format_bytes(done.brought).c_str(),
                format_duration_ms(done.stall_ms).c_str());
}

/// Returns the blocks of a task file.
Result<std::vector<task::SegmentSpec>> blocks_of(const std::string& file) {
    DIVISI_ASSIGN(const std::string text, file::read_file(file));
    DIVISI_ASSIGN(task::TaskSpec spec, task::parse_task(text, file));
    if (!spec.split.segments.empty()) return std::move(spec.split.segments);
    return Error{ErrorCode::invalid_input, "the task file has no [[split.segment]]", file,
                 "write one for each block, with its nodes; 'divisictl recut --cuts' is for cuts"};
}

/// Time limit of a request for advice; a search takes at most a minute.
constexpr Duration longest_search = std::chrono::minutes(2);

}  // namespace

std::vector<std::string> trimmed(const std::vector<std::string>& names) {
    constexpr const char* spaces = " \t\r\n";
    std::vector<std::string> all;
    for (const std::string& name : names) {
        const std::size_t begin = name.find_first_not_of(spaces);
        all.push_back(begin == std::string::npos ? "" : name.substr(begin, name.find_last_not_of(spaces) + 1 - begin));
    }
    return all;
}

nlohmann::ordered_json advice_json(const control::RecutAdvice& advice) { return fields_json(advice, "task"); }

int advise_recut(const Common& common, const std::string& task) {
    auto session = open_session(common);
    if (!session) return print_error(session.error());
    const auto advised = (*session)->ask<control::RecutAdvised>(control::AskRecutAdvice{TaskId(task)}, longest_search);
    if (!advised) return print_error(advised.error());
    if (!common.json) {
        std::printf("%s\n", control::advice_text(advised->advice).c_str());
        if (advised->followed) std::puts("the task is being re-cut to this plan");
        else if (!advised->held_back.empty()) std::printf("not followed: %s\n", advised->held_back.c_str());
        return 0;
    }
    auto line = advice_json(advised->advice);
    line["task"] = task;
    line["followed"] = advised->followed;
    line["held_back"] = advised->held_back;
    print_json(line);
    return 0;
}

int recut_task(const Common& common, control::Recut wanted, const std::string& blocks) {
    wanted.cuts = trimmed(wanted.cuts);
    if (!blocks.empty()) {
        auto read = blocks_of(blocks);
        if (!read) return print_error(read.error());
        wanted.blocks = std::move(*read);
    }
    auto session = open_session(common, control::Role::operate);
    if (!session) return print_error(session.error());
    const auto state = (*session)->snapshot();
    if (!state) return print_error(state.error());
    const control::TaskView before = task_of(*state, wanted.task.value());
    if (wanted.plan.empty()) wanted.plan = before.plan_hash;
    const auto done = (*session)->ask<control::RecutDone>(wanted, longest_recut);
    if (!done) return print_error(done.error());
    if (common.json)
        print_json({{"task", wanted.task.value()},
                    {"from", before.plan_hash},
                    {"cuts_before", before.cuts},
                    {"plan", done->plan},
                    {"cuts", done->cuts},
                    {"generation", done->generation},
                    {"step", done->step},
                    {"steps_again", done->again},
                    {"brought_bytes", done->brought},
                    {"stall_ms", done->stall_ms}});
    else print_done(before, *done);
    return 0;
}

}  // namespace divisi::ctl
