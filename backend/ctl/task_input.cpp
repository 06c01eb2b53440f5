// SPDX-License-Identifier: Apache-2.0
#include "backend/ctl/task_input.h"

#include <unistd.h>

#include <fstream>
#include <sstream>

#include "backend/onnx/import.h"
#include "backend/onnx/skeleton.h"
#include "backend/task/model_source.h"
#include "backend/task/parse.h"

namespace divisi::ctl {
namespace {

/// The client's files must be there before anything starts; what they hold is checked where they are read.
Result<void> check_path(const TaskInput& input, const char* key, const std::string& path) {
    if (path.empty() || path.starts_with(task::node_prefix)) return {};
    const auto resolved = task::resolve_path(input.folder, path);
    std::error_code code;
    if (std::filesystem::exists(resolved, code)) return {};
    return Error{ErrorCode::not_found, "no such file or folder: " + resolved, std::string("[data] ") + key,
                 "paths are relative to the task file"};
}

}  // namespace

Result<TaskInput> read_task(const TaskFileOptions& options) {
    if (std::filesystem::is_directory(options.file))
        return Error{ErrorCode::invalid_input, "is a folder, not a task file", options.file, "name the file in it"};
    std::ifstream stream(options.file, std::ios::binary);
    if (!stream)
        return Error{ErrorCode::not_found, "cannot read the task file", options.file,
                     "check the path; samples lie in resources/tasks"};
    std::ostringstream text;
    text << stream.rdbuf();
    TaskInput input;
    input.folder = std::filesystem::absolute(options.file).parent_path();
    DIVISI_ASSIGN(input.spec, task::parse_task(text.str(), options.file, options.settings));
    const task::DataSection& data = input.spec.data;
    DIVISI_TRY(check_path(input, "path", data.path));
    DIVISI_TRY(check_path(input, "labels", data.labels));
    DIVISI_TRY(check_path(input, "validation", data.validation));
    DIVISI_ASSIGN(input.model, task::load_model(input.spec, [&] {
                      onnx::ImportOptions import;
                      import.frozen = input.spec.model.frozen;
                      import.infer_shapes = false;
                      return onnx::import_model(task::resolve_path(input.folder, input.spec.model.onnx), import);
                  }));
    DIVISI_ASSIGN(input.plan, task::compile(input.spec, input.model));
    return input;
}

Result<control::SubmitTask> submission(const TaskInput& input, const std::filesystem::path& weights_folder) {
    control::SubmitTask submit;
    submit.text = task::print_task(input.spec);
    submit.folder = input.folder;
    const char* user = std::getenv("USER");
    submit.submitted_by = user ? user : "uid " + std::to_string(::getuid());
    if (input.spec.model.zoo.empty()) {
        std::error_code code;
        std::filesystem::create_directories(weights_folder, code);
        const auto file = weights_folder / (input.spec.task.name + "-" + input.plan.hash + ".weights");
        DIVISI_ASSIGN(const graph::Graph placed, onnx::place_weights(input.model, file));
        DIVISI_ASSIGN(submit.skeleton, onnx::encode_skeleton(placed));
        const auto size =
            std::filesystem::exists(file, code) ? static_cast<Bytes>(std::filesystem::file_size(file, code)) : 0;
        submit.files.push_back({"weights", file.string(), "", size});
    }
    return submit;
}

}  // namespace divisi::ctl
