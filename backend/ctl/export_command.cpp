// SPDX-License-Identifier: Apache-2.0
// divisictl model export: a trained model as ONNX, its weights fetched from the nodes that hold them.
#include <cstdio>
#include <map>

#include "backend/control/json_lines.h"
#include "backend/ctl/commands.h"
#include "backend/ctl/terminal.h"
#include "backend/onnx/export.h"
#include "backend/onnx/skeleton.h"
#include "backend/store/blob_hash.h"
#include "backend/store/tensor_file.h"
#include "backend/submit/transfers.h"
#include "backend/task/model_source.h"
#include "backend/task/parse.h"
#include "backend/task/validate.h"

namespace divisi::ctl {
namespace {

bool is_trained(const control::TaskView& task) { return task.weights.size() >= task.cuts.size() + 1; }

/// The newest task of that id or name that has weights.
Result<const control::TaskView*> find_trained(const control::ClusterState& state, const std::string& name) {
    const control::TaskView* best = nullptr;
    for (const auto& [id, task] : state.tasks) {
        if (id.value() != name && task.name != name) continue;
        const auto rank = [](const control::TaskView& one) { return std::pair(is_trained(one), one.submitted); };
        if (!best || rank(task) > rank(*best)) best = &task;
    }
    if (!best) return Error{ErrorCode::not_found, "no such task", name, "list them with 'divisictl tasks'"};
    if (!is_trained(*best))
        return Error{ErrorCode::conflict, "the task has no trained weights of all its stages", best->id.value(),
                     "weights are stored when a task ends with success"};
    return best;
}

/// Files by content: read in place where they lie on this machine, else fetched, and removed at the end.
class Files {
public:
    static Result<Files> open(Session& session, const control::ClusterState& state, const control::TaskView& task) {
        DIVISI_ASSIGN(auto store, store::BlobStore::open(embed::default_data_folder() / "fetched"));
        return Files(session, state, task, std::move(store));
    }

    /// `holder`: the instance whose node has it; empty: any of the task's that may.
    Result<std::filesystem::path> get(const std::string& path, const std::string& hash, const InstanceId& holder) {
        std::error_code code;
        if (std::filesystem::exists(path, code)) {
            if (hash.empty()) return std::filesystem::path(path);
            if (const auto found = store::file_hash(path); found.ok() && *found == hash)
                return std::filesystem::path(path);
        }
        Error error{ErrorCode::not_found, "the file is not on this machine, and no node is known to hold it", path,
                    "run the export where the task was submitted"};
        if (hash.empty()) return error;
        for (const auto& [id, instance] : state_.instances) {
            if (instance.task != task_.id || (!holder.value().empty() && id != holder)) continue;
            const auto fetched = fetch_from(instance.node, hash);
            if (fetched.ok()) return fetched;
            error = fetched.error();
        }
        return error;
    }
    void forget_fetched() {
        for (const std::string& hash : fetched_) (void)store_.remove(hash);
    }

private:
    Files(Session& session, const control::ClusterState& state, const control::TaskView& task, store::BlobStore store)
        : session_(session), state_(state), task_(task), store_(std::move(store)) {}

    Result<std::filesystem::path> fetch_from(const NodeId& node, const std::string& hash) {
        std::optional<Result<std::filesystem::path>> path;
        std::atomic<bool> cancelled = false;
        session_.beside(
            [&] {
                path = submit::fetch({session_.context(), session_.keys()}, state_.nodes.at(node).info, hash, store_,
                                     cancelled);
            },
            [&] { cancelled = true; });
        if (path->ok()) fetched_.push_back(hash);
        return std::move(*path);
    }

    Session& session_;
    const control::ClusterState& state_;
    const control::TaskView& task_;
    store::BlobStore store_;
    std::vector<std::string> fetched_;
};

Result<graph::Graph> load_skeleton(Session& session, const control::TaskView& task, const task::TaskSpec& spec) {
    return task::load_model(spec, [&]() -> Result<graph::Graph> {
        DIVISI_ASSIGN(const auto skeleton, session.ask<control::SkeletonData>(control::FetchSkeleton{task.id}));
        return onnx::load_skeleton(std::as_bytes(std::span(skeleton.bytes)), spec.model.onnx);
    });
}

Result<void> export_task(Session& session, const std::string& name, const std::string& output) {
    DIVISI_ASSIGN(const control::ClusterState state, session.snapshot());
    DIVISI_ASSIGN(const control::TaskView* task, find_trained(state, name));
    DIVISI_ASSIGN(Files files, Files::open(session, state, *task));
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

}  // namespace

int model_export(const Common& common, const std::string& task, const std::string& output) {
    // Whoever may train models may take them home.
    auto session = open_session(common, control::Role::operate);
    if (!session) return print_error(session.error());
    if (auto done = export_task(**session, task, output); !done) return print_error(done.error());
    if (common.json) std::printf("{\"file\":%s}\n", control::quoted(output).c_str());
    else std::printf("wrote %s\n", output.c_str());
    return 0;
}

}  // namespace divisi::ctl
