// SPDX-License-Identifier: Apache-2.0
#include "backend/submit/results.h"

#include <unistd.h>

#include "backend/store/blob_hash.h"
#include "backend/submit/error_texts.h"

namespace divisi::submit {
namespace {

/// Copies a file to a temporary name first, so that the target is always complete.
Result<void> copy_whole(const std::filesystem::path& from, const std::filesystem::path& to) {
    const std::filesystem::path part = to.string() + ".part-" + std::to_string(::getpid());
    std::error_code code;
    std::filesystem::copy_file(from, part, std::filesystem::copy_options::overwrite_existing, code);
    if (!code) std::filesystem::rename(part, to, code);
    if (!code) return {};
    const std::string why = code.message();
    std::filesystem::remove(part, code);
    return make_error(error_text("results-cannot-be-written"), to.string(), {why});
}

bool is_here(const control::WeightsStored& stored) {
    std::error_code code;
    if (!std::filesystem::exists(stored.path, code)) return false;
    const auto found = store::file_hash(stored.path);
    return found.ok() && *found == stored.hash;
}

}  // namespace

const control::WeightsStored* results_of(const control::TaskView& task) {
    return task.weights.empty() || !task.weights.front().results ? nullptr : &task.weights.front();
}

Result<void> save_results(const ClientIdentity& identity, const control::ClusterState& state, const TaskId& id,
                          const std::filesystem::path& store_folder, const std::filesystem::path& output,
                          const std::atomic<bool>& cancelled) {
    const auto task = state.tasks.find(id);
    const control::WeightsStored* stored = task == state.tasks.end() ? nullptr : results_of(task->second);
    if (!stored) return make_error(error_text("task-without-results"), id.value());
    if (is_here(*stored)) return copy_whole(stored->path, output);
    const auto holder = state.instances.find(stored->instance);
    const auto node = holder == state.instances.end() ? state.nodes.end() : state.nodes.find(holder->second.node);
    if (node == state.nodes.end()) return make_error(error_text("results-node-not-known"), id.value());
    DIVISI_ASSIGN(auto store, store::BlobStore::open(store_folder));
    DIVISI_ASSIGN(const auto file, fetch(identity, node->second.info, stored->hash, store, cancelled));
    auto copied = copy_whole(file, output);
    (void)store.remove(stored->hash);
    return copied;
}

}  // namespace divisi::submit
