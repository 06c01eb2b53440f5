// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/watch.h"

#include <cstdio>
#include <cstdlib>

#include "backend/control/snapshot_pages.h"
#include "backend/wire/message_codec.h"

namespace divisi::sim {

using namespace control;

std::string content(const ClusterState& state) {
    std::string all;
    for (const Snapshot& page : snapshot_pages(state, {})) {
        auto bytes = wire::encode_page(page);
        all += bytes ? *bytes : bytes.error().message();
    }
    return all;
}

void Watch::violate(const std::string& what) {
    if (violation_) return;
    const auto time = world_.now().time_since_epoch() % std::chrono::seconds(100'000);
    violation_ =
        "after " + std::to_string(log_.size()) + " events, at " + std::to_string(to_ms(time) / 1000) + " s: " + what;
}

void Watch::say(const std::string& what) const {
    static const bool wanted = std::getenv("DIVISI_SIM_TRACE") != nullptr;
    const auto time = world_.now().time_since_epoch() % std::chrono::seconds(100'000);
    if (wanted) std::fprintf(stderr, "%10.6f %s\n", to_ms(time) / 1000, what.c_str());
}

void Watch::durable(const Event& event, const std::string& accuser) {
    say(std::to_string(event.sequence) + " " + describe(event.body));
    if (event.sequence != state_.sequence + 1) violate("the log's sequence has a gap");
    if (const auto* submitted = std::get_if<TaskSubmitted>(&event.body))
        if (!submitted_.insert(submitted->task).second)
            violate("the id " + submitted->task.value() + " is given twice");
    if (const auto* done = std::get_if<StepDone>(&event.body)) step(*done);
    if (const auto* granted = std::get_if<LeaseGranted>(&event.body))
        if (granted->lease.number != state_.lease_book.leases + 1) violate("the leases have a gap");
    if (const auto* reclaimed = std::get_if<LeaseReclaimed>(&event.body)) reclaim(reclaimed->receipt);
    apply(state_, event);
    log_.push_back(event);
    if (const auto* ended = std::get_if<TaskEnded>(&event.body)) {
        if (++endings_[ended->task] > 1) violate("task " + ended->task.value() + " ended twice");
        const auto task = state_.tasks.find(ended->task);
        if (ended->outcome == Outcome::succeeded && task->second.step != task->second.steps)
            violate("task " + ended->task.value() + " succeeded after " + std::to_string(task->second.step) + " steps");
        if (ended->outcome == Outcome::failed && !ended->error) violate("a failure without a reason");
    }
    if (std::holds_alternative<InstancePlaced>(event.body)) check_holders();
    if (const auto* node = std::get_if<NodeEnded>(&event.body)) accuse(node->node.value(), node->reason, accuser);
    if (const auto* changed = std::get_if<InstanceChanged>(&event.body))
        accuse(changed->instance.value(), changed->detail, accuser);
}

/// Once a lease, and numbered without gaps.
void Watch::reclaim(const Receipt& receipt) {
    const auto lease = state_.leases.find(receipt.lease.number);
    if (lease == state_.leases.end() || !lease->second.open())
        violate("lease " + std::to_string(receipt.lease.number) + " is reclaimed twice, or was never granted");
    if (receipt.number != state_.lease_book.receipts + 1) violate("the receipts have a gap");
}

void Watch::step(const StepDone& event) {
    const auto task = state_.tasks.find(event.task);
    if (task == state_.tasks.end() || event.record.step != task->second.step + 1)
        violate("step " + std::to_string(event.record.step) + " of " + event.task.value() + " is out of order");
}

/// Whose words lie unread is called silent only if it was so already when its accuser stood still.
void Watch::accuse(const std::string& role, const std::string& why, const std::string& accuser) {
    const auto player = players_.find(role);
    if (why.find("fell silent") == std::string::npos || player == players_.end()) return;
    const Network::Hearing hearing = network_.hearing(player->second, accuser);
    if (hearing.unread && hearing.quiet < peer_timeout) violate(role + " is called silent while its words lie unread");
}

void Watch::check_holders() {
    std::map<NodeId, TaskId> holders;
    for (const auto& [id, instance] : state_.instances) {
        if (state_.tasks.at(instance.task).over()) continue;
        const auto [holder, fresh] = holders.emplace(instance.node, instance.task);
        if (!fresh && holder->second != instance.task) violate("two tasks hold node " + instance.node.value());
    }
}

void Watch::restored(const ClusterState& state) {
    if (content(state) != content(state_))
        violate("a restarted orchestrator begins with another state than is durable");
}

void Watch::promised(const TaskId& task) {
    if (!submitted_.contains(task)) violate("a client was promised " + task.value() + ", which is not durable");
    if (!promised_.insert(task).second) violate("two clients were promised " + task.value());
}

void Watch::follows(const ClusterState& shown) {
    if (shown.sequence > state_.sequence) return violate("a client knows more than is durable");
    for (const auto& [id, task] : shown.tasks) {
        std::int64_t last = 0;
        for (const StepRecord& record : task.history)
            if (record.step != ++last)
                violate("the curve of " + id.value() + " has a gap at step " + std::to_string(last));
        if (last != task.step) violate("the curve of " + id.value() + " ends too early");
    }
}

void Watch::follows(const ClusterState& shown, const Event& event) {
    if (event.sequence > state_.sequence) return violate("a client knows more than is durable");
    if (event.sequence != shown.sequence + 1) violate("a client was given an event out of order");
    const Event& own = log_[event.sequence - 1];
    if (own.time != event.time || own.body.index() != event.body.index() || describe(own.body) != describe(event.body))
        violate("a client was given another event " + std::to_string(event.sequence) + " than is durable");
}

void Watch::holds(const std::string& what, std::size_t count, std::size_t most) {
    if (count > most) violate(what + " holds " + std::to_string(count) + ", more than " + std::to_string(most));
}

}  // namespace divisi::sim
