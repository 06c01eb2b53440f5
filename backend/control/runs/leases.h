// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backend/control/core/orchestrator_context.h"
#include "backend/control/types/receipt.h"

namespace divisi::control::inline runs {

/// The computation management node of draft-li. Grants a lease to each placed instance, and writes one receipt when the
/// instance's resources are free on its node again. The state records the granted leases. This class keeps the
/// consumption that nodes report, and logs it periodically.
///
/// If a task ends while its consumer has another task in the queue, the leases stay open until the queue has assigned
/// the nodes (settle()). If the same consumer gets the node on the same terms, the next instance takes over the lease.
class Leases {
public:
    explicit Leases(OrchestratorContext& context) : context_(context) {}

    /// Sets the signer of receipts. Without a signer (only in tests of other features), receipts are not signed. Call
    /// before adopt().
    void seal(ReceiptSeal seal) { seal_ = std::move(seal); }
    /// After a restart: starts the lease expiry time, within which nodes must return.
    void adopt();

    /// Grants a lease, or takes over an open lease of the same consumer on the node.
    void grant(const InstanceId& instance, const LeaseTerms& terms);
    /// Grants a lease to another incarnation, on the same terms. Does nothing if the previous incarnation had no lease.
    void grant_again(const InstanceId& before, const InstanceId& instance);
    /// Records that the instance's device begins to work. `by`: the gateway that wrote the lease into the first data;
    /// empty: the orchestrator activated it.
    void activate(const InstanceId& instance, const std::string& by = {});
    /// Returns the lease held by an instance's process. Returns null if the instance has no lease, or if its receipt is
    /// already written.
    const Lease* held_by(const InstanceId& instance) const;
    /// Finishes a lease because the task no longer needs it. Keeps the reason of the first call.
    void finish(const InstanceId& instance, const std::string& reason);
    /// Handles a node's report that the process is gone; `how` says how the process ended.
    void exited(const Received& received, const InstanceExited& message, const std::string& how);
    void loaded(const InstanceLoad& load);
    /// Ends the leases that no instance took over. Called after the queue has assigned the free nodes.
    void settle();

    /// Handles the return of a node: leases of instances that the node no longer runs are reclaimed.
    void node_joined(const NodeId& node, const std::vector<InstanceId>& running);
    void node_reported(const NodeReport& report);
    /// Handles the loss of a node's connection. The node's leases expire if the node stays away.
    void node_away(const NodeId& node);
    /// Handles the end of a node's agent. Reclaims the node's leases, since no process can report them any more.
    void node_gone(const NodeId& node);

    void check_deadlines();
    std::optional<TimePoint> next_deadline() const;  ///< time of the next expiry, in lived time
    void follow(const Event& event);

private:
    /// The figures reported for one lease.
    struct Figures {
        Usage usage;
        TimePoint measured{};
        TimePoint recorded{};  ///< time at which the figures were last logged, in lived time
    };

    const LeaseView* lease_of(const InstanceId& instance) const;
    std::vector<InstanceId> leased_on(const NodeId& node) const;
    void open(const LeaseView& view);
    void measured(const InstanceId& instance, const Usage& usage);
    void record(const InstanceId& instance);
    bool may_go_on(const Lease& lease) const;
    std::optional<InstanceId> left_for(const Lease& wanted) const;
    /// Writes the receipt of a share. `successor`: the instance that takes the lease over; empty: the lease ends.
    void reclaim(const InstanceId& instance, const std::string& how, bool presumed, const InstanceId& successor = {});

    OrchestratorContext& context_;
    ReceiptSeal seal_;
    std::map<InstanceId, std::uint64_t> open_;  ///< open leases, by the instance that holds the lease
    std::map<NodeId, std::set<InstanceId>> on_node_;
    std::map<InstanceId, Figures> figures_;  ///< figures of open leases
    std::map<NodeId, TimePoint> expiries_;   ///< expiry of the leases on disconnected nodes, in lived time
    /// Leases whose process has ended, and the reason, kept until the queue has assigned the free nodes. Empty after a
    /// restart: these leases are then reclaimed when their node is back.
    std::map<InstanceId, std::string> left_;
};

}  // namespace divisi::control::inline runs
