// SPDX-License-Identifier: Apache-2.0
// divisictl exceptions: lists tasks that failed permanently, and retries or drops them.
#include <cstdio>

#include "backend/control/protocol/task_events.h"
#include "backend/control/protocol/task_messages.h"
#include "backend/ctl/terminal/commands.h"
#include "backend/ctl/terminal/json_output.h"
#include "backend/ctl/terminal/terminal.h"
#include "backend/ctl/watching/exception_lines.h"
#include "backend/file/atomic_file.h"
#include "backend/task/parse.h"

namespace divisi::ctl {
namespace {

using control::ExceptionEntry;

/// Time limit of a resubmission. An edited task file may request a search for cuts, which takes at most a minute.
constexpr Duration planning_deadline = std::chrono::minutes(2);

Result<ExceptionEntry> find(const control::ClusterState& state, std::uint64_t number) {
    const auto found = state.exceptions.find(number);
    if (found != state.exceptions.end()) return found->second;
    return Error{ErrorCode::not_found, "there is no such exception", std::to_string(number),
                 "list them with 'divisictl exceptions'"};
}

int submit_again(const Common& common, const control::RetryException& request) {
    auto session = open_session(common, control::Role::operate);
    if (!session) return print_error(session.error());
    const auto reply = (*session)->ask<control::SubmitReply>(request, planning_deadline);
    if (!reply) return print_error(reply.error());
    if (common.json) print_json({{"task", reply->task.value()}});
    else
        std::printf("queued as %s; follow it with 'divisictl logs --task %s'\n", reply->task.value().c_str(),
                    reply->task.value().c_str());
    return 0;
}

/// Prints only the task file, as it was submitted, so that the output can be written into a file.
int print_task_text(const control::ClusterState& state, const ExceptionEntry& entry) {
    const auto task = state.tasks.find(entry.task);
    if (task == state.tasks.end())
        return print_error({ErrorCode::not_found, "the cluster has no text of this task", entry.task.value(), ""});
    std::fputs(task->second.text.c_str(), stdout);
    return 0;
}

}  // namespace

int list_exceptions(const Common& common) {
    auto session = open_session(common);
    if (!session) return print_error(session.error());
    const auto state = (*session)->snapshot();
    if (!state) return print_error(state.error());
    std::vector<std::vector<std::string>> rows;
    for (const auto& [number, entry] : state->exceptions) {
        if (common.json) print_json(exception_json(entry));
        rows.push_back(exception_row(entry));
    }
    if (common.json) return 0;
    if (rows.empty()) std::puts("no exceptions: no task has failed, or all failed tasks were retried or dropped");
    else print_table(exception_columns(), rows);
    return 0;
}

int show_exception(const Common& common, std::uint64_t number, bool text) {
    auto session = open_session(common);
    if (!session) return print_error(session.error());
    const auto state = (*session)->snapshot();
    if (!state) return print_error(state.error());
    const auto entry = find(*state, number);
    if (!entry) return print_error(entry.error());
    if (text) return print_task_text(*state, *entry);
    const auto page = (*session)->ask<control::LogPage>(log_around(*entry));
    if (!page) return print_error(page.error());
    if (!common.json) {
        std::fputs(exception_text(*entry, page->events).c_str(), stdout);
        return 0;
    }
    auto line = exception_json(*entry);
    line["log"] = nlohmann::ordered_json::array();
    for (const control::Event& event : page->events) line["log"].push_back(line_json(event));
    print_json(line);
    return 0;
}

int retry_exception(const Common& common, std::uint64_t number) { return submit_again(common, {number, ""}); }

int resubmit_exception(const Common& common, std::uint64_t number, const std::string& file) {
    const auto text = file::read_file(file);
    if (!text) return print_error(text.error());
    // Parse the file here, so that errors name the file and the line.
    if (const auto spec = task::parse_task(*text, file); !spec) return print_error(spec.error());
    return submit_again(common, {number, *text});
}

int drop_exception(const Common& common, std::uint64_t number) {
    auto session = open_session(common, control::Role::operate);
    if (!session) return print_error(session.error());
    const auto reply = (*session)->ask<control::Done>(control::DropException{number});
    if (!reply) return print_error(reply.error());
    if (common.json) print_json({{"done", true}});
    else std::printf("exception %llu is dropped\n", static_cast<unsigned long long>(number));
    return 0;
}

}  // namespace divisi::ctl
