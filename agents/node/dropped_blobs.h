// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "backend/base/clock.h"

namespace divisi::node {

/// What the orchestrator has named as needed no more (DropBlobs), until it has confirmed it. An instance may store the
/// same bytes for another task just then: the word of that reaches the orchestrator before it is asked, and the store
/// spares what was used since it was named.
class DroppedBlobs {
public:
    /// Those beyond the limit of one question (store::most_asked_blobs) are left to the collection of old blobs.
    void name(const std::vector<std::string>& hashes, TimePoint now);
    /// Those to ask about.
    std::vector<std::string> named() const;
    /// Of those that were asked about at `asked_at`, what goes, with when it was named last. What was named again since
    /// is asked about again.
    std::map<std::string, TimePoint> confirm(const std::vector<std::string>& asked,
                                             const std::vector<std::string>& needed, TimePoint asked_at);

private:
    std::map<std::string, TimePoint> named_;  ///< and when last
};

}  // namespace divisi::node
