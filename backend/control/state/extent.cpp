// SPDX-License-Identifier: Apache-2.0
#include "backend/control/state/extent.h"

namespace divisi::control::inline state {
namespace {

/// Upper bounds: tag and length of a field, and tag and value of a number.
constexpr std::size_t head_bytes = 7, number_bytes = 12;

template <typename... Fields>
Extent sum(const Fields&... fields);

// One line per struct, with the fields that its line in codec_fields.h names.
Extent of(const Error& m) { return sum(m.code, m.what, m.where, m.next); }
Extent of(const Device& m) { return sum(m.name, m.type, m.cores, m.memory, m.flops_per_s, m.bytes_per_s); }
Extent of(const NodeInfo& m);
Extent of(const FileRef& m) { return sum(m.purpose, m.path, m.hash, m.size, m.folder); }
Extent of(const UnitView& m);
Extent of(const HeadRecord& m) { return sum(m.name, m.loss, m.accuracy); }
Extent of(const StepRecord& m);
Extent of(const EvalRecord& m);
Extent of(const LinkFigures&) { return {5 * number_bytes, 0}; }
Extent of(const StatedLink& m) { return sum(m.from, m.to, m.latency_s, m.bytes_per_s); }
Extent of(const ClusterStarted& m);
Extent of(const NodeJoined& m);
Extent of(const NodeEnded& m) { return sum(m.node, m.state, m.reason); }
Extent of(const TaskSubmitted& m);
Extent of(const TaskPlanned& m);
Extent of(const InstancePlaced& m) { return sum(m.task, m.instance, m.sid, m.node, m.stage, m.generation); }
Extent of(const InstanceChanged& m) { return sum(m.instance, m.state, m.detail); }
Extent of(const PhaseChanged& m) { return sum(m.task, m.phase, m.detail); }
Extent of(const StepDone& m);
Extent of(const Evaluated& m);
Extent of(const WeightsStored& m) {
    return sum(m.task, m.instance, m.step, m.hash, m.path, m.size, m.generation, m.results);
}
Extent of(const TaskEnded& m);
Extent of(const KeyChanged& m) { return sum(m.public_key, m.name, m.role, m.revoked); }
Extent of(const Noted& m) { return sum(m.severity, m.component, m.task, m.text); }
Extent of(const TaskHeld& m) { return sum(m.task, m.held); }
Extent of(const InstanceJoined& m) { return sum(m.instance, m.process, m.data_endpoint, m.data_key); }
Extent of(const InstanceLoaded& m) { return sum(m.instance, m.eval_microbatches, m.samples); }
Extent of(const InstanceEnded& m) { return sum(m.instance, m.detail); }
Extent of(const TaskQueued& m) { return sum(m.task, m.state); }
Extent of(const TaskEnding& m);
Extent of(const Ending& m);
Extent of(const MeshMember& m);
Extent of(const DeviceJoined& m);
Extent of(const DeviceLeft& m) { return sum(m.name); }
Extent of(const mesh::Service& m);
Extent of(const ServiceJoined& m);
Extent of(const DeviceLease& m) { return sum(m.epoch, m.revision, m.name, m.standing); }
Extent of(const ServiceLeft& m) { return sum(m.epoch, m.revision, m.sid); }
Extent of(const LinkMeasured& m);
Extent of(const LeaseTerms& m) { return sum(m.category, m.device, m.threads); }
Extent of(const Usage&) { return {6 * number_bytes, 0}; }
Extent of(const Lease& m);
Extent of(const Receipt& m);
Extent of(const LeaseGranted& m);
Extent of(const LeaseActivated& m) { return sum(m.lease, m.instance, m.by); }
Extent of(const LeaseFinished& m) { return sum(m.lease, m.instance, m.reason); }
Extent of(const LeaseMeasured& m);
Extent of(const LeaseReclaimed& m);
Extent of(const LeaseTakenOver& m);
Extent of(const task::CheckpointRule& m) { return sum(m.every, m.count, m.keep); }
Extent of(const SegmentSnapshot& m);
Extent of(const Checkpoint& m);
Extent of(const CheckpointCommitted& m);
Extent of(const TaskRecovers& m) { return sum(m.task, m.generation, m.step, m.culprit, m.reason); }
Extent of(const Recovery& m) { return sum(m.generation, m.step, m.time, m.culprit, m.reason); }
Extent of(const StageOrigin& m);
Extent of(const TaskRecut& m);
Extent of(const RecutAdvice& m);
Extent of(const RecutAdvised& m);
Extent of(const DrainChanged& m) { return sum(m.node, m.drains, m.by); }
Extent of(const ExceptionEntry& m);
Extent of(const ExceptionRaised& m);
Extent of(const ExceptionClosed& m) { return sum(m.number, m.task, m.by, m.how); }
Extent of(const ModelVersion& m);
Extent of(const VersionMade& m);
Extent of(const VersionDropped& m) { return sum(m.number, m.task, m.by, m.why); }
Extent of(const Alert& m);
Extent of(const AlertRaised& m);
Extent of(const AlertCleared& m) { return sum(m.number, m.task, m.why); }
Extent of(const ReceiptKeyChanged& m) { return sum(m.public_key); }
Extent of(const Pool& m);
Extent of(const ShareWeight& m) { return sum(m.submitter, m.weight); }
Extent of(const QueueRules& m);
Extent of(const SubmitterView& m) { return sum(m.name, m.virtual_time, m.node_seconds, m.task_s); }
Extent of(const NodeFaults& m) { return sum(m.score, m.at, m.losses, m.failures); }
Extent of(const Reservation& m);
Extent of(const ReservationMade& m) { return sum(m.reservation); }
Extent of(const ReservationEnded& m) { return sum(m.number, m.reason); }
Extent of(const PolicyEntry& m) { return sum(m.key, m.from, m.to, m.value); }
Extent of(const PolicyVersion& m);
Extent of(const PolicyChanged& m);

Extent field(const std::string& text) { return {head_bytes + text.size(), 1}; }
template <typename Tag>
Extent field(const StrongId<Tag, std::string>& id) {
    return field(id.value());
}
template <typename T>
requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) Extent field(T) { return {number_bytes, 0}; }
Extent field(TimePoint) { return {number_bytes, 0}; }
template <typename T>
requires std::is_class_v<T> Extent field(const T& message) { return Extent{head_bytes, 1} + of(message); }
template <typename T>
Extent field(const std::optional<T>& value) {
    return value ? field(*value) : Extent{};
}
template <typename List>
Extent each(const List& list) {
    Extent total;
    for (const auto& one : list) total += field(one);
    return total;
}
template <typename T>
Extent field(const std::vector<T>& list) {
    return each(list);
}
template <typename T>
Extent field(const std::deque<T>& list) {
    return each(list);
}

template <typename... Fields>
Extent sum(const Fields&... fields) {
    return (Extent{} + ... + field(fields));
}

Extent of(const NodeInfo& m) {
    return sum(m.id, m.mic, m.host, m.fingerprint, m.devices, m.blob_endpoint, m.blob_key, m.pid, m.memory, m.secure,
               m.machine);
}
Extent of(const UnitView& m) { return sum(m.sid, m.kind, m.instance, m.depends_on, m.state); }
Extent of(const StepRecord& m) { return sum(m.step, m.loss, m.step_ms, m.samples_per_s, m.generation, m.heads); }
Extent of(const EvalRecord& m) { return sum(m.step, m.loss, m.accuracy, m.heads, m.generation); }
Extent of(const ClusterStarted& m) { return sum(m.name, m.version, m.links, m.pools, m.queue); }
Extent of(const Pool& m) { return sum(m.name, m.type, m.nodes, m.shared, m.instances); }
Extent of(const QueueRules& m) { return sum(m.discipline, m.weights); }
Extent of(const Reservation& m) { return sum(m.number, m.pool, m.nodes, m.submitter, m.task, m.from, m.until, m.by); }
Extent of(const PolicyVersion& m) { return sum(m.version, m.time, m.author, m.change, m.reason, m.entries); }
Extent of(const PolicyChanged& m) { return sum(m.policy); }
Extent of(const NodeJoined& m) { return sum(m.node, m.key); }
Extent of(const TaskSubmitted& m) {
    return sum(m.task, m.name, m.text, m.folder, m.skeleton, m.files, m.submitted_by, m.priority, m.nodes, m.client,
               m.submitter, m.parent);
}
Extent of(const TaskPlanned& m) {
    return sum(m.task, m.generation, m.cuts, m.steps, m.batch, m.model, m.plan_hash, m.units, m.threads, m.memory,
               m.exclusive, m.most_seconds, m.group, m.checkpoint, m.answer);
}
Extent of(const StepDone& m) { return sum(m.task, m.record); }
Extent of(const Evaluated& m) { return sum(m.task, m.record); }
Extent of(const TaskEnded& m) { return sum(m.task, m.outcome, m.error); }
Extent of(const TaskEnding& m) { return sum(m.task, m.outcome, m.error, m.reason); }
Extent of(const Ending& m) { return sum(m.outcome, m.error); }
Extent of(const LinkMeasured& m) { return sum(m.from, m.to, m.from_host, m.to_host, m.transport, m.figures); }
Extent of(const Lease& m) { return sum(m.number, m.task, m.instance, m.node, m.consumer, m.terms, m.share); }
Extent of(const Receipt& m) {
    return sum(m.number, m.cluster, m.lease, m.granted, m.activated, m.finished, m.reclaimed, m.presumed, m.reason,
               m.usage, m.measured, m.previous, m.signature, m.format);
}
Extent of(const MeshMember& m) { return sum(m.id, m.name, m.role, m.mic, m.host, m.neighbours); }
Extent of(const DeviceJoined& m) { return sum(m.device); }
Extent of(const mesh::Service& m) {
    const mesh::Registration& said = m.said;
    return sum(m.revision, m.stale, said.prefix, said.sid, said.incarnation, said.resource_type,
               said.capability.flops_per_s, said.capability.memory, said.capability.device, said.address.endpoint,
               said.address.key, said.mic, said.node, said.input_schema, said.output_schema, said.health, said.task,
               said.generation) +
           Extent{3 * head_bytes, 0};
}
Extent of(const ServiceJoined& m) { return sum(m.epoch, m.service); }
Extent of(const LeaseGranted& m) { return sum(m.lease); }
Extent of(const LeaseMeasured& m) { return sum(m.lease, m.instance, m.usage, m.measured); }
Extent of(const LeaseReclaimed& m) { return sum(m.receipt, m.hash); }
Extent of(const LeaseTakenOver& m) { return sum(m.lease, m.from); }
Extent of(const SegmentSnapshot& m) { return sum(m.sid, m.stage, m.hash, m.size, m.nodes); }
Extent of(const Checkpoint& m) { return sum(m.generation, m.step, m.time, m.parts); }
Extent of(const CheckpointCommitted& m) { return sum(m.task, m.checkpoint); }
Extent of(const StageOrigin& m) { return sum(m.node) + Extent{head_bytes + m.from.size() * number_bytes, 0}; }
Extent of(const TaskRecut& m) { return sum(m.task, m.generation, m.step, m.from, m.to, m.by, m.text, m.origins); }
Extent of(const RecutAdvice& m) {
    return sum(m.task, m.plan, m.cuts, m.step_ms, m.imbalance, m.gain_ms, m.stall_ms, m.stall_measured, m.payback_steps,
               m.steps_left, m.worth, m.why);
}
Extent of(const RecutAdvised& m) { return sum(m.advice, m.followed, m.held_back); }
Extent of(const ExceptionEntry& m) {
    return sum(m.number, m.task, m.time, m.error, m.instance, m.node, m.operation, m.step, m.generation, m.recovered,
               m.tried);
}
Extent of(const ExceptionRaised& m) { return sum(m.entry); }
Extent of(const ModelVersion& m) {
    return sum(m.number, m.task, m.hash, m.parent, m.model, m.data, m.plan, m.stages, m.step, m.loss, m.time, m.size,
               m.kept, m.checkpoint, m.name, m.parts);
}
Extent of(const VersionMade& m) { return sum(m.version); }
Extent of(const Alert& m) {
    return sum(m.number, m.rule, m.subject, m.task, m.node, m.raised, m.value, m.bound, m.what, m.next, m.cleared,
               m.why);
}
Extent of(const AlertRaised& m) { return sum(m.alert); }

constexpr Extent entry{head_bytes, 1};

}  // namespace

Extent extent_of(const Event& event) {
    return entry + sum(event.sequence, event.time) + entry +
           visit([](const auto& body) { return of(body); }, event.body);
}
Extent extent_of(const NodeView& m) {
    return entry + sum(m.info, m.state, m.since, m.reason, m.key, m.faults, m.draining, m.drained_by);
}
Extent extent_of(const InstanceView& m) {
    return entry + sum(m.id, m.task, m.sid, m.node, m.stage, m.state, m.since, m.detail, m.process, m.data_endpoint,
                       m.data_key, m.eval_microbatches, m.joined, m.exited, m.generation, m.samples, m.retired);
}
Extent extent_of(const TaskView& m) {
    return entry +
           sum(m.id, m.name, m.text, m.folder, m.skeleton, m.files, m.submitted_by, m.priority, m.phase, m.phase_detail,
               m.outcome, m.error, m.submitted, m.started, m.ended, m.generation, m.cuts, m.steps, m.batch, m.model,
               m.plan_hash, m.units, m.step, m.history, m.evaluations, m.weights, m.submitted_at, m.ended_at, m.held,
               m.queue, m.nodes, m.client, m.threads, m.ending, m.memory, m.exclusive, m.most_seconds, m.submitter,
               m.placed, m.passages, m.adapting, m.group, m.checkpoint, m.answer, m.from_step, m.checkpoints,
               m.recovered, m.recoveries, m.plan_since, m.origins, m.text_before, m.parent, m.advice) +
           Extent{head_bytes, 1};  // the sub-message of the curve's columns
}
Extent extent_of(const KeyChanged& m) { return entry + of(m); }
Extent extent_of(const LinkView& m) { return entry + sum(m.link, m.measured); }
Extent extent_of(const StatedLink& m) { return entry + of(m); }
Extent extent_of(const Pool& m) { return entry + of(m); }
Extent extent_of(const QueueRules& m) { return entry + of(m); }
Extent extent_of(const SubmitterView& m) { return entry + of(m); }
Extent extent_of(const Reservation& m) { return entry + of(m); }
Extent extent_of(const MeshMember& m) { return entry + of(m); }
Extent extent_of(const mesh::Service& m) { return entry + of(m); }
Extent extent_of(const PolicyVersion& m) { return entry + of(m); }
Extent extent_of(const ExceptionEntry& m) { return entry + of(m); }
Extent extent_of(const ModelVersion& m) { return entry + of(m); }
Extent extent_of(const Alert& m) { return entry + of(m); }
Extent extent_of(const LogLine& m) {
    return entry + sum(m.number, m.time, m.severity, m.component, m.task, m.sid, m.node, m.text);
}
Extent extent_of(const TaskNumber& m) { return entry + sum(m.name, m.last); }
Extent extent_of(const LeaseView& m) {
    return entry + sum(m.lease, m.state, m.granted, m.activated, m.finished, m.reclaimed, m.reason, m.usage, m.measured,
                       m.receipt, m.presumed, m.activated_by);
}
Extent extent_of(const InstanceLoad& m) {
    return entry + sum(m.instance, m.operation, m.waits_for) + Extent{17 * number_bytes, 0};
}
Extent extent_of(const NodeMachine& m) {
    return entry + sum(m.node) + Extent{head_bytes + 16 * number_bytes, 1};  // the machine is a sub-message
}
Extent extent_of(const StepRecord& record) { return entry + of(record); }
Extent extent_of(const EvalRecord& record) { return entry + of(record); }
Extent extent_of(const TaskSubmitted& event) { return entry + of(event); }
Extent extent_of(const TaskPlanned& event) { return entry + of(event); }

}  // namespace divisi::control::inline state
