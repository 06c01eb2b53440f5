// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "backend/control/core/desk.h"
#include "backend/control/network/mesh_devices.h"
#include "backend/control/policy/path_balance.h"
#include "backend/control/queue/models.h"
#include "backend/control/types/note_limiter.h"
#include "backend/control/types/policy_settings.h"

namespace divisi::control::inline policy {

/// Entries about the SIDs of a task that is over, or a module's switch for it, say nothing any more.
void drop_ended(std::vector<PolicyEntry>& entries, const ClusterState& state);

/// Authors of versions that functional modules have advised: this, and the module's name.
inline constexpr const char* module_authors = "module ";

/// Policies of the service mesh orchestrator (SMO): which version there is, which device goes by it, and what the
/// quality that devices report (signaling type 5) makes of it. Versions are durable; who has applied what is not,
/// since devices are told again when they register.
class Policies {
public:
    Policies(Desk& desk, MeshDevices& devices, const Models& models)
        : desk_(desk), devices_(devices), models_(models) {}

    /// What the cluster file sets. Before adopt().
    void state(std::vector<PolicySetting> settings) { stated_ = std::move(settings); }
    /// Before the first message: a file that says something else than when it was adopted last makes a version. What
    /// it no longer says is taken back, where nobody else has set it since.
    void adopt();
    void handle(const Received& received, const SetPolicies& message);
    void handle(const Received& received, const TryPolicies& message);
    void handle(const Received& received, const RollBackPolicies& message);
    void handle(const Received& received, const QueryPolicies& message);
    void handle(const Received& received, const PolicyAnswer& message);
    void handle(const Received& received, const AbnormalState& message);

    /// After each input: tells devices that have registered, and weighs what has been reported.
    void look();

    /// An abnormal state that is logged, where tensors of a task went.
    struct Degraded {
        TaskId task;
        std::string ends;  ///< of the link, the same from both sides
        std::string what;
    };
    /// Since the last call.
    std::vector<Degraded> take_degraded() { return std::exchange(degraded_, {}); }

    // What functional modules advise (policy_advice.cpp).
    struct Taken {
        std::uint64_t version = 0;           ///< of the policy; 0: it was so already
        std::string change;                  ///< "share:mg-1:mg-2=40 (was 100)"
        std::optional<std::int64_t> before;  ///< the entry's value, if there was one
    };
    /// Sets one entry in a module's name. Refused: what is beyond the policy's bounds, ends that are not there, and
    /// what an operator has set or the orchestrator itself has moved.
    Result<Taken> take_advice(const PolicyEntry& entry, const std::string& author, const std::string& reason);
    /// Puts the value of before back, where the advised one is still in force by this author; the change, if so.
    std::optional<Taken> take_back(const PolicyEntry& entry, std::optional<std::int64_t> before,
                                   const std::string& author, const std::string& reason);
    /// Whether the module may advise, without a task about anything.
    bool module_is_on(const std::string& module, const TaskId& task = {}) const;
    /// Tasks for which it is off, by policy.
    std::vector<TaskId> without(const std::string& module) const;
    /// Percent of the tensors that go by the first path from one gateway to another.
    int share_of(const std::string& from, const std::string& to) const;

private:
    /// Until the next change.
    const PolicyVersion& current() const;
    /// The entries that settings would make of those in force, and how that is logged.
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
        std::uint64_t told = 0;  ///< the last version
        std::uint64_t applied = 0, refused = 0;
        std::string reason;
        std::uint64_t latest() const { return std::max(applied, refused); }
    };
    Desk& desk_;
    MeshDevices& devices_;
    const Models& models_;
    std::vector<PolicySetting> stated_;
    std::map<std::string, Answered> answered_;
    std::map<std::pair<std::string, std::string>, PathBalance> balances_;  ///< by gateways, from and to
    std::map<std::string, std::uint64_t> periods_;                         ///< weighed last, by device
    std::map<std::string, NoteLimiter> refusals_;                          ///< by device, while not idle
    /// By device and neighbour, so that a link that flaps hides no other one; "" are those that are not there.
    std::map<std::pair<std::string, std::string>, NoteLimiter> abnormal_;
    std::vector<Degraded> degraded_;
};

}  // namespace divisi::control::inline policy
