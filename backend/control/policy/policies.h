// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "backend/control/core/orchestrator_context.h"
#include "backend/control/network/mesh_devices.h"
#include "backend/control/policy/path_balance.h"
#include "backend/control/queue/models.h"
#include "backend/control/types/note_limiter.h"
#include "backend/control/types/policy_settings.h"

namespace divisi::control::inline policy {

/// Removes obsolete entries: entries about SIDs of a task that has ended, and entries that switch a module on or off
/// for such a task.
void drop_ended(std::vector<PolicyEntry>& entries, const ClusterState& state);

/// Prefix of the author of versions advised by functional modules; the module's name follows.
inline constexpr const char* module_authors = "module ";

/// Manages the policy of the service mesh orchestrator (SMO): its versions, and the version that each device applies.
/// Reacts to the quality that devices report (signaling type 5). Versions are durable. The record of versions that
/// devices have applied is not durable, since devices get the policy again when they register.
class Policies {
public:
    Policies(OrchestratorContext& context, MeshDevices& devices, const Models& models)
        : context_(context), devices_(devices), models_(models) {}

    /// Sets the policies of the cluster file. Call before adopt().
    void state(std::vector<PolicySetting> settings) { stated_ = std::move(settings); }
    /// Makes a new version if the cluster file differs from the cluster file that was adopted last. Reverts settings
    /// that the file no longer contains, unless somebody else has set them since. Call before the first message.
    void adopt();
    void handle(const Received& received, const SetPolicies& message);
    void handle(const Received& received, const TryPolicies& message);
    void handle(const Received& received, const RollBackPolicies& message);
    void handle(const Received& received, const QueryPolicies& message);
    void handle(const Received& received, const PolicyAnswer& message);
    void handle(const Received& received, const AbnormalState& message);

    /// Sends the policy to newly registered devices, and evaluates new reports. Call after each input.
    void poll();

    /// A logged abnormal state on a link that carried tensors of a task.
    struct Degraded {
        TaskId task;
        std::string ends;  ///< names of the link's ends, the same from both sides
        std::string what;
    };
    /// Returns the degraded paths since the last call.
    std::vector<Degraded> take_degraded() { return std::exchange(degraded_, {}); }

    // Advice of functional modules (policy_advice.cpp).
    struct Taken {
        std::uint64_t version = 0;           ///< version of the policy; 0: the value was already set
        std::string change;                  ///< the change as text: "share:mg-1:mg-2=40 (was 100)"
        std::optional<std::int64_t> before;  ///< the earlier value of the entry, if there was one
    };
    /// Sets one entry in a module's name. Refuses values beyond the policy's bounds and ends that do not exist. Refuses
    /// entries that an operator has set or the orchestrator itself has moved.
    Result<Taken> take_advice(const PolicyEntry& entry, const std::string& author, const std::string& reason);
    /// Restores the value from before the advice, if this author's value is still in force. Returns the change, if any.
    std::optional<Taken> take_back(const PolicyEntry& entry, std::optional<std::int64_t> before,
                                   const std::string& author, const std::string& reason);
    /// Returns whether the module may advise on this task, or on anything if no task is given.
    bool module_is_on(const std::string& module, const TaskId& task = {}) const;
    /// Returns the tasks for which policy switches the module off.
    std::vector<TaskId> without(const std::string& module) const;
    /// Returns the percentage of tensors on the first path from one gateway to another.
    int share_of(const std::string& from, const std::string& to) const;

private:
    /// Returns the version in force. The reference is valid until the next change.
    const PolicyVersion& current() const;
    /// The result of applying settings to the current entries, and its text for the log.
    struct Change {
        std::vector<PolicyEntry> entries;
        std::string text;
    };
    Result<Change> change_by(const std::vector<std::string>& settings) const;
    Result<void> check_ends(const PolicyEntry& entry) const;
    Result<void> check_device(const PolicyEntry& entry) const;
    Result<void> check_sender(const PolicyEntry& entry) const;
    bool may_change(PeerId peer, const std::vector<PolicyEntry>& to) const;
    void refuse_orders(const Received& received);
    Result<void> check_window(const PolicyEntry& entry) const;
    std::uint64_t enact(std::vector<PolicyEntry> entries, std::string author, std::string change, std::string reason);
    void tell(const std::string& device, const PolicyVersion& policy);
    void weigh(const std::string& device);
    void forget(const std::string& device);
    void note_refusal(const std::string& line);
    void start_anew(PathBalance& balance, const std::string& from, const std::string& to) const;
    void move(const std::string& from, const std::string& to, const ShareMove& move);
    std::string author_of(const PolicyEntry& entry) const;
    Taken set_by_advice(const PolicySetting& setting, const std::string& author, const std::string& reason);

    struct Answered {
        std::uint64_t told = 0;  ///< last version that was sent to the device
        std::uint64_t applied = 0, refused = 0;
        std::string reason;
        std::uint64_t latest() const { return std::max(applied, refused); }
    };
    OrchestratorContext& context_;
    MeshDevices& devices_;
    const Models& models_;
    std::vector<PolicySetting> stated_;
    std::map<std::string, Answered> answered_;
    /// balance of each pair of gateways, by source and destination
    std::map<std::pair<std::string, std::string>, PathBalance> balances_;
    std::map<std::string, std::uint64_t> periods_;  ///< period that was evaluated last, by device
    std::map<std::string, NoteLimiter> refusals_;   ///< limiters of refusals, by device; idle limiters are removed
    /// Limiters by device and neighbour ("": unknown), so that a flapping link does not hide other links.
    std::map<std::pair<std::string, std::string>, NoteLimiter> abnormal_;
    std::vector<Degraded> degraded_;
};

}  // namespace divisi::control::inline policy
