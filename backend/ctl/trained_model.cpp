// SPDX-License-Identifier: Apache-2.0
#include "backend/ctl/trained_model.h"

#include <map>
#include <optional>
#include <span>

#include "backend/control/version_lineage.h"
#include "backend/ctl/task_files.h"
#include "backend/onnx/export.h"
#include "backend/onnx/skeleton.h"
#include "backend/store/tensor_file.h"
#include "backend/task/model_source.h"
#include "backend/task/parse.h"
#include "backend/task/validate.h"

namespace divisi::ctl {

Result<const control::TaskView*> find_trained(const control::ClusterState& state, const std::string& name) {
    if (const auto version = control::find_version(state, name); version && (*version)->kept)
        if (const auto task = state.tasks.find((*version)->task); task != state.tasks.end()) return &task->second;
    DIVISI_ASSIGN(const control::TaskView* task, find_task(state, name, control::is_trained));
    if (control::is_trained(*task)) return task;
    return Error{ErrorCode::conflict, "the task has no trained weights of all its stages", task->id.value(),
                 "weights are stored when a training ends with success, until their version is dropped ('divisictl "
                 "models')"};
}

Result<graph::Graph> trained_graph(Session& session, const control::TaskView& task) {
    DIVISI_ASSIGN(const task::TaskSpec spec, task::parse_task(task.text, task.id.value()));
    DIVISI_ASSIGN(const graph::Graph whole, task::load_model(spec, [&]() -> Result<graph::Graph> {
                      DIVISI_ASSIGN(const auto skeleton,
                                    session.ask<control::SkeletonData>(control::FetchSkeleton{task.id}));
                      return onnx::load_skeleton(std::as_bytes(std::span(skeleton.bytes)), spec.model.onnx);
                  }));
    DIVISI_ASSIGN(plan::BranchedModel trained, task::trained_model(spec, whole));
    return std::move(trained.graph);
}

Result<void> fetch_weights(Session& session, const control::ClusterState& state, const control::TaskView& task,
                           graph::Graph& model) {
    DIVISI_ASSIGN(TaskFiles files, TaskFiles::open(session, state, task));
    std::map<std::string, graph::HostTensor> weights;
    for (const control::WeightsStored& stored : task.weights) {
        DIVISI_ASSIGN(const auto file, files.get(stored.path, stored.hash, stored.instance));
        DIVISI_ASSIGN(auto tensors, store::read_tensors(file));
        for (store::NamedTensor& tensor : tensors) weights[tensor.name] = std::move(tensor.tensor);
    }
    std::optional<std::filesystem::path> untrained;  // weights that no stage trained, such as frozen ones
    const auto read_untrained = [&](std::size_t index) -> Result<graph::HostTensor> {
        for (const control::FileRef& file : task.files) {
            if (file.purpose != "weights" || untrained) continue;
            DIVISI_ASSIGN(untrained, files.get(file.path, file.hash, {}));
        }
        return onnx::read_weight(model, index, untrained.value_or(""));
    };
    for (std::size_t index = 0; index < model.initializers.size(); ++index) {
        graph::Initializer& initializer = model.initializers[index];
        const std::string& value = model.values[static_cast<std::size_t>(initializer.value)].name;
        if (const auto found = weights.find(value); found != weights.end()) {
            initializer.data = std::move(found->second);
        } else if (!initializer.data && initializer.offset) {
            DIVISI_ASSIGN(initializer.data, read_untrained(index));
        } else if (!initializer.data) {
            return Error{ErrorCode::not_found, "no stage stored this weight", value, ""};
        }
    }
    for (graph::Initializer& initializer : model.initializers) {
        initializer.offset.reset();
        initializer.random.reset();
    }
    files.forget_fetched();
    return {};
}

Result<void> export_trained(Session& session, const std::string& name, const std::filesystem::path& output) {
    DIVISI_ASSIGN(const control::ClusterState state, session.snapshot());
    DIVISI_ASSIGN(const control::TaskView* task, find_trained(state, name));
    DIVISI_ASSIGN(graph::Graph model, trained_graph(session, *task));
    DIVISI_TRY(fetch_weights(session, state, *task, model));
    return onnx::export_model(model, output);
}

}  // namespace divisi::ctl
