// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "backend/control/state/state.h"
#include "backend/control/types/module_types.h"
#include "backend/control/types/recut_advice.h"

namespace divisi::control::inline protocol {

// Causes for the adviser to search for new cuts before a task's next search is due.

struct RecutCause {
    std::string key;   ///< name of the cause, equal for its repetitions
    std::string text;  ///< description for the log, such as "mg-1 hears nothing from sr-1"
};

/// Time for which a repeated cause is ignored.
inline constexpr Duration cause_quiet = std::chrono::minutes(5);
/// Minimum time between two searches for a task, regardless of their causes.
inline constexpr Duration cause_pause = std::chrono::seconds(10);
/// Maximum number of causes remembered for a task (further ones are dropped), and of causes named by one search.
inline constexpr std::size_t most_quiet_causes = 64, most_named_causes = 3;

/// Collects the causes to search for new cuts of one task. Times are in lived time.
class RecutCauses {
public:
    /// Adds a cause, unless it was added less than `cause_quiet` ago.
    void add(const RecutCause& cause, TimePoint now);
    bool empty() const { return open_.empty(); }
    /// Returns all causes added since the last call, as one text.
    std::string take();
    /// Drops the open causes, since they concern the old plan. The quiet times are kept.
    void forget() { open_.clear(); }

private:
    std::vector<std::string> open_;
    std::map<std::string, TimePoint> quiet_;  ///< end of the quiet time, by key
};

/// Returns the entries that affect how fast tensors of the task travel on their paths: shares, windows and rates,
/// whatever their values.
std::vector<PolicyEntry> concerning(const ClusterState& state, const TaskView& task,
                                    const std::vector<PolicyEntry>& entries);
/// Returns whether a module's advice concerns the task: a path of its tensors, or a node with one of its instances.
bool concerns(const ClusterState& state, const TaskView& task, const Advice& advice);
/// Returns the entries that were added, removed or changed in this version. `state` must contain this version. If the
/// previous version is forgotten, compares with the next older version.
std::vector<PolicyEntry> changed_entries(const ClusterState& state, const PolicyVersion& policy);
/// Returns the cause that results if a policy version changes this entry.
RecutCause cause_of(const PolicyVersion& policy, const PolicyEntry& entry);
RecutCause cause_of(const std::string& module, const Advice& advice);

/// Returns the text of RecutAdvice::why: the verdict, then the cause of the search. `cause`: empty if the search was
/// due by time.
std::string with_cause(const std::string& verdict, const std::string& cause);
/// Returns the verdict and the cause in RecutAdvice::why. The cause is empty if the search was due by time.
std::string verdict_of(const RecutAdvice& advice);
std::string cause_of(const RecutAdvice& advice);

}  // namespace divisi::control::inline protocol
