// SPDX-License-Identifier: Apache-2.0
#include "backend/submit/submission.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <set>

#include "backend/control/state/needed_blobs.h"
#include "backend/link/sockets.h"
#include "backend/onnx/import.h"
#include "backend/onnx/skeleton.h"
#include "backend/store/blob_collection.h"
#include "backend/submit/error_texts.h"
#include "backend/task/data_files.h"
#include "backend/task/model_source.h"
#include "backend/task/sent_text.h"

namespace divisi::submit {
namespace {

/// Returns the task's data files on the client, by absolute path.
std::vector<task::DataFile> own_files(const task::TaskSpec& spec, const std::string& folder) {
    std::vector<task::DataFile> files = task::data_files(spec.data, spec.batch.labels);
    std::error_code code;
    std::string images;  // a folder of pictures needs no label file
    std::erase_if(files, [&](task::DataFile& file) {
        if (file.path.starts_with(task::node_prefix)) return true;
        file.path = task::resolve_path(folder, file.path);
        if (!file.derived) images = file.path;
        return file.derived && std::filesystem::is_directory(images, code);
    });
    return files;
}

Result<void> check_files(const task::TaskSpec& spec, const std::string& folder) {
    for (const task::DataFile& file : own_files(spec, folder)) {
        std::error_code code;
        if (std::filesystem::exists(file.path, code)) continue;
        return make_error(file.derived ? error_text("no-label-file") : error_text("no-data-file"),
                          "[data] " + file.purpose, {file.path});
    }
    return {};
}

/// Writes the weights to a blob store and puts the skeleton into `message`.
Result<void> add_model(const TaskInput& input, const std::filesystem::path& kept, control::SubmitTask& message) {
    DIVISI_ASSIGN(store::BlobStore blobs, store::BlobStore::open(kept));
    static std::atomic<int> number = 0;
    const auto file = kept / ("weights-" + std::to_string(::getpid()) + "-" + std::to_string(++number));
    DIVISI_ASSIGN(const graph::Graph placed, onnx::place_weights(input.model, file));
    DIVISI_ASSIGN(message.skeleton, onnx::encode_skeleton(placed));
    std::error_code code;
    if (!std::filesystem::exists(file, code)) return {};  // the skeleton contains the whole model
    const auto size = static_cast<Bytes>(std::filesystem::file_size(file, code));
    const auto hash = blobs.adopt(file);
    std::filesystem::remove(file, code);
    if (!hash) return hash.error();
    DIVISI_ASSIGN(const auto path, blobs.path_of(*hash));
    message.files.push_back({"weights", path.string(), "", size, false});
    return {};
}

}  // namespace

Result<graph::Graph> read_model(const task::TaskSpec& spec, const std::string& folder) {
    DIVISI_TRY(check_files(spec, folder));
    task::TaskSpec plain = spec;
    if (task::begins_with_version(spec)) plain.model.from.clear();
    return task::load_model(plain, [&] {
        onnx::ImportOptions import;
        import.frozen = spec.model.frozen;
        import.infer_shapes = false;
        return onnx::import_model(task::resolve_path(folder, spec.model.onnx), import);
    });
}

Result<TaskInput> load_task(task::TaskSpec spec, const std::string& folder, const task::CompileOptions& options) {
    TaskInput input;
    input.spec = std::move(spec);
    input.folder = folder;
    DIVISI_ASSIGN(input.model, read_model(input.spec, folder));
    DIVISI_ASSIGN(input.plan, task::compile(input.spec, input.model, options));
    return input;
}

bool nodes_share_files(const link::Connection& connection, const control::ClusterState& state) {
    if (!link::is_ipc(connection.endpoint)) return false;
    return std::all_of(state.nodes.begin(), state.nodes.end(), [](const auto& entry) {
        return entry.second.state != control::NodeState::ready || link::is_ipc(entry.second.info.blob_endpoint);
    });
}

Result<Submission> make_submission(const TaskInput& input, const std::filesystem::path& kept, bool files_are_shared) {
    if (task::begins_with_version(input.spec) && !input.has_start)
        return make_error(error_text("weights-not-brought"), "model.from", {input.spec.model.from});
    Submission submission;
    control::SubmitTask& message = submission.message;
    // Send the compiled plan: it is compiled once, for the nodes that the client sees, instead of once by every
    // instance.
    DIVISI_ASSIGN(message.text, task::sent_text(input.plan));
    message.folder = input.folder;
    const char* user = std::getenv("USER");
    message.submitted_by = user ? user : "uid " + std::to_string(::getuid());
    if (input.spec.model.zoo.empty() || input.has_start) DIVISI_TRY(add_model(input, kept, message));
    if (files_are_shared) return submission;
    for (const task::DataFile& file : own_files(input.spec, input.folder))
        message.files.push_back({file.purpose, file.path, "", 0, false});
    for (control::FileRef& file : message.files) {
        DIVISI_ASSIGN(store::BlobSource source, store::BlobSource::open(file.path));
        file.hash = source.manifest().hash;
        file.size = source.manifest().size;
        file.folder = source.is_folder();
        submission.blobs.push_back(std::move(source));
    }
    return submission;
}

void forget_kept(const std::filesystem::path& kept, const control::ClusterState& state, TimePoint now) {
    std::error_code code;
    if (!std::filesystem::exists(kept, code)) return;
    auto blobs = store::BlobStore::open(kept);
    if (!blobs) return;
    const store::BlobLimits limits;
    const std::vector<store::BlobUse> all = blobs->list();
    const std::vector<std::string> asked = store::blobs_to_ask_about(all, limits, now);
    std::set<std::string> may_go(asked.begin(), asked.end());
    for (const std::string& hash : control::needed_blobs(state, asked)) may_go.erase(hash);
    for (const std::string& hash : store::blobs_to_remove(all, may_go, limits, now)) (void)blobs->remove(hash);
}

}  // namespace divisi::submit
