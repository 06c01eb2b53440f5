// SPDX-License-Identifier: Apache-2.0
#include "backend/ctl/task_input.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "backend/task/parse.h"

namespace divisi::ctl {

namespace {

Result<std::string> read_text(const TaskFileOptions& options) {
    if (std::filesystem::is_directory(options.file))
        return Error{ErrorCode::invalid_input, "is a folder, not a task file", options.file, "name the file in it"};
    std::ifstream stream(options.file, std::ios::binary);
    if (!stream)
        return Error{ErrorCode::not_found, "cannot read the task file", options.file,
                     "check the path; samples lie in resources/tasks"};
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

}  // namespace

Result<task::TaskSpec> read_spec(const TaskFileOptions& options) {
    DIVISI_ASSIGN(const std::string text, read_text(options));
    return task::parse_task(text, options.file, options.settings);
}

Result<TaskInput> read_task(const TaskFileOptions& options, const task::CompileOptions& compile) {
    DIVISI_ASSIGN(const std::string text, read_text(options));
    DIVISI_ASSIGN(task::TaskSpec spec, task::parse_task(text, options.file, options.settings));
    auto input = submit::load_task(std::move(spec), std::filesystem::absolute(options.file).parent_path(), compile);
    if (input.ok()) return input;
    return as_written(std::move(input).error(), options);
}

Error as_written(Error error, const TaskFileOptions& options) {
    if (const auto text = read_text(options); text.ok())
        error.where = task::where_written(*text, options.file, options.settings, error.where);
    return error;
}

}  // namespace divisi::ctl
