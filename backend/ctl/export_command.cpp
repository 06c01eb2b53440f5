// SPDX-License-Identifier: Apache-2.0
// divisictl model export: a trained model as ONNX, its weights fetched from the nodes that hold them.
#include <cstdio>
#include <map>

#include "backend/control/json_lines.h"
#include "backend/ctl/commands.h"
#include "backend/ctl/task_files.h"
#include "backend/ctl/terminal.h"
#include "backend/onnx/export.h"
#include "backend/onnx/skeleton.h"
#include "backend/store/tensor_file.h"
#include "backend/task/model_source.h"
#include "backend/task/parse.h"
#include "backend/task/validate.h"

namespace divisi::ctl {
namespace {

bool is_trained(const control::TaskView& task) {
    return task.weights.size() >= task.cuts.size() + 1 && !task.weights.front().results;
}

Result<graph::Graph> load_skeleton(Session& session, const control::TaskView& task, const task::TaskSpec& spec) {
    return task::load_model(spec, [&]() -> Result<graph::Graph> {
        DIVISI_ASSIGN(const auto skeleton, session.ask<control::SkeletonData>(control::FetchSkeleton{task.id}));
        return onnx::load_skeleton(std::as_bytes(std::span(skeleton.bytes)), spec.model.onnx);
    });
}

}  // namespace

Result<const control::TaskView*> find_trained(const control::ClusterState& state, const std::string& name) {
    DIVISI_ASSIGN(const control::TaskView* task, find_task(state, name, is_trained));
    if (is_trained(*task)) return task;
    return Error{ErrorCode::conflict, "the task has no trained weights of all its stages", task->id.value(),
                 "weights are stored when a training ends with success"};
}

Result<void> export_trained(Session& session, const std::string& name, const std::filesystem::path& output) {
    DIVISI_ASSIGN(const control::ClusterState state, session.snapshot());
    DIVISI_ASSIGN(const control::TaskView* task, find_trained(state, name));
    DIVISI_ASSIGN(TaskFiles files, TaskFiles::open(session, state, *task));
    std::map<std::string, graph::HostTensor> weights;
    for (const control::WeightsStored& stored : task->weights) {
        DIVISI_ASSIGN(const auto file, files.get(stored.path, stored.hash, stored.instance));
        DIVISI_ASSIGN(auto tensors, store::read_tensors(file));
        for (store::NamedTensor& tensor : tensors) weights[tensor.name] = std::move(tensor.tensor);
    }
    DIVISI_ASSIGN(const task::TaskSpec spec, task::parse_task(task->text, task->id.value()));
    DIVISI_ASSIGN(const graph::Graph whole, load_skeleton(session, *task, spec));
    DIVISI_ASSIGN(const plan::BranchedModel trained, task::trained_model(spec, whole));  // without dropped heads
    const graph::Graph& model = trained.graph;
    std::optional<std::filesystem::path> untrained;  // weights that no stage trained, such as frozen ones
    const auto read_untrained = [&](std::size_t index) -> Result<graph::HostTensor> {
        for (const control::FileRef& file : task->files) {
            if (file.purpose != "weights" || untrained) continue;
            DIVISI_ASSIGN(untrained, files.get(file.path, file.hash, {}));
        }
        return onnx::read_weight(model, index, untrained.value_or(""));
    };
    onnx::ExportOptions options;
    options.weights = [&](std::size_t index) -> Result<graph::HostTensor> {
        const graph::Initializer& initializer = model.initializers[index];
        const std::string& value = model.values[static_cast<std::size_t>(initializer.value)].name;
        if (const auto found = weights.find(value); found != weights.end()) return found->second;
        if (initializer.data) return *initializer.data;
        if (initializer.offset) return read_untrained(index);
        return Error{ErrorCode::not_found, "no stage stored this weight", value, ""};
    };
    DIVISI_TRY(onnx::export_model(model, output, options));
    files.forget_fetched();
    return {};
}

int model_export(const Common& common, const std::string& task, const std::string& output) {
    // Whoever may train models may take them home.
    auto session = open_session(common, control::Role::operate);
    if (!session) return print_error(session.error());
    if (auto done = export_trained(**session, task, output); !done) return print_error(done.error());
    if (common.json) std::printf("{\"file\":%s}\n", control::quoted(output).c_str());
    else std::printf("wrote %s\n", output.c_str());
    return 0;
}

}  // namespace divisi::ctl
