// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/keeping/segment_cache.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "agents/instance/engine/unit_setup.h"
#include "agents/instance/keeping/files.h"
#include "agents/instance/keeping/snapshot_file.h"

namespace divisi::instance {

std::unique_ptr<segment::Executor> SegmentCache::take_loaded(const control::Deploy& deploy,
                                                             const task::CompiledPlan& plan, const SegmentKey& key) {
    auto batch = std::exchange(batch_, std::nullopt);
    if (batch && !key.group.empty() && batch->key == key) return std::move(batch->executor);
    if (trained_ && (deploy.stage < 0 || !trained_->is_begun_with(deploy, plan))) trained_.reset();
    if (!trained_ || !trained_->is(segment_config(plan, deploy.stage))) return nullptr;
    auto executor = std::move(trained_->executor);
    trained_.reset();
    return executor;
}

Result<Snapshots::Tensors> SegmentCache::take_state(control::Restore& rest) {
    auto trained = std::exchange(trained_, std::nullopt);
    if (!trained) return Snapshots::Tensors();
    DIVISI_ASSIGN(auto state, trained->executor->state());
    std::erase(rest.hashes, trained->snapshot);
    return named_state(*trained->config.graph, std::move(state));
}

SegmentKey segment_key(const control::Deploy& deploy, const task::CompiledPlan& plan,
                       const std::filesystem::path& blobs) {
    SegmentKey key{task::group_hash(plan), deploy.skeleton, "", deploy.stage};
    const bool apart = std::ranges::any_of(deploy.files, [](const auto& file) { return file.purpose == "weights"; });
    // A task's weights file is uploaded only to nodes whose stages read weights from it. On other nodes, the key names
    // no file.
    if (!apart) return key;
    if (auto file = local_path(deploy, blobs, "weights", ""); file) key.weights = std::move(*file);
    return key;
}

}  // namespace divisi::instance
