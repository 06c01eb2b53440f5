// SPDX-License-Identifier: Apache-2.0
#include "backend/ctl/training/task_input.h"

#include "backend/control/state/version_lineage.h"
#include "backend/ctl/training/task_output.h"
#include "backend/file/atomic_file.h"
#include "backend/process/command_line.h"
#include "backend/process/resources.h"
#include "backend/task/parse.h"

namespace divisi::ctl {
namespace {

Result<std::string> read_text(const TaskFileOptions& options) {
    const std::filesystem::path resources = process::resources_folder();
    const std::string samples = resources.empty() ? "" : "; examples are in " + (resources / "tasks").string();
    return file::read_text(options.file, "task file", "check the path" + samples);
}

}  // namespace

Result<task::TaskSpec> read_spec(const TaskFileOptions& options) {
    DIVISI_ASSIGN(const std::string text, read_text(options));
    return task::parse_task(text, options.file, options.settings);
}

Result<TaskInput> read_task(const TaskFileOptions& options, const task::CompileOptions& compile) {
    DIVISI_ASSIGN(task::TaskSpec spec, read_spec(options));
    return load_input(std::move(spec), options, compile);
}

Result<TaskInput> load_input(task::TaskSpec spec, const TaskFileOptions& options, const task::CompileOptions& compile) {
    const auto path = process::absolute_path(options.file);
    auto input = submit::load_task(std::move(spec), path.parent_path(), compile);
    if (input.ok()) return input;
    return as_written(std::move(input).error(), options);
}

Result<void> bring_trained(Session& session, task::TaskSpec& spec) {
    if (spec.model.from.empty()) return {};
    DIVISI_ASSIGN(const control::ClusterState state, session.snapshot());
    DIVISI_ASSIGN(const submit::Trained found, find_trained(state, spec.model.from));
    const control::TaskView& task = *found.task;
    const std::string of_checkpoint = found.parts.empty() ? "" : "-" + found.parts.front().hash;
    const std::filesystem::path folder = embed::default_data_folder() / "models";
    std::error_code code;
    std::filesystem::create_directories(folder, code);
    const std::filesystem::path file = folder / (task.id.value() + of_checkpoint + ".onnx");
    DIVISI_TRY(export_trained(session, spec.model.from, file));
    DIVISI_ASSIGN(const task::TaskSpec trained, task::parse_task(task.text, task.id.value()));
    if (spec.model.inputs.empty()) spec.model.inputs = trained.model.inputs;
    if (spec.model.output.empty() && spec.train.losses.empty()) spec.model.output = trained.model.output;
    spec.model.onnx = file.string();
    spec.model.from.clear();
    return {};
}

Result<void> bring_start(Session& session, TaskInput& input) {
    if (!task::begins_with_version(input.spec)) return {};
    DIVISI_ASSIGN(const control::ClusterState state, session.snapshot());
    DIVISI_ASSIGN(const control::ModelVersion* version, control::find_version(state, input.spec.model.from));
    DIVISI_ASSIGN(const submit::Trained begins, submit::trained_of(state, *version));
    DIVISI_ASSIGN(const std::string skeleton, skeleton_of(session, *begins.task));
    return fetch_beside(session, [&](const submit::Fetching& fetching) {
        return submit::begin_with(fetching, state, *version, skeleton, input);
    });
}

Error as_written(Error error, const TaskFileOptions& options) {
    if (const auto text = read_text(options); text.ok())
        error.where = task::where_written(*text, options.file, options.settings, error.where);
    return error;
}

}  // namespace divisi::ctl
