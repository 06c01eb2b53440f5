// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "backend/control/state/state.h"
#include "backend/control/types/module_types.h"
#include "backend/control/types/recut_advice.h"

namespace divisi::control::inline protocol {

// What makes the adviser look for other cuts of a task ahead of its time.

struct RecutCause {
    std::string key;   ///< the same for what only comes again
    std::string text;  ///< "mg-1 hears nothing from sr-1"
};

/// A cause that comes again makes nobody look again before this.
inline constexpr Duration cause_quiet = std::chrono::minutes(5);
/// Between two looks at a task, whatever their causes.
inline constexpr Duration cause_pause = std::chrono::seconds(10);
/// That are remembered of a task; while there are so many, others are left out. And that one look names.
inline constexpr std::size_t most_quiet_causes = 64, most_named_causes = 3;

/// Causes to look at one task. Times are lived.
class RecutCauses {
public:
    /// Unless it was told less than `cause_quiet` ago.
    void add(const RecutCause& cause, TimePoint now);
    bool empty() const { return open_.empty(); }
    /// All that were added since, as one text.
    std::string take();
    /// They are of before. What was told stays told.
    void forget() { open_.clear(); }

private:
    std::vector<std::string> open_;
    std::map<std::string, TimePoint> quiet_;  ///< until when, by key
};

/// Those that hold where tensors of the task go and change how fast they get there: shares, windows and rates. Their
/// values do not matter.
std::vector<PolicyEntry> concerning(const ClusterState& state, const TaskView& task,
                                    const std::vector<PolicyEntry>& entries);
/// Whether what a module advises is likewise; of a node, whether the task has an instance there.
bool concerns(const ClusterState& state, const TaskView& task, const Advice& advice);
/// Entries that this version has and the one before has not, or the other way round. The state knows this one,
/// and where it has forgotten the one before, an older one counts.
std::vector<PolicyEntry> changed_entries(const ClusterState& state, const PolicyVersion& policy);
/// The cause in a version of the policy that has changed this entry.
RecutCause cause_of(const PolicyVersion& policy, const PolicyEntry& entry);
RecutCause cause_of(const std::string& module, const Advice& advice);

// The cause stands in RecutAdvice::why behind the verdict.

std::string with_cause(const std::string& verdict, const std::string& cause);
/// RecutAdvice::why without the cause, and the cause; empty where nothing made the adviser look.
std::string verdict_of(const RecutAdvice& advice);
std::string cause_of(const RecutAdvice& advice);

}  // namespace divisi::control::inline protocol
