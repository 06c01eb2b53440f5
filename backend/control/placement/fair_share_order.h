// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "backend/control/state/state.h"

namespace divisi::control::inline placement {

/// Yields the tasks that wait for nodes in the order of the cluster's discipline (QueueRules). With `share`, the order
/// depends on the nodes already given to tasks, as reported with give(). The state must outlive this object.
class FairShareOrder {
public:
    FairShareOrder(const ClusterState& state, TimePoint now);

    /// Returns the next task; null if no task is left.
    const TaskView* next();
    /// Records that the last task returned by next() got this many nodes, or that this many nodes are kept free for it.
    void give(const TaskView& task, std::size_t nodes);

private:
    /// The queued tasks of one submitter, or of all submitters if the discipline ignores submitters.
    struct Line {
        std::vector<const TaskView*> tasks;
        std::size_t at = 0;
        double behind = 0;     ///< virtual time plus the expected remaining time of the running tasks
        double node_cost = 1;  ///< increase of `behind` for each node given
    };
    /// The submitter with the lowest `behind` comes first; among equals, the one with the oldest task.
    using Rank = std::tuple<double, std::uint64_t, std::string>;

    void line_up(const std::string& name);

    const ClusterState& state_;
    std::map<std::string, Line> lines_;
    std::set<Rank> order_;
    std::string last_;      ///< line of the last task returned
    bool waiting_ = false;  ///< whether that line must still be put back into `order_`
};

}  // namespace divisi::control::inline placement
