// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backend/control/core/desk.h"
#include "backend/control/types/receipt.h"

namespace divisi::control::inline runs {

/// The computation management node of draft-li: grants each instance that is placed a lease, and writes one receipt
/// when its node has the place back. What is granted is in the state; what the nodes report meanwhile is known here,
/// and made durable now and then.
///
/// When a task ends while its consumer has another in the queue, its leases stay open until the queue has decided who
/// gets the nodes (settle()). Where it is the same consumer, on the same terms, the next instance takes the lease over.
class Leases {
public:
    explicit Leases(Desk& desk) : desk_(desk) {}

    /// What signs receipts; without it (in tests of other things) they are not signed. Before adopt().
    void seal(ReceiptSeal seal) { seal_ = std::move(seal); }
    /// After a restart: nodes have the time until a lease expires to come back.
    void adopt();

    /// Or lets it take over a lease of the same consumer that is left on its node.
    void grant(const InstanceId& instance, const LeaseTerms& terms);
    /// To another incarnation, on the terms of the one before; where that had no lease, it gets none.
    void grant_again(const InstanceId& before, const InstanceId& instance);
    /// Its device begins to work. `by`: the gateway that said so with its first data; empty: the orchestrator did.
    void activate(const InstanceId& instance, const std::string& by = {});
    /// Who plays an instance holds this lease; null where it has none, or its node has the place back.
    const Lease* held_by(const InstanceId& instance) const;
    /// The task needs it no longer. Only the first reason counts.
    void finish(const InstanceId& instance, const std::string& reason);
    /// The node of the sender says that the process is gone, and `how`.
    void exited(const Received& received, const InstanceExited& message, const std::string& how);
    void loaded(const InstanceLoad& load);
    /// The queue has given out what is free: leases that nobody took over are over.
    void settle();

    /// A node is here again: what it does not run, it has back.
    void node_joined(const NodeId& node, const std::vector<InstanceId>& running);
    void node_reported(const NodeReport& report);
    /// It is not connected. Its leases expire if that lasts.
    void node_away(const NodeId& node);
    /// Its agent has ended, and nobody comes back to say what became of them.
    void node_gone(const NodeId& node);

    void check_deadlines();
    std::optional<TimePoint> next_deadline() const;  ///< of the next expiry, in lived time
    void follow(const Event& event);

private:
    /// What was reported of one lease.
    struct Figures {
        Usage usage;
        TimePoint measured{};
        TimePoint recorded{};  ///< when it was last made durable, in lived time
    };

    const LeaseView* lease_of(const InstanceId& instance) const;
    std::vector<InstanceId> leased_on(const NodeId& node) const;
    void open(const LeaseView& view);
    void measured(const InstanceId& instance, const Usage& usage);
    void record(const InstanceId& instance);
    bool may_go_on(const Lease& lease) const;
    std::optional<InstanceId> left_for(const Lease& wanted) const;
    /// `successor`: who takes the lease over; empty: it ends.
    void reclaim(const InstanceId& instance, const std::string& how, bool presumed, const InstanceId& successor = {});

    Desk& desk_;
    ReceiptSeal seal_;
    std::map<InstanceId, std::uint64_t> open_;  ///< by whom they are held
    std::map<NodeId, std::set<InstanceId>> on_node_;
    std::map<InstanceId, Figures> figures_;  ///< of those that are open
    std::map<NodeId, TimePoint> expiries_;   ///< of nodes that are not connected, in lived time
    /// Those whose process is gone, and how it ended, until the queue has decided. After a restart there are none: what
    /// was left is reclaimed when its node is back.
    std::map<InstanceId, std::string> left_;
};

}  // namespace divisi::control::inline runs
