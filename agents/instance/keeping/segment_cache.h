// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "agents/instance/keeping/kept_segment.h"
#include "agents/instance/keeping/snapshots.h"

namespace divisi::instance {

/// The segments that the previous instance of a process left in memory. Not thread-safe.
class SegmentCache {
public:
    SegmentCache(std::optional<KeptSegment> batch, std::optional<TrainedSegment> trained)
        : batch_(std::move(batch)), trained_(std::move(trained)) {}

    /// Returns the loaded segment that a deployment can reuse unchanged; null if a segment must be loaded. For a
    /// training task, no state needs to be restored in this case. `key` identifies the segment of a batch task.
    std::unique_ptr<segment::Executor> take_loaded(const control::Deploy& deploy, const task::CompiledPlan& plan,
                                                   const SegmentKey& key);
    /// Returns the state in memory of a segment with other cuts, so that it need not be read from a file. Removes its
    /// snapshot from `rest`.
    Result<Snapshots::Tensors> take_state(control::Restore& rest);

private:
    std::optional<KeptSegment> batch_;
    std::optional<TrainedSegment> trained_;
};

/// Returns the key of the segment that a deployment loads. `blobs`: the node's blob store.
SegmentKey segment_key(const control::Deploy& deploy, const task::CompiledPlan& plan,
                       const std::filesystem::path& blobs);

}  // namespace divisi::instance
