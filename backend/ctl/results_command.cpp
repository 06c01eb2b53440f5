// SPDX-License-Identifier: Apache-2.0
// divisictl results: what a batch has said of its samples, fetched from the node that has it.
#include <unistd.h>

#include <cstdio>

#include "backend/control/json_lines.h"
#include "backend/ctl/commands.h"
#include "backend/ctl/task_files.h"
#include "backend/ctl/terminal.h"
#include "backend/process/command_line.h"

namespace divisi::ctl {
namespace {

bool has_results(const control::TaskView& task) { return !task.weights.empty() && task.weights.front().results; }

/// The whole file appears, or none: it is copied beside its place first.
Result<void> copy_whole(const std::filesystem::path& from, const std::filesystem::path& to) {
    const std::filesystem::path part = to.string() + ".part-" + std::to_string(::getpid());
    std::error_code code;
    std::filesystem::copy_file(from, part, std::filesystem::copy_options::overwrite_existing, code);
    if (!code) std::filesystem::rename(part, to, code);
    if (!code) return {};
    const std::string why = code.message();
    std::filesystem::remove(part, code);
    return Error{ErrorCode::failed, "the results cannot be written: " + why, to.string(),
                 "name a file in a folder that is there and yours: divisictl results TASK OUT.csv"};
}

}  // namespace

Result<void> fetch_results(Session& session, const std::string& name, const std::filesystem::path& output) {
    DIVISI_ASSIGN(const control::ClusterState state, session.snapshot());
    DIVISI_ASSIGN(const control::TaskView* task, find_task(state, name, has_results));
    if (!has_results(*task))
        return Error{ErrorCode::conflict, "the task has no results", task->id.value(),
                     "tasks of kind batch store them when they end with success"};
    DIVISI_ASSIGN(TaskFiles files, TaskFiles::open(session, state, *task));
    const control::WeightsStored& stored = task->weights.front();
    DIVISI_ASSIGN(const auto file, files.get(stored.path, stored.hash, stored.instance));
    DIVISI_TRY(copy_whole(file, output));
    files.forget_fetched();
    return {};
}

Result<void> check_results_file(const std::filesystem::path& file) {
    const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
    std::error_code code;
    const bool is_file = !std::filesystem::is_directory(file, code);
    if (is_file && std::filesystem::is_directory(folder, code) && ::access(folder.c_str(), W_OK) == 0) return {};
    return Error{ErrorCode::invalid_input, "no results can be written to " + file.string(), "batch.output",
                 "name a file in a folder that is there and yours"};
}

int show_results(const Common& common, const std::string& task, const std::string& output) {
    auto session = open_session(common, control::Role::operate);
    if (!session) return print_error(session.error());
    const std::filesystem::path file = process::absolute_path(output);
    if (auto done = fetch_results(**session, task, file); !done) return print_error(done.error());
    if (common.json) std::printf("{\"file\":%s}\n", control::quoted(file.string()).c_str());
    else std::printf("wrote %s\n", file.c_str());
    return 0;
}

}  // namespace divisi::ctl
