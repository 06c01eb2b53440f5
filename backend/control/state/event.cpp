// SPDX-License-Identifier: Apache-2.0
#include "backend/control/state/event.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "backend/control/state/incarnation.h"
#include "backend/control/types/json_lines.h"

namespace divisi::control::inline state {
namespace {

constexpr std::array<const char*, AnyEvent::size> kind_names = {"cluster_started",     "node_joined",
                                                                "node_ended",          "task_submitted",
                                                                "task_planned",        "instance_placed",
                                                                "instance_changed",    "phase_changed",
                                                                "step_done",           "evaluated",
                                                                "weights_stored",      "task_ended",
                                                                "key_changed",         "noted",
                                                                "link_measured",       "task_held",
                                                                "instance_joined",     "instance_loaded",
                                                                "instance_ended",      "task_queued",
                                                                "task_ending",         "lease_granted",
                                                                "lease_activated",     "lease_finished",
                                                                "lease_measured",      "lease_reclaimed",
                                                                "receipt_key_changed", "reservation_made",
                                                                "reservation_ended",   "device_joined",
                                                                "device_left",         "policy_changed",
                                                                "service_joined",      "service_left",
                                                                "lease_taken_over",    "checkpoint_committed",
                                                                "task_recovers",       "exception_raised",
                                                                "exception_closed",    "task_recut",
                                                                "drain_changed",       "version_made",
                                                                "version_dropped",     "alert_raised",
                                                                "alert_cleared",       "recut_advised",
                                                                "device_lease"};

std::string number(double value, const char* format = "%.6g") {
    char text[40];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

constexpr const char* loss_format = "%.6g";

struct Describe {
    std::string operator()(const ClusterStarted& e) const { return "cluster " + e.name + " started"; }
    std::string operator()(const NodeJoined& e) const { return "node " + e.node.id.value() + " joined"; }
    std::string operator()(const NodeEnded& e) const {
        return "node " + e.node.value() + " " + to_string(e.state) + (e.reason.empty() ? "" : ": " + e.reason);
    }
    std::string operator()(const TaskSubmitted& e) const {
        return "task " + e.task.value() + " submitted by " + (e.submitted_by.empty() ? "somebody" : e.submitted_by);
    }
    std::string operator()(const TaskPlanned& e) const {
        const auto stages =
            std::count_if(e.units.begin(), e.units.end(), [](const UnitView& unit) { return unit.kind == "forward"; });
        return "task " + e.task.value() + " planned: " + e.model + " in " + std::to_string(stages) +
               " stages, generation " + std::to_string(e.generation);
    }
    std::string operator()(const InstancePlaced& e) const {
        return "instance " + e.instance.value() + " placed on " + e.node.value();
    }
    std::string operator()(const InstanceChanged& e) const {
        return "instance " + e.instance.value() + " " + to_string(e.state) + (e.detail.empty() ? "" : ": " + e.detail);
    }
    std::string operator()(const InstanceJoined& e) const { return "instance " + e.instance.value() + " registered"; }
    std::string operator()(const InstanceLoaded& e) const { return "instance " + e.instance.value() + " prepared"; }
    std::string operator()(const InstanceEnded& e) const {
        return "instance " + e.instance.value() + " stopped" + (e.detail.empty() ? "" : ": " + e.detail);
    }
    std::string operator()(const TaskQueued& e) const {
        return "task " + e.task.value() + ": queued, " + to_string(e.state);
    }
    std::string operator()(const TaskEnding& e) const {
        return "task " + e.task.value() + ": " + to_string(TaskPhase::termination) +
               (e.reason.empty() ? "" : " (" + e.reason + ")");
    }
    std::string operator()(const ReservationMade& e) const {
        const Reservation& made = e.reservation;
        return "reservation " + std::to_string(made.number) + " made by " + made.by + " for " +
               (made.submitter.empty() ? "task " + made.task.value() : made.submitter);
    }
    std::string operator()(const ReservationEnded& e) const {
        return "reservation " + std::to_string(e.number) + " ended: " + e.reason;
    }
    std::string operator()(const PhaseChanged& e) const {
        return "task " + e.task.value() + ": " + to_string(e.phase) + (e.detail.empty() ? "" : " (" + e.detail + ")");
    }
    std::string operator()(const StepDone& e) const {
        return "task " + e.task.value() + " step " + std::to_string(e.record.step) + " loss " +
               loss_text(e.record.loss, loss_format) + heads_text(e.record.heads);
    }
    std::string operator()(const Evaluated& e) const {
        std::string text = "task " + e.task.value() + " evaluated after step " + std::to_string(e.record.step) +
                           ": loss " + loss_text(e.record.loss, loss_format);
        if (e.record.accuracy) text += ", accuracy " + number(*e.record.accuracy * 100, "%.1f") + " %";
        return text + heads_text(e.record.heads);
    }
    std::string operator()(const WeightsStored& e) const {
        return "instance " + e.instance.value() + " stored its " + (e.results ? "results" : "weights") +
               " after step " + std::to_string(e.step) + " (" + format_bytes(e.size) + ")";
    }
    std::string operator()(const TaskEnded& e) const {
        return "task " + e.task.value() + " " + to_string(e.outcome) + (e.error ? ": " + e.error->message() : "");
    }
    std::string operator()(const TaskHeld& e) const {
        return "task " + e.task.value() + (e.held ? " is held until somebody releases it" : " was released");
    }
    std::string operator()(const KeyChanged& e) const {
        return "key of " + e.name + (e.revoked ? " revoked" : std::string(" allowed as ") + to_string(e.role));
    }
    std::string operator()(const Noted& e) const { return e.component + ": " + e.text; }
    std::string operator()(const LinkMeasured& e) const {
        return "link from " + e.from_host + " to " + e.to_host + " by " + to_string(e.transport) +
               " measured: " + number(e.figures.latency_s * 1e3, "%.3f") + " ms, " +
               number(e.figures.bytes_per_s / 1e6, "%.0f") + " MB/s";
    }
    std::string operator()(const LeaseGranted& e) const {
        return lease(e.lease.number) + " granted to " + e.lease.instance.value() + ": " + e.lease.terms.device +
               " on " + e.lease.node.value();
    }
    std::string operator()(const LeaseActivated& e) const {
        return lease(e.lease) + " of " + e.instance.value() + " activated" +
               (e.by.empty() ? "" : " by its first data, through " + e.by);
    }
    std::string operator()(const LeaseFinished& e) const {
        return lease(e.lease) + " of " + e.instance.value() + " finished" + (e.reason.empty() ? "" : ": " + e.reason);
    }
    std::string operator()(const LeaseMeasured& e) const {
        return lease(e.lease) + " of " + e.instance.value() + ": consumption so far: " + consumed(e.usage);
    }
    std::string operator()(const LeaseReclaimed& e) const {
        const Receipt& r = e.receipt;
        return lease(r.lease.number) + " of " + r.lease.instance.value() +
               (r.presumed ? " presumed reclaimed" : " reclaimed") + ", receipt " + std::to_string(r.number) + ": " +
               consumed(r.usage);
    }
    std::string operator()(const LeaseTakenOver& e) const {
        return lease(e.lease.number) + " of " + e.from.value() + " taken over by " + e.lease.instance.value();
    }
    std::string operator()(const CheckpointCommitted& e) const {
        return "checkpoint of task " + e.task.value() + " " + checkpoint_text(e.checkpoint);
    }
    std::string operator()(const TaskRecovers& e) const {
        return "task " + e.task.value() + " continues " +
               (e.step > 0 ? "after step " + std::to_string(e.step) : "from its beginning") + " as generation " +
               std::to_string(e.generation) + ": " + e.reason;
    }
    std::string operator()(const ExceptionRaised& e) const {
        return "exception " + std::to_string(e.entry.number) + ": task " + e.entry.task.value() + " failed for good, " +
               recovered_text(e.entry) + ": " + e.entry.error.message();
    }
    std::string operator()(const ExceptionClosed& e) const {
        return "exception " + std::to_string(e.number) + " of task " + e.task.value() + " was " + e.how +
               (e.by.empty() ? "" : " by " + e.by);
    }
    std::string operator()(const TaskRecut& e) const {
        if (e.from == e.to) return moved(e);
        return "task " + e.task.value() + " re-cut" + (e.by.empty() ? "" : " by " + e.by) + " after step " +
               std::to_string(e.step) + ": " + std::to_string(e.origins.size()) +
               (e.origins.size() == 1 ? " stage" : " stages") + ", generation " + std::to_string(e.generation) +
               ", plan " + e.to + " instead of " + e.from;
    }
    std::string operator()(const DrainChanged& e) const {
        return "node " + e.node.value() + (e.drains ? " is being drained" : " accepts instances again") +
               (e.by.empty() ? "" : ", for " + e.by);
    }
    std::string operator()(const VersionMade& e) const {
        const ModelVersion& version = e.version;
        return "version " + std::to_string(version.number) + " of " + version.model + ": " +
               (version.checkpoint ? "checkpoint of " : "") + "task " + version.task.value() + " after step " +
               std::to_string(version.step) + (version.name.empty() ? "" : ", named " + version.name) +
               (version.parent == 0 ? "" : ", from version " + std::to_string(version.parent)) + ", hash " +
               version.hash + " (" + format_bytes(version.size) + ")";
    }
    std::string operator()(const VersionDropped& e) const {
        return "version " + std::to_string(e.number) + " of task " + e.task.value() + " was " + e.why +
               (e.by.empty() ? "" : " by " + e.by) + "; its weights were deleted";
    }
    std::string operator()(const AlertRaised& e) const {
        const Alert& alert = e.alert;
        return "alert " + std::to_string(alert.number) + ", " + to_string(alert.rule) + ": " +
               (alert.task.value().empty() ? "" : "task " + alert.task.value() + ": ") + alert.what;
    }
    std::string operator()(const AlertCleared& e) const {
        return "alert " + std::to_string(e.number) + " is cleared: " + e.why;
    }
    std::string operator()(const DeviceJoined& e) const {
        std::string links;
        for (const std::string& neighbour : e.device.neighbours) links += (links.empty() ? "" : ", ") + neighbour;
        return std::string(mesh::to_string(e.device.role)) + " " + e.device.name + " joined the mesh" +
               (links.empty() ? "" : ", linked with " + links);
    }
    std::string operator()(const ServiceJoined& e) const {
        const mesh::Registration& said = e.service.said;
        return said.sid.value() + ", incarnation " + std::to_string(said.incarnation) + ", is registered as " +
               mesh::to_string(said.health) + (e.service.stale ? ", and silent" : "");
    }
    std::string operator()(const ServiceLeft& e) const { return e.sid.value() + " is no longer registered"; }
    std::string operator()(const DeviceLease& e) const {
        return "the lease of " + e.name + " is " + mesh::to_string(e.standing);
    }
    std::string operator()(const DeviceLeft& e) const { return e.name + " left the mesh"; }
    std::string operator()(const ReceiptKeyChanged& e) const {
        return "receipts are signed with the key " + e.public_key;
    }
    std::string operator()(const PolicyChanged& e) const {
        const PolicyVersion& policy = e.policy;
        return "policy " + std::to_string(policy.version) + " by " + policy.author + ": " + policy.change +
               (policy.reason.empty() ? "" : ", because " + policy.reason);
    }

    std::string operator()(const RecutAdvised& e) const {
        return "advice to re-cut task " + e.advice.task.value() + ": " + advice_text(e.advice) +
               (e.followed            ? "; it is followed"
                : e.held_back.empty() ? ""
                                      : "; not followed: " + e.held_back);
    }

private:
    static std::string moved(const TaskRecut& e) {
        std::string nodes;
        for (const StageOrigin& origin : e.origins) nodes += (nodes.empty() ? "" : ", ") + origin.node.value();
        return "task " + e.task.value() + " moved" + (e.by.empty() ? "" : " for " + e.by) + " after step " +
               std::to_string(e.step) + ": its stages are on " + nodes + ", generation " + std::to_string(e.generation);
    }
    static std::string lease(std::uint64_t number) { return "lease " + std::to_string(number); }
    static std::string consumed(const Usage& usage) {
        return usage.cpu_ms ? number(static_cast<double>(*usage.cpu_ms) / 1e3, "%.3f") + " s of CPU" : "not measured";
    }
};

/// Returns the task of an instance. Instance ids begin with "task/".
TaskId task_of_instance(const InstanceId& instance) { return task_of(Sid(instance.value())); }

struct TaskOf {
    TaskId operator()(const ClusterStarted&) const { return {}; }
    TaskId operator()(const NodeJoined&) const { return {}; }
    TaskId operator()(const NodeEnded&) const { return {}; }
    TaskId operator()(const InstanceChanged& e) const { return task_of_instance(e.instance); }
    TaskId operator()(const InstanceJoined& e) const { return task_of_instance(e.instance); }
    TaskId operator()(const InstanceLoaded& e) const { return task_of_instance(e.instance); }
    TaskId operator()(const InstanceEnded& e) const { return task_of_instance(e.instance); }
    TaskId operator()(const KeyChanged&) const { return {}; }
    TaskId operator()(const Noted& e) const { return TaskId(e.task); }
    TaskId operator()(const LinkMeasured&) const { return {}; }
    TaskId operator()(const LeaseGranted& e) const { return e.lease.task; }
    TaskId operator()(const LeaseActivated& e) const { return task_of_instance(e.instance); }
    TaskId operator()(const LeaseFinished& e) const { return task_of_instance(e.instance); }
    TaskId operator()(const LeaseMeasured& e) const { return task_of_instance(e.instance); }
    TaskId operator()(const LeaseReclaimed& e) const { return e.receipt.lease.task; }
    TaskId operator()(const LeaseTakenOver& e) const { return e.lease.task; }
    TaskId operator()(const ReceiptKeyChanged&) const { return {}; }
    TaskId operator()(const ExceptionRaised& e) const { return e.entry.task; }
    TaskId operator()(const VersionMade& e) const { return e.version.task; }
    TaskId operator()(const AlertRaised& e) const { return e.alert.task; }
    TaskId operator()(const DeviceJoined&) const { return {}; }
    TaskId operator()(const DeviceLeft&) const { return {}; }
    TaskId operator()(const DeviceLease&) const { return {}; }
    TaskId operator()(const ServiceJoined& e) const { return e.service.said.task; }
    TaskId operator()(const ServiceLeft& e) const { return task_of(e.sid); }
    TaskId operator()(const ReservationMade& e) const { return e.reservation.task; }
    TaskId operator()(const ReservationEnded&) const { return {}; }
    TaskId operator()(const PolicyChanged&) const { return {}; }
    TaskId operator()(const DrainChanged&) const { return {}; }
    TaskId operator()(const RecutAdvised& e) const { return e.advice.task; }
    template <typename E>
    TaskId operator()(const E& e) const {
        return e.task;
    }
};

}  // namespace

Severity severity_of(const Event::Body& body) {
    if (const auto* noted = get_if<Noted>(&body)) return noted->severity;
    if (const auto* ended = get_if<TaskEnded>(&body))
        return ended->outcome == Outcome::failed ? Severity::error : Severity::info;
    if (holds_alternative<ExceptionRaised>(body)) return Severity::error;
    if (const auto* changed = get_if<InstanceChanged>(&body))
        return changed->state == InstanceState::failed ? Severity::warning : Severity::info;
    if (const auto* node = get_if<NodeEnded>(&body))
        return node->state == NodeState::left ? Severity::info : Severity::warning;
    const bool warns = holds_alternative<TaskRecovers>(body) || holds_alternative<AlertRaised>(body);
    return warns ? Severity::warning : Severity::info;
}

const char* kind_name(const Event::Body& body) { return kind_names[body.index()]; }
std::string describe(const Event::Body& body) { return visit(Describe{}, body); }
TaskId task_of(const Event::Body& body) { return visit(TaskOf{}, body); }

}  // namespace divisi::control::inline state
