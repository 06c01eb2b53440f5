// SPDX-License-Identifier: Apache-2.0
#include "backend/control/state/encoded_size.h"

namespace divisi::control::inline state {
namespace {

/// Upper bounds: tag and length of a field, and tag and value of a number.
constexpr std::size_t head_bytes = 7, number_bytes = 12;

template <typename... Fields>
EncodedSize sum(const Fields&... fields);

// One line per struct, with the fields that its line in codec_fields.h names.
EncodedSize of(const Error& m) { return sum(m.code, m.what, m.where, m.next); }
EncodedSize of(const Device& m) { return sum(m.name, m.type, m.cores, m.memory, m.flops_per_s, m.bytes_per_s); }
EncodedSize of(const NodeInfo& m);
EncodedSize of(const FileRef& m) { return sum(m.purpose, m.path, m.hash, m.size, m.folder); }
EncodedSize of(const UnitView& m);
EncodedSize of(const HeadRecord& m) { return sum(m.name, m.loss, m.accuracy); }
EncodedSize of(const StepRecord& m);
EncodedSize of(const EvalRecord& m);
EncodedSize of(const LinkFigures&) { return {5 * number_bytes, 0}; }
EncodedSize of(const StatedLink& m) { return sum(m.from, m.to, m.latency_s, m.bytes_per_s); }
EncodedSize of(const ClusterStarted& m);
EncodedSize of(const NodeJoined& m);
EncodedSize of(const NodeEnded& m) { return sum(m.node, m.state, m.reason); }
EncodedSize of(const TaskSubmitted& m);
EncodedSize of(const TaskPlanned& m);
EncodedSize of(const InstancePlaced& m) { return sum(m.task, m.instance, m.sid, m.node, m.stage, m.generation); }
EncodedSize of(const InstanceChanged& m) { return sum(m.instance, m.state, m.detail); }
EncodedSize of(const PhaseChanged& m) { return sum(m.task, m.phase, m.detail); }
EncodedSize of(const StepDone& m);
EncodedSize of(const Evaluated& m);
EncodedSize of(const WeightsStored& m) {
    return sum(m.task, m.instance, m.step, m.hash, m.path, m.size, m.generation, m.results);
}
EncodedSize of(const TaskEnded& m);
EncodedSize of(const KeyChanged& m) { return sum(m.public_key, m.name, m.role, m.revoked); }
EncodedSize of(const Noted& m) { return sum(m.severity, m.component, m.task, m.text); }
EncodedSize of(const TaskHeld& m) { return sum(m.task, m.held); }
EncodedSize of(const InstanceJoined& m) { return sum(m.instance, m.process, m.data_endpoint, m.data_key); }
EncodedSize of(const InstanceLoaded& m) { return sum(m.instance, m.eval_microbatches, m.samples); }
EncodedSize of(const InstanceEnded& m) { return sum(m.instance, m.detail); }
EncodedSize of(const TaskQueued& m) { return sum(m.task, m.state); }
EncodedSize of(const TaskEnding& m);
EncodedSize of(const Ending& m);
EncodedSize of(const MeshMember& m);
EncodedSize of(const DeviceJoined& m);
EncodedSize of(const DeviceLeft& m) { return sum(m.name); }
EncodedSize of(const mesh::Service& m);
EncodedSize of(const ServiceJoined& m);
EncodedSize of(const DeviceLease& m) { return sum(m.epoch, m.revision, m.name, m.standing); }
EncodedSize of(const ServiceLeft& m) { return sum(m.epoch, m.revision, m.sid); }
EncodedSize of(const LinkMeasured& m);
EncodedSize of(const LeaseTerms& m) { return sum(m.category, m.device, m.threads); }
EncodedSize of(const Usage&) { return {6 * number_bytes, 0}; }
EncodedSize of(const Lease& m);
EncodedSize of(const Receipt& m);
EncodedSize of(const LeaseGranted& m);
EncodedSize of(const LeaseActivated& m) { return sum(m.lease, m.instance, m.by); }
EncodedSize of(const LeaseFinished& m) { return sum(m.lease, m.instance, m.reason); }
EncodedSize of(const LeaseMeasured& m);
EncodedSize of(const LeaseReclaimed& m);
EncodedSize of(const LeaseTakenOver& m);
EncodedSize of(const task::CheckpointRule& m) { return sum(m.every, m.count, m.keep); }
EncodedSize of(const SegmentSnapshot& m);
EncodedSize of(const Checkpoint& m);
EncodedSize of(const CheckpointCommitted& m);
EncodedSize of(const TaskRecovers& m) { return sum(m.task, m.generation, m.step, m.culprit, m.reason); }
EncodedSize of(const Recovery& m) { return sum(m.generation, m.step, m.time, m.culprit, m.reason); }
EncodedSize of(const StageOrigin& m);
EncodedSize of(const TaskRecut& m);
EncodedSize of(const RecutAdvice& m);
EncodedSize of(const RecutAdvised& m);
EncodedSize of(const DrainChanged& m) { return sum(m.node, m.drains, m.by); }
EncodedSize of(const ExceptionEntry& m);
EncodedSize of(const ExceptionRaised& m);
EncodedSize of(const ExceptionClosed& m) { return sum(m.number, m.task, m.by, m.how); }
EncodedSize of(const ModelVersion& m);
EncodedSize of(const VersionMade& m);
EncodedSize of(const VersionDropped& m) { return sum(m.number, m.task, m.by, m.why); }
EncodedSize of(const Alert& m);
EncodedSize of(const AlertRaised& m);
EncodedSize of(const AlertCleared& m) { return sum(m.number, m.task, m.why); }
EncodedSize of(const ReceiptKeyChanged& m) { return sum(m.public_key); }
EncodedSize of(const Pool& m);
EncodedSize of(const ShareWeight& m) { return sum(m.submitter, m.weight); }
EncodedSize of(const QueueRules& m);
EncodedSize of(const SubmitterView& m) { return sum(m.name, m.virtual_time, m.node_seconds, m.task_s); }
EncodedSize of(const NodeFaults& m) { return sum(m.score, m.at, m.losses, m.failures); }
EncodedSize of(const Reservation& m);
EncodedSize of(const ReservationMade& m) { return sum(m.reservation); }
EncodedSize of(const ReservationEnded& m) { return sum(m.number, m.reason); }
EncodedSize of(const PolicyEntry& m) { return sum(m.key, m.from, m.to, m.value); }
EncodedSize of(const PolicyVersion& m);
EncodedSize of(const PolicyChanged& m);

EncodedSize field(const std::string& text) { return {head_bytes + text.size(), 1}; }
template <typename Tag>
EncodedSize field(const StrongId<Tag, std::string>& id) {
    return field(id.value());
}
template <typename T>
requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) EncodedSize field(T) { return {number_bytes, 0}; }
EncodedSize field(TimePoint) { return {number_bytes, 0}; }
template <typename T>
requires std::is_class_v<T> EncodedSize field(const T& message) { return EncodedSize{head_bytes, 1} + of(message); }
template <typename T>
EncodedSize field(const std::optional<T>& value) {
    return value ? field(*value) : EncodedSize{};
}
template <typename List>
EncodedSize each(const List& list) {
    EncodedSize total;
    for (const auto& one : list) total += field(one);
    return total;
}
template <typename T>
EncodedSize field(const std::vector<T>& list) {
    return each(list);
}
template <typename T>
EncodedSize field(const std::deque<T>& list) {
    return each(list);
}

template <typename... Fields>
EncodedSize sum(const Fields&... fields) {
    return (EncodedSize{} + ... + field(fields));
}

EncodedSize of(const NodeInfo& m) {
    return sum(m.id, m.mic, m.host, m.fingerprint, m.devices, m.blob_endpoint, m.blob_key, m.pid, m.memory, m.secure,
               m.machine);
}
EncodedSize of(const UnitView& m) { return sum(m.sid, m.kind, m.instance, m.depends_on, m.state); }
EncodedSize of(const StepRecord& m) { return sum(m.step, m.loss, m.step_ms, m.samples_per_s, m.generation, m.heads); }
EncodedSize of(const EvalRecord& m) { return sum(m.step, m.loss, m.accuracy, m.heads, m.generation); }
EncodedSize of(const ClusterStarted& m) { return sum(m.name, m.version, m.links, m.pools, m.queue); }
EncodedSize of(const Pool& m) { return sum(m.name, m.type, m.nodes, m.shared, m.instances); }
EncodedSize of(const QueueRules& m) { return sum(m.discipline, m.weights); }
EncodedSize of(const Reservation& m) {
    return sum(m.number, m.pool, m.nodes, m.submitter, m.task, m.from, m.until, m.by);
}
EncodedSize of(const PolicyVersion& m) { return sum(m.version, m.time, m.author, m.change, m.reason, m.entries); }
EncodedSize of(const PolicyChanged& m) { return sum(m.policy); }
EncodedSize of(const NodeJoined& m) { return sum(m.node, m.key); }
EncodedSize of(const TaskSubmitted& m) {
    return sum(m.task, m.name, m.text, m.folder, m.skeleton, m.files, m.submitted_by, m.priority, m.nodes, m.client,
               m.submitter, m.parent);
}
EncodedSize of(const TaskPlanned& m) {
    return sum(m.task, m.generation, m.cuts, m.steps, m.batch, m.model, m.plan_hash, m.units, m.threads, m.memory,
               m.exclusive, m.most_seconds, m.group, m.checkpoint, m.answer);
}
EncodedSize of(const StepDone& m) { return sum(m.task, m.record); }
EncodedSize of(const Evaluated& m) { return sum(m.task, m.record); }
EncodedSize of(const TaskEnded& m) { return sum(m.task, m.outcome, m.error); }
EncodedSize of(const TaskEnding& m) { return sum(m.task, m.outcome, m.error, m.reason); }
EncodedSize of(const Ending& m) { return sum(m.outcome, m.error); }
EncodedSize of(const LinkMeasured& m) { return sum(m.from, m.to, m.from_host, m.to_host, m.transport, m.figures); }
EncodedSize of(const Lease& m) { return sum(m.number, m.task, m.instance, m.node, m.consumer, m.terms, m.share); }
EncodedSize of(const Receipt& m) {
    return sum(m.number, m.cluster, m.lease, m.granted, m.activated, m.finished, m.reclaimed, m.presumed, m.reason,
               m.usage, m.measured, m.previous, m.signature, m.format);
}
EncodedSize of(const MeshMember& m) { return sum(m.id, m.name, m.role, m.mic, m.host, m.neighbours); }
EncodedSize of(const DeviceJoined& m) { return sum(m.device); }
EncodedSize of(const mesh::Service& m) {
    const mesh::Registration& said = m.said;
    return sum(m.revision, m.stale, said.prefix, said.sid, said.incarnation, said.resource_type,
               said.capability.flops_per_s, said.capability.memory, said.capability.device, said.address.endpoint,
               said.address.key, said.mic, said.node, said.input_schema, said.output_schema, said.health, said.task,
               said.generation) +
           EncodedSize{3 * head_bytes, 0};
}
EncodedSize of(const ServiceJoined& m) { return sum(m.epoch, m.service); }
EncodedSize of(const LeaseGranted& m) { return sum(m.lease); }
EncodedSize of(const LeaseMeasured& m) { return sum(m.lease, m.instance, m.usage, m.measured); }
EncodedSize of(const LeaseReclaimed& m) { return sum(m.receipt, m.hash); }
EncodedSize of(const LeaseTakenOver& m) { return sum(m.lease, m.from); }
EncodedSize of(const SegmentSnapshot& m) { return sum(m.sid, m.stage, m.hash, m.size, m.nodes); }
EncodedSize of(const Checkpoint& m) { return sum(m.generation, m.step, m.time, m.parts); }
EncodedSize of(const CheckpointCommitted& m) { return sum(m.task, m.checkpoint); }
EncodedSize of(const StageOrigin& m) { return sum(m.node) + EncodedSize{head_bytes + m.from.size() * number_bytes, 0}; }
EncodedSize of(const TaskRecut& m) { return sum(m.task, m.generation, m.step, m.from, m.to, m.by, m.text, m.origins); }
EncodedSize of(const RecutAdvice& m) {
    return sum(m.task, m.plan, m.cuts, m.step_ms, m.imbalance, m.gain_ms, m.stall_ms, m.stall_measured, m.payback_steps,
               m.steps_left, m.worth, m.why);
}
EncodedSize of(const RecutAdvised& m) { return sum(m.advice, m.followed, m.held_back); }
EncodedSize of(const ExceptionEntry& m) {
    return sum(m.number, m.task, m.time, m.error, m.instance, m.node, m.operation, m.step, m.generation, m.recovered,
               m.tried);
}
EncodedSize of(const ExceptionRaised& m) { return sum(m.entry); }
EncodedSize of(const ModelVersion& m) {
    return sum(m.number, m.task, m.hash, m.parent, m.model, m.data, m.plan, m.stages, m.step, m.loss, m.time, m.size,
               m.kept, m.checkpoint, m.name, m.parts);
}
EncodedSize of(const VersionMade& m) { return sum(m.version); }
EncodedSize of(const Alert& m) {
    return sum(m.number, m.rule, m.subject, m.task, m.node, m.raised, m.value, m.bound, m.what, m.next, m.cleared,
               m.why);
}
EncodedSize of(const AlertRaised& m) { return sum(m.alert); }

constexpr EncodedSize entry{head_bytes, 1};

}  // namespace

EncodedSize encoded_size(const Event& event) {
    return entry + sum(event.sequence, event.time) + entry +
           visit([](const auto& body) { return of(body); }, event.body);
}
EncodedSize encoded_size(const NodeView& m) {
    return entry + sum(m.info, m.state, m.since, m.reason, m.key, m.faults, m.draining, m.drained_by);
}
EncodedSize encoded_size(const InstanceView& m) {
    return entry + sum(m.id, m.task, m.sid, m.node, m.stage, m.state, m.since, m.detail, m.process, m.data_endpoint,
                       m.data_key, m.eval_microbatches, m.joined, m.exited, m.generation, m.samples, m.retired);
}
EncodedSize encoded_size(const TaskView& m) {
    return entry +
           sum(m.id, m.name, m.text, m.folder, m.skeleton, m.files, m.submitted_by, m.priority, m.phase, m.phase_detail,
               m.outcome, m.error, m.submitted, m.started, m.ended, m.generation, m.cuts, m.steps, m.batch, m.model,
               m.plan_hash, m.units, m.step, m.history, m.evaluations, m.weights, m.submitted_at, m.ended_at, m.held,
               m.queue, m.nodes, m.client, m.threads, m.ending, m.memory, m.exclusive, m.most_seconds, m.submitter,
               m.placed, m.passages, m.adapting, m.group, m.checkpoint, m.answer, m.from_step, m.checkpoints,
               m.recovered, m.recoveries, m.plan_since, m.origins, m.text_before, m.parent, m.advice) +
           EncodedSize{head_bytes, 1};  // the sub-message of the curve's columns
}
EncodedSize encoded_size(const KeyChanged& m) { return entry + of(m); }
EncodedSize encoded_size(const LinkView& m) { return entry + sum(m.link, m.measured); }
EncodedSize encoded_size(const StatedLink& m) { return entry + of(m); }
EncodedSize encoded_size(const Pool& m) { return entry + of(m); }
EncodedSize encoded_size(const QueueRules& m) { return entry + of(m); }
EncodedSize encoded_size(const SubmitterView& m) { return entry + of(m); }
EncodedSize encoded_size(const Reservation& m) { return entry + of(m); }
EncodedSize encoded_size(const MeshMember& m) { return entry + of(m); }
EncodedSize encoded_size(const mesh::Service& m) { return entry + of(m); }
EncodedSize encoded_size(const PolicyVersion& m) { return entry + of(m); }
EncodedSize encoded_size(const ExceptionEntry& m) { return entry + of(m); }
EncodedSize encoded_size(const ModelVersion& m) { return entry + of(m); }
EncodedSize encoded_size(const Alert& m) { return entry + of(m); }
EncodedSize encoded_size(const LogLine& m) {
    return entry + sum(m.number, m.time, m.severity, m.component, m.task, m.sid, m.node, m.text);
}
EncodedSize encoded_size(const TaskNumber& m) { return entry + sum(m.name, m.last); }
EncodedSize encoded_size(const LeaseView& m) {
    return entry + sum(m.lease, m.state, m.granted, m.activated, m.finished, m.reclaimed, m.reason, m.usage, m.measured,
                       m.receipt, m.presumed, m.activated_by);
}
EncodedSize encoded_size(const InstanceLoad& m) {
    return entry + sum(m.instance, m.operation, m.waits_for) + EncodedSize{17 * number_bytes, 0};
}
EncodedSize encoded_size(const NodeMachine& m) {
    return entry + sum(m.node) + EncodedSize{head_bytes + 16 * number_bytes, 1};  // the machine is a sub-message
}
EncodedSize encoded_size(const StepRecord& record) { return entry + of(record); }
EncodedSize encoded_size(const EvalRecord& record) { return entry + of(record); }
EncodedSize encoded_size(const TaskSubmitted& event) { return entry + of(event); }
EncodedSize encoded_size(const TaskPlanned& event) { return entry + of(event); }

}  // namespace divisi::control::inline state
