// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/submission.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "backend/onnx/import.h"
#include "backend/onnx/skeleton.h"
#include "backend/task/parse.h"

namespace divisi::client {

Result<control::SubmitTask> make_submission(const std::string& text, const std::string& folder,
                                            const std::filesystem::path& uploads) {
    DIVISI_ASSIGN(const task::TaskSpec spec, task::parse_task(text, "the task"));
    control::SubmitTask submit;
    submit.text = text;
    submit.folder = folder;
    const char* user = std::getenv("USER");
    submit.submitted_by = user ? user : "uid " + std::to_string(::getuid());
    if (!spec.model.zoo.empty()) return submit;

    onnx::ImportOptions options;
    options.bindings = spec.model.symbols;
    options.frozen = spec.model.frozen;
    const std::filesystem::path model = std::filesystem::path(folder) / spec.model.onnx;
    DIVISI_ASSIGN(const graph::Graph graph, onnx::import_model(model, options));
    std::error_code code;
    std::filesystem::create_directories(uploads, code);
    // A queued task still reads its own, so every submission has a file of its own.
    static std::atomic<int> number = 0;
    const std::filesystem::path file =
        uploads / (spec.task.name + "-" + std::to_string(::getpid()) + "-" + std::to_string(++number) + ".weights");
    DIVISI_ASSIGN(const graph::Graph placed, onnx::place_weights(graph, file));
    DIVISI_ASSIGN(submit.skeleton, onnx::encode_skeleton(placed));
    const auto size = std::filesystem::exists(file, code) ? std::filesystem::file_size(file, code) : 0;
    submit.files.push_back({"weights", file.string(), "", static_cast<Bytes>(size)});
    return submit;
}

}  // namespace divisi::client
