// SPDX-License-Identifier: Apache-2.0
// divisictl results: writes the results of a batch task, fetched from the node that holds them.
#include <unistd.h>

#include <atomic>
#include <cstdio>

#include "backend/control/types/json_lines.h"
#include "backend/ctl/terminal/commands.h"
#include "backend/ctl/terminal/terminal.h"
#include "backend/ctl/training/task_output.h"
#include "backend/process/command_line.h"
#include "backend/submit/results.h"

namespace divisi::ctl {
namespace {

bool has_results(const control::TaskView& task) { return submit::results_of(task) != nullptr; }

}  // namespace

Result<void> fetch_results(Session& session, const std::string& name, const std::filesystem::path& output) {
    DIVISI_ASSIGN(const control::ClusterState state, session.snapshot());
    DIVISI_ASSIGN(const control::TaskView* task, find_task(state, name, has_results));
    Result<void> saved;
    std::atomic<bool> cancelled = false;
    session.beside(
        [&] {
            saved = submit::save_results({session.context(), session.keys()}, state, task->id,
                                         embed::default_data_folder() / "fetched", output, cancelled);
        },
        [&] { cancelled = true; });
    return saved;
}

Result<void> check_results_file(const std::filesystem::path& file) {
    const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
    std::error_code code;
    const bool is_file = !std::filesystem::is_directory(file, code);
    if (is_file && std::filesystem::is_directory(folder, code) && ::access(folder.c_str(), W_OK) == 0) return {};
    return Error{ErrorCode::invalid_input, "no results can be written to " + file.string(), "batch.output",
                 "name a file in an existing folder that you may write to"};
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
