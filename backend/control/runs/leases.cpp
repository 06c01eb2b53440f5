// SPDX-License-Identifier: Apache-2.0
#include "backend/control/runs/leases.h"

#include <algorithm>

#include "backend/control/protocol/input_limits.h"
#include "backend/control/protocol/node_messages.h"

namespace divisi::control::inline runs {
namespace {

bool names(const std::vector<InstanceId>& instances, const InstanceId& one) {
    return std::find(instances.begin(), instances.end(), one) != instances.end();
}

const std::string& consumer_of(const TaskView& task) {
    return task.submitter.empty() ? task.submitted_by : task.submitter;
}

/// Returns whether a task has ended or is forgotten.
bool is_over(const ClusterState& state, const TaskId& id) {
    const auto task = state.tasks.find(id);
    return task == state.tasks.end() || task->second.over();
}

}  // namespace

void Leases::adopt() {
    if (!seal_.public_key.empty() && context_.state().lease_book.key != seal_.public_key)
        context_.append(ReceiptKeyChanged{seal_.public_key});
    for (const auto& [number, view] : context_.state().leases)
        if (view.open()) open(view);
    for (const auto& [node, instances] : on_node_) node_away(node);
}

void Leases::follow(const Event& event) {
    if (const auto* granted = get_if<LeaseGranted>(&event.body))
        return open(context_.state().leases.at(granted->lease.number));
    if (const auto* taken = get_if<LeaseTakenOver>(&event.body))
        return open(context_.state().leases.at(taken->lease.number));
    const auto* reclaimed = get_if<LeaseReclaimed>(&event.body);
    if (!reclaimed) return;
    const Lease& lease = reclaimed->receipt.lease;
    open_.erase(lease.instance);
    left_.erase(lease.instance);
    figures_.erase(lease.instance);
    const auto there = on_node_.find(lease.node);
    if (there == on_node_.end()) return;
    there->second.erase(lease.instance);
    if (!there->second.empty()) return;
    on_node_.erase(there);
    expiries_.erase(lease.node);
}

void Leases::open(const LeaseView& view) {
    open_[view.lease.instance] = view.lease.number;
    on_node_[view.lease.node].insert(view.lease.instance);
    figures_[view.lease.instance] = {view.usage, view.measured, context_.lived()};
}

const LeaseView* Leases::lease_of(const InstanceId& instance) const {
    const auto found = open_.find(instance);
    return found == open_.end() ? nullptr : &context_.state().leases.at(found->second);
}

std::vector<InstanceId> Leases::leased_on(const NodeId& node) const {
    const auto found = on_node_.find(node);
    if (found == on_node_.end()) return {};
    return {found->second.begin(), found->second.end()};
}

// --- the life of a lease ----------------------------------------------------------------------

void Leases::grant(const InstanceId& instance, const LeaseTerms& terms) {
    const ClusterState& state = context_.state();
    const InstanceView& view = state.instances.at(instance);
    const NodeId node = view.node;
    const TaskView& task = state.tasks.at(view.task);
    Lease lease{state.lease_book.leases + 1, view.task, instance, node, consumer_of(task), terms};
    if (const auto from = left_for(lease)) {
        const Lease& before = state.leases.at(open_.at(*from)).lease;
        lease.number = before.number;
        lease.share = before.share + 1;
        reclaim(InstanceId(*from), std::string(left_.at(*from)), false, instance);
        context_.append(LeaseTakenOver{lease, *from});
    } else {
        context_.append(LeaseGranted{lease});
    }
    if (!context_.sessions().of(node)) node_away(node);
}

void Leases::grant_again(const InstanceId& before, const InstanceId& instance) {
    const auto& leases = context_.state().leases;
    const auto had = std::find_if(leases.begin(), leases.end(),
                                  [&](const auto& entry) { return entry.second.lease.instance == before; });
    if (had != leases.end()) grant(instance, LeaseTerms(had->second.lease.terms));
}

void Leases::activate(const InstanceId& instance, const std::string& by) {
    const LeaseView* view = lease_of(instance);
    if (view && view->state == LeaseState::granted) context_.append(LeaseActivated{view->lease.number, instance, by});
}

const Lease* Leases::held_by(const InstanceId& instance) const {
    const LeaseView* view = lease_of(instance);
    return view ? &view->lease : nullptr;
}

void Leases::finish(const InstanceId& instance, const std::string& reason) {
    const LeaseView* view = lease_of(instance);
    if (!view || view->state == LeaseState::finishing) return;
    context_.append(LeaseFinished{view->lease.number, instance, reason});
}

void Leases::exited(const Received& received, const InstanceExited& message, const std::string& how) {
    const LeaseView* view = lease_of(message.instance);
    const auto session = context_.sessions().find(received.peer);
    const NodeId sender = session == context_.sessions().end() ? NodeId() : session->second.node;
    if (!view || (!sender.value().empty() && sender != view->lease.node)) return;
    measured(message.instance, message.usage);
    if (!may_go_on(view->lease)) return reclaim(message.instance, how, false);
    if (!left_.emplace(message.instance, how).second) return;
    record(message.instance);
}

/// Returns whether another task might take over the lease: the lease's own task is ending, and another task of its
/// consumer waits for nodes. The answer does not affect which task gets a node.
bool Leases::may_go_on(const Lease& lease) const {
    const auto& tasks = context_.state().tasks;
    const auto task = tasks.find(lease.task);
    if (task == tasks.end() || !task->second.ending) return false;
    return std::ranges::any_of(tasks, [&](const auto& entry) {
        const TaskView& other = entry.second;
        return other.phase == TaskPhase::queued && other.queue == QueueState::nodes && !other.held &&
               consumer_of(other) == lease.consumer;
    });
}

std::optional<InstanceId> Leases::left_for(const Lease& wanted) const {
    for (const auto& [instance, how] : left_) {
        const Lease& lease = context_.state().leases.at(open_.at(instance)).lease;
        const bool fits = lease.node == wanted.node && lease.consumer == wanted.consumer && lease.terms == wanted.terms;
        if (fits && is_over(context_.state(), lease.task)) return instance;
    }
    return std::nullopt;
}

void Leases::settle() {
    for (const auto& [instance, how] : std::map(left_))
        if (is_over(context_.state(), lease_of(instance)->lease.task)) reclaim(instance, how, false);
}

/// Writes the receipt. Each receipt contains the hash of the previous one, so that no receipt can be removed unnoticed.
void Leases::reclaim(const InstanceId& instance, const std::string& how, bool presumed, const InstanceId& successor) {
    const LeaseView* view = lease_of(instance);
    if (!view) return;
    const LeaseBook& book = context_.state().lease_book;
    const Figures& figures = figures_.at(instance);
    Receipt receipt;
    receipt.number = book.receipts + 1;
    receipt.cluster = context_.state().name;
    receipt.lease = view->lease;
    receipt.granted = view->granted;
    receipt.activated = view->activated;
    receipt.finished = view->finished;
    receipt.reclaimed = context_.now();
    receipt.presumed = presumed;
    const std::string& reason = view->reason.empty() ? how : view->reason;
    receipt.reason = clipped(successor.value().empty() ? reason : taken_over_by(successor, reason));
    receipt.usage = figures.usage;
    receipt.measured = figures.measured;
    receipt.previous = book.last_receipt;
    if (seal_.sign) receipt.signature = seal_.sign(signed_text(receipt_fields(receipt)));
    std::string hash = seal_.hash ? seal_.hash(receipt_line(receipt_fields(receipt))) : "";
    context_.append(LeaseReclaimed{std::move(receipt), std::move(hash)});
}

// --- consumption ------------------------------------------------------------------------------

void Leases::measured(const InstanceId& instance, const Usage& usage) {
    const auto found = figures_.find(instance);
    if (found == figures_.end() || usage == Usage{}) return;
    merge(found->second.usage, usage);
    found->second.measured = context_.now();
}

void Leases::loaded(const InstanceLoad& load) {
    Usage usage;
    usage.bytes_sent = load.bytes_sent;
    usage.bytes_received = load.bytes_received;
    measured(load.instance, usage);
}

void Leases::record(const InstanceId& instance) {
    Figures& figures = figures_.at(instance);
    figures.recorded = context_.lived();
    const LeaseView* view = lease_of(instance);
    if (figures.usage == view->usage) return;
    context_.append(LeaseMeasured{view->lease.number, instance, figures.usage, figures.measured});
}

// --- nodes ------------------------------------------------------------------------------------

void Leases::node_joined(const NodeId& node, const std::vector<InstanceId>& running) {
    expiries_.erase(node);
    for (const InstanceId& instance : leased_on(node))
        if (!names(running, instance) && !left_.contains(instance))
            reclaim(instance, "its process ended while its node was away", false);
}

/// Handles a node's report of its processes. Reclaims the lease of a process that has begun, if neither its node nor a
/// connection knows the process any more. This also covers lost messages.
void Leases::node_reported(const NodeReport& report) {
    const std::vector<InstanceId> there = leased_on(report.node);
    for (const InstanceUsage& one : report.usages)
        if (names(there, one.instance)) measured(one.instance, one.usage);
    for (const InstanceId& instance : there) {
        const auto view = context_.state().instances.find(instance);
        const bool began = view == context_.state().instances.end() || view->second.joined;
        if (began && !left_.contains(instance) && !names(report.instances, instance) &&
            !context_.sessions().of(instance))
            reclaim(instance, "its node no longer knows its process", false);
    }
}

void Leases::node_away(const NodeId& node) {
    const std::vector<InstanceId> there = leased_on(node);
    if (there.empty() || !expiries_.try_emplace(node, context_.lived() + context_.limits().lease_expiry).second) return;
    for (const InstanceId& instance : there) record(instance);
}

void Leases::node_gone(const NodeId& node) {
    for (const InstanceId& instance : leased_on(node)) {
        const auto left = left_.find(instance);
        if (left == left_.end()) reclaim(instance, "its node is gone", true);
        else reclaim(instance, std::string(left->second), false);
    }
}

void Leases::check_deadlines() {
    std::vector<NodeId> expired;
    for (const auto& [node, at] : expiries_)
        if (context_.lived() >= at) expired.push_back(node);
    for (const NodeId& node : expired) node_gone(node);
    for (const auto& [instance, figures] : figures_)
        if (context_.lived() - figures.recorded >= context_.limits().lease_record) record(instance);
}

std::optional<TimePoint> Leases::next_deadline() const {
    std::optional<TimePoint> next;
    for (const auto& [node, at] : expiries_)
        if (!next || at < *next) next = at;
    return next;
}

}  // namespace divisi::control::inline runs
