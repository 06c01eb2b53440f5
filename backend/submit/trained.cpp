// SPDX-License-Identifier: Apache-2.0
#include "backend/submit/trained.h"

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "backend/onnx/export.h"
#include "backend/onnx/skeleton.h"
#include "backend/store/blob_hash.h"
#include "backend/store/blob_store.h"
#include "backend/store/tensor_file.h"
#include "backend/submit/error_texts.h"
#include "backend/task/model_source.h"
#include "backend/task/parse.h"
#include "backend/task/start_weights.h"
#include "backend/task/validate.h"

namespace divisi::submit {
namespace {

/// Files of a task by content hash. They are read in place if they are on this machine; otherwise they are fetched, and
/// removed at the end.
class FilesOfTask {
public:
    static Result<FilesOfTask> open(const Fetching& fetching, const control::ClusterState& state,
                                    const control::TaskView& task) {
        DIVISI_ASSIGN(auto store, store::BlobStore::open(fetching.store));
        return FilesOfTask(fetching, state, task, std::move(store));
    }

    /// Returns the file. `holder`: the instance whose node has it; empty: any node of the task may have it.
    Result<std::filesystem::path> get(const std::string& path, const std::string& hash, const InstanceId& holder) {
        std::error_code code;
        if (std::filesystem::exists(path, code)) {
            if (hash.empty()) return std::filesystem::path(path);
            if (const auto found = store::file_hash(path); found.ok() && *found == hash)
                return std::filesystem::path(path);
        }
        Error error = make_error(error_text("file-not-here"), path);
        if (hash.empty()) return error;
        std::vector<NodeId> holders;
        for (const auto& [id, instance] : state_.instances)
            if (instance.task == task_.id && (holder.value().empty() || id == holder)) holders.push_back(instance.node);
        return get(hash, holders, std::move(error));
    }
    /// Returns a snapshot of a checkpoint.
    Result<std::filesystem::path> get(const control::SegmentSnapshot& part) {
        return get(part.hash, part.nodes,
                   make_error(error_text("no-node-with-snapshot"), part.sid.value() + ", blob " + part.hash));
    }
    void forget_fetched() {
        for (const std::string& hash : fetched_) (void)store_.remove(hash);
    }

private:
    /// Returns the file from the first of these nodes that can deliver it. `error`: returned if no node is known.
    Result<std::filesystem::path> get(const std::string& hash, const std::vector<NodeId>& holders, Error error) {
        for (const NodeId& holder : holders) {
            const auto node = state_.nodes.find(holder);
            if (node == state_.nodes.end()) continue;
            auto fetched = fetch(fetching_.identity, node->second.info, hash, store_, fetching_.cancelled);
            if (fetched.ok()) fetched_.push_back(hash);
            if (fetched.ok()) return fetched;
            error = fetched.error();
        }
        return error;
    }

    FilesOfTask(const Fetching& fetching, const control::ClusterState& state, const control::TaskView& task,
                store::BlobStore store)
        : fetching_(fetching), state_(state), task_(task), store_(std::move(store)) {}

    const Fetching& fetching_;
    const control::ClusterState& state_;
    const control::TaskView& task_;
    store::BlobStore store_;
    std::vector<std::string> fetched_;
};

std::string name_of(const control::ModelVersion& version) { return "version " + std::to_string(version.number); }

using Tensors = std::map<std::string, graph::HostTensor>;

/// Returns the weights that the task's stages stored at its end, by name.
Result<Tensors> weights_of_end(FilesOfTask& files, const control::TaskView& task) {
    Tensors weights;
    for (const control::WeightsStored& stored : task.weights) {
        DIVISI_ASSIGN(const auto file, files.get(stored.path, stored.hash, stored.instance));
        DIVISI_ASSIGN(auto tensors, store::read_tensors(file));
        for (store::NamedTensor& tensor : tensors) weights[tensor.name] = std::move(tensor.tensor);
    }
    return weights;
}

/// Returns the weights of a checkpoint by name. Optimizer state is left out, because another optimizer cannot use it.
Result<Tensors> weights_of_checkpoint(FilesOfTask& files, const std::vector<control::SegmentSnapshot>& parts) {
    Tensors weights;
    for (const control::SegmentSnapshot& part : parts) {
        DIVISI_ASSIGN(const auto file, files.get(part));
        DIVISI_ASSIGN(auto tensors, store::read_tensors(file));
        for (store::NamedTensor& tensor : tensors) {
            const store::StateName name = store::state_name(tensor.name);
            if (name.slot.empty()) weights[name.value] = std::move(tensor.tensor);
        }
    }
    return weights;
}

Result<Tensors> trained_weights(FilesOfTask& files, const Trained& trained) {
    return trained.parts.empty() ? weights_of_end(files, *trained.task) : weights_of_checkpoint(files, trained.parts);
}

}  // namespace

Result<Trained> trained_of(const control::ClusterState& state, const control::ModelVersion& version) {
    const auto task = state.tasks.find(version.task);
    if (version.kept && task != state.tasks.end()) return Trained{&task->second, version.parts};
    return make_error(error_text("weights-let-go"), "model.from", {name_of(version)});
}

Result<bool> needs_skeleton(const control::TaskView& task) {
    DIVISI_ASSIGN(const task::TaskSpec spec, task::parse_task(task.text, task.id.value()));
    return spec.model.zoo.empty() || task::begins_with_version(spec);
}

Result<graph::Graph> trained_graph(const control::TaskView& task, const std::string& skeleton) {
    DIVISI_ASSIGN(const task::TaskSpec spec, task::parse_task(task.text, task.id.value()));
    DIVISI_ASSIGN(const graph::Graph whole, task::load_model(spec, [&] {
                      return onnx::load_skeleton(std::as_bytes(std::span(skeleton)), spec.model.onnx);
                  }));
    DIVISI_ASSIGN(plan::BranchedModel trained, task::trained_model(spec, whole));
    return std::move(trained.graph);
}

Result<void> fetch_weights(const Fetching& fetching, const control::ClusterState& state, const Trained& trained,
                           graph::Graph& model) {
    const control::TaskView& task = *trained.task;
    DIVISI_ASSIGN(FilesOfTask files, FilesOfTask::open(fetching, state, task));
    DIVISI_ASSIGN(auto weights, trained_weights(files, trained));
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
            return make_error(error_text("weight-of-no-stage"), value);
        }
    }
    for (graph::Initializer& initializer : model.initializers) {
        initializer.offset.reset();
        initializer.random.reset();
    }
    files.forget_fetched();
    return {};
}

Result<void> export_trained(const Fetching& fetching, const control::ClusterState& state, const Trained& trained,
                            const std::string& skeleton, const std::filesystem::path& output) {
    DIVISI_ASSIGN(graph::Graph model, trained_graph(*trained.task, skeleton));
    DIVISI_TRY(fetch_weights(fetching, state, trained, model));
    return onnx::export_model(model, output);
}

Result<void> begin_with(const Fetching& fetching, const control::ClusterState& state,
                        const control::ModelVersion& version, const std::string& skeleton, TaskInput& input) {
    DIVISI_ASSIGN(const Trained trained, trained_of(state, version));
    DIVISI_ASSIGN(graph::Graph model, trained_graph(*trained.task, skeleton));
    DIVISI_TRY(task::check_start(input.spec, input.model, model, name_of(version)));  // before anything is fetched
    DIVISI_TRY(fetch_weights(fetching, state, trained, model));
    DIVISI_TRY(task::start_with(input.spec, input.model, model, name_of(version)));
    input.spec.model.from = std::to_string(version.number);
    input.has_start = true;
    DIVISI_ASSIGN(input.plan, task::compile(input.spec, input.model));
    return {};
}

}  // namespace divisi::submit
