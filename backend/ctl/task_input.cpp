// SPDX-License-Identifier: Apache-2.0
#include "backend/ctl/task_input.h"

#include "backend/file/atomic_file.h"
#include "backend/process/command_line.h"
#include "backend/task/parse.h"

namespace divisi::ctl {

namespace {

Result<std::string> read_text(const TaskFileOptions& options) {
    return file::read_text(options.file, "task file", "check the path; samples lie in resources/tasks");
}

}  // namespace

Result<task::TaskSpec> read_spec(const TaskFileOptions& options) {
    DIVISI_ASSIGN(const std::string text, read_text(options));
    return task::parse_task(text, options.file, options.settings);
}

Result<TaskInput> read_task(const TaskFileOptions& options, const task::CompileOptions& compile) {
    DIVISI_ASSIGN(const std::string text, read_text(options));
    DIVISI_ASSIGN(task::TaskSpec spec, task::parse_task(text, options.file, options.settings));
    const auto path = process::absolute_path(options.file);
    auto input = submit::load_task(std::move(spec), path.parent_path(), compile);
    if (input.ok()) return input;
    return as_written(std::move(input).error(), options);
}

Error as_written(Error error, const TaskFileOptions& options) {
    if (const auto text = read_text(options); text.ok())
        error.where = task::where_written(*text, options.file, options.settings, error.where);
    return error;
}

}  // namespace divisi::ctl
