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

/// The tasks that wait for nodes, one after the other as the cluster's discipline has it (QueueRules). With `share`
/// whose turn it is depends on what was given before: give() says what a task got. The state outlives it.
class Turns {
public:
    Turns(const ClusterState& state, TimePoint now);

    /// Null when there is none left.
    const TaskView* next();
    /// The task that next() returned last got so many nodes, or keeps them free for itself.
    void give(const TaskView& task, std::size_t nodes);

private:
    /// Of one submitter, or of all where submitters do not matter.
    struct Line {
        std::vector<const TaskView*> tasks;
        std::size_t at = 0;
        double behind = 0;     ///< virtual time, with what its tasks are expected to take at least
        double node_cost = 1;  ///< what a node adds to it
    };
    /// Who is furthest behind comes first, of equals whose task came first.
    using Rank = std::tuple<double, std::uint64_t, std::string>;

    void line_up(const std::string& name);

    const ClusterState& state_;
    std::map<std::string, Line> lines_;
    std::set<Rank> order_;
    std::string last_;      ///< the line that the last task stood in
    bool waiting_ = false;  ///< it is not lined up again yet
};

}  // namespace divisi::control::inline placement
