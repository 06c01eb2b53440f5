// SPDX-License-Identifier: Apache-2.0
#pragma once

// Private to wire. One line per domain struct lists its fields in the order of their Protobuf numbers (1, 2, ...). Both
// directions are generated from it, so they cannot diverge.

#include "backend/control/protocol/message.h"
#include "backend/mesh/signaling/load_advert.h"
#include "divisi/v1/control.pb.h"

namespace divisi::wire {

/// Maps a domain struct to its generated type.
template <typename T>
struct Proto;

#define DIVISI_WIRE_AS(Domain, Generated, ...)                \
    template <>                                               \
    struct Proto<Domain> {                                    \
        using type = v1::Generated;                           \
    };                                                        \
    template <typename Visitor>                               \
    void fields(Visitor& visit, [[maybe_unused]] Domain& m) { \
        visit(__VA_ARGS__);                                   \
    }
#define DIVISI_WIRE(Name, ...) DIVISI_WIRE_AS(control::Name, Name, __VA_ARGS__)

DIVISI_WIRE_AS(divisi::Error, Error, m.code, m.what, m.where, m.next)
DIVISI_WIRE(Device, m.name, m.type, m.cores, m.memory, m.flops_per_s, m.bytes_per_s)
DIVISI_WIRE(NodeInfo, m.id, m.mic, m.host, m.fingerprint, m.devices, m.blob_endpoint, m.blob_key, m.pid, m.memory,
            m.secure, m.machine)
DIVISI_WIRE(FileRef, m.purpose, m.path, m.hash, m.size, m.folder)
DIVISI_WIRE(Peer, m.instance, m.sid, m.stage, m.data_endpoint, m.data_key)
DIVISI_WIRE(UnitView, m.sid, m.kind, m.instance, m.depends_on, m.state)
DIVISI_WIRE(HeadRecord, m.name, m.loss, m.accuracy)
DIVISI_WIRE(StepRecord, m.step, m.loss, m.step_ms, m.samples_per_s, m.generation, m.heads)
DIVISI_WIRE(EvalRecord, m.step, m.loss, m.accuracy, m.heads, m.generation)
DIVISI_WIRE(InstanceLoad, m.instance, m.step, m.busy_share, m.wait_share, m.bytes_sent, m.bytes_received, m.parameters,
            m.gradients, m.optimizer, m.activations, m.resident, m.operation, m.operation_ms, m.waits_for, m.waits_ms,
            m.generation, m.served, m.duplicates, m.spared, m.measured)

DIVISI_WIRE(LinkFigures, m.latency_s, m.latency_spread_s, m.message_s, m.bytes_per_s, m.bytes_spread_per_s)
DIVISI_WIRE(StatedLink, m.from, m.to, m.latency_s, m.bytes_per_s)

DIVISI_WIRE(Pool, m.name, m.type, m.nodes, m.shared, m.instances)
DIVISI_WIRE(ShareWeight, m.submitter, m.weight)
DIVISI_WIRE(QueueRules, m.discipline, m.weights)
DIVISI_WIRE(SubmitterView, m.name, m.virtual_time, m.node_seconds, m.task_s)
DIVISI_WIRE(NodeFaults, m.score, m.at, m.losses, m.failures)
DIVISI_WIRE(Reservation, m.number, m.pool, m.nodes, m.submitter, m.task, m.from, m.until, m.by)

DIVISI_WIRE(ClusterStarted, m.name, m.version, m.links, m.pools, m.queue)
DIVISI_WIRE(NodeJoined, m.node, m.key)
DIVISI_WIRE(NodeEnded, m.node, m.state, m.reason)
DIVISI_WIRE(TaskSubmitted, m.task, m.name, m.text, m.folder, m.skeleton, m.files, m.submitted_by, m.priority, m.nodes,
            m.client, m.submitter, m.parent)
DIVISI_WIRE_AS(task::CheckpointRule, CheckpointRule, m.every, m.count, m.keep)
DIVISI_WIRE(TaskPlanned, m.task, m.generation, m.cuts, m.steps, m.batch, m.model, m.plan_hash, m.units, m.threads,
            m.memory, m.exclusive, m.most_seconds, m.group, m.checkpoint, m.answer)
DIVISI_WIRE(InstancePlaced, m.task, m.instance, m.sid, m.node, m.stage, m.generation)
DIVISI_WIRE(InstanceChanged, m.instance, m.state, m.detail)
DIVISI_WIRE(PhaseChanged, m.task, m.phase, m.detail)
DIVISI_WIRE(StepDone, m.task, m.record)
DIVISI_WIRE(Evaluated, m.task, m.record)
DIVISI_WIRE(WeightsStored, m.task, m.instance, m.step, m.hash, m.path, m.size, m.generation, m.results)
DIVISI_WIRE(TaskEnded, m.task, m.outcome, m.error)
DIVISI_WIRE(KeyChanged, m.public_key, m.name, m.role, m.revoked)
DIVISI_WIRE(Noted, m.severity, m.component, m.task, m.text)
DIVISI_WIRE(LinkMeasured, m.from, m.to, m.from_host, m.to_host, m.transport, m.figures)
DIVISI_WIRE(TaskHeld, m.task, m.held)
DIVISI_WIRE(InstanceJoined, m.instance, m.process, m.data_endpoint, m.data_key)
DIVISI_WIRE(InstanceLoaded, m.instance, m.eval_microbatches, m.samples)
DIVISI_WIRE(InstanceEnded, m.instance, m.detail)
DIVISI_WIRE(TaskQueued, m.task, m.state)
DIVISI_WIRE(TaskEnding, m.task, m.outcome, m.error, m.reason)
DIVISI_WIRE(LeaseTerms, m.category, m.device, m.threads)
DIVISI_WIRE(Usage, m.cpu_ms, m.gpu_ms, m.energy_mj, m.peak_memory, m.bytes_sent, m.bytes_received)
DIVISI_WIRE(InstanceUsage, m.instance, m.usage)
DIVISI_WIRE(Lease, m.number, m.task, m.instance, m.node, m.consumer, m.terms, m.share)
DIVISI_WIRE(Receipt, m.number, m.cluster, m.lease, m.granted, m.activated, m.finished, m.reclaimed, m.presumed,
            m.reason, m.usage, m.measured, m.previous, m.signature, m.format)
DIVISI_WIRE(LeaseGranted, m.lease)
DIVISI_WIRE(LeaseActivated, m.lease, m.instance, m.by)
DIVISI_WIRE(LeaseFinished, m.lease, m.instance, m.reason)
DIVISI_WIRE(LeaseMeasured, m.lease, m.instance, m.usage, m.measured)
DIVISI_WIRE(LeaseReclaimed, m.receipt, m.hash)
DIVISI_WIRE(LeaseTakenOver, m.lease, m.from)
DIVISI_WIRE(ReceiptKeyChanged, m.public_key)
DIVISI_WIRE(ReservationMade, m.reservation)
DIVISI_WIRE(PolicyEntry, m.key, m.from, m.to, m.value)
DIVISI_WIRE(PolicyVersion, m.version, m.time, m.author, m.change, m.reason, m.entries)
DIVISI_WIRE(PolicyChanged, m.policy)
DIVISI_WIRE(ReservationEnded, m.number, m.reason)
DIVISI_WIRE(MeshMember, m.id, m.name, m.role, m.mic, m.host, m.neighbours)
DIVISI_WIRE(DeviceJoined, m.device)
DIVISI_WIRE(DeviceLeft, m.name)
DIVISI_WIRE(DeviceLease, m.epoch, m.revision, m.name, m.standing)
DIVISI_WIRE_AS(mesh::Service, RegisteredService, m.said, m.revision, m.stale)
DIVISI_WIRE(ServiceJoined, m.epoch, m.service)
DIVISI_WIRE(ServiceLeft, m.epoch, m.revision, m.sid)
DIVISI_WIRE(RegistryMark, m.epoch, m.revision)
DIVISI_WIRE(Ending, m.outcome, m.error)
DIVISI_WIRE(SegmentSnapshot, m.sid, m.stage, m.hash, m.size, m.nodes)
DIVISI_WIRE(Checkpoint, m.generation, m.step, m.time, m.parts)
DIVISI_WIRE(CheckpointCommitted, m.task, m.checkpoint)
DIVISI_WIRE(TaskRecovers, m.task, m.generation, m.step, m.culprit, m.reason)
DIVISI_WIRE(Recovery, m.generation, m.step, m.time, m.culprit, m.reason)
DIVISI_WIRE(StageOrigin, m.node, m.from)
DIVISI_WIRE(TaskRecut, m.task, m.generation, m.step, m.from, m.to, m.by, m.text, m.origins)
DIVISI_WIRE(DrainChanged, m.node, m.drains, m.by)
DIVISI_WIRE(RecutAdvice, m.task, m.plan, m.cuts, m.step_ms, m.imbalance, m.gain_ms, m.stall_ms, m.stall_measured,
            m.payback_steps, m.steps_left, m.worth, m.why)
DIVISI_WIRE(RecutAdvised, m.advice, m.followed, m.held_back)
DIVISI_WIRE(ExceptionEntry, m.number, m.task, m.time, m.error, m.instance, m.node, m.operation, m.step, m.generation,
            m.recovered, m.tried)
DIVISI_WIRE(ExceptionRaised, m.entry)
DIVISI_WIRE(ExceptionClosed, m.number, m.task, m.by, m.how)
DIVISI_WIRE(ModelVersion, m.number, m.task, m.hash, m.parent, m.model, m.data, m.plan, m.stages, m.step, m.loss, m.time,
            m.size, m.kept, m.checkpoint, m.name, m.parts)
DIVISI_WIRE(VersionMade, m.version)
DIVISI_WIRE(VersionDropped, m.number, m.task, m.by, m.why)
DIVISI_WIRE(Alert, m.number, m.rule, m.subject, m.task, m.node, m.raised, m.value, m.bound, m.what, m.next, m.cleared,
            m.why)
DIVISI_WIRE(AlertRaised, m.alert)
DIVISI_WIRE(AlertCleared, m.number, m.task, m.why)
DIVISI_WIRE(Event, m.sequence, m.time, m.body)

DIVISI_WIRE(NodeView, m.info, m.state, m.since, m.reason, m.key, m.faults, m.draining, m.drained_by)
DIVISI_WIRE(InstanceView, m.id, m.task, m.sid, m.node, m.stage, m.state, m.since, m.detail, m.process, m.data_endpoint,
            m.data_key, m.eval_microbatches, m.joined, m.exited, m.generation, m.samples, m.retired)
DIVISI_WIRE(TaskView, m.id, m.name, m.text, m.folder, m.skeleton, m.files, m.submitted_by, m.priority, m.phase,
            m.phase_detail, m.outcome, m.error, m.submitted, m.started, m.ended, m.generation, m.cuts, m.steps, m.batch,
            m.model, m.plan_hash, m.units, m.step, m.history, m.evaluations, m.weights, m.submitted_at, m.ended_at,
            m.held, m.queue, m.nodes, m.client, m.threads, m.ending, m.memory, m.exclusive, m.most_seconds, m.submitter,
            m.placed, m.passages, m.adapting, m.group, m.checkpoint, m.answer, m.from_step, m.checkpoints, m.recovered,
            m.recoveries, m.plan_since, m.origins, m.text_before, m.parent, m.advice)
DIVISI_WIRE(ClusterState, m.name, m.version, m.sequence, m.time, m.nodes, m.instances, m.tasks, m.keys, m.recent,
            m.links, m.stated_links, m.numbers, m.leases, m.lease_book, m.pools, m.queue, m.submitters, m.reservations,
            m.devices, m.policies, m.services, m.registry, m.exceptions, m.versions, m.last_version, m.alerts)
DIVISI_WIRE(LeaseView, m.lease, m.state, m.granted, m.activated, m.finished, m.reclaimed, m.reason, m.usage, m.measured,
            m.receipt, m.presumed, m.activated_by)
DIVISI_WIRE(LeaseBook, m.leases, m.receipts, m.last_receipt, m.key)
DIVISI_WIRE(LinkView, m.link, m.measured)
DIVISI_WIRE(TaskNumber, m.name, m.last)

DIVISI_WIRE(Refused, m.error, m.others)
DIVISI_WIRE(Done)
DIVISI_WIRE(Hello, m.program, m.version, m.role, m.key, m.process, m.protocol)
DIVISI_WIRE(Welcome, m.cluster, m.version, m.role, m.sequence, m.protocol)
DIVISI_WIRE(Subscribe)
DIVISI_WIRE(Snapshot, m.state, m.loads, m.page, m.more, m.nodes)
DIVISI_WIRE(EventPush, m.events)
DIVISI_WIRE(LoadPush, m.loads, m.nodes)
DIVISI_WIRE(SubmitTask, m.text, m.folder, m.skeleton, m.files, m.submitted_by)
DIVISI_WIRE(Upload, m.node, m.endpoint, m.key, m.hashes)
DIVISI_WIRE(SubmitReply, m.task, m.uploads)
DIVISI_WIRE(UploadsDone, m.task, m.error)
DIVISI_WIRE(StopTask, m.task, m.reason)
DIVISI_WIRE(QueryLog, m.task, m.contains, m.after, m.limit, m.before, m.oldest, m.kind, m.sid, m.node, m.level, m.since,
            m.until)
DIVISI_WIRE(LogPage, m.events, m.more)
DIVISI_WIRE(ChangeKey, m.change)
DIVISI_WIRE(Shutdown, m.reason)
DIVISI_WIRE(RegisterNode, m.node, m.instances)
DIVISI_WIRE(MachineFigures, m.cpu_share, m.memory, m.memory_free, m.received_bytes, m.sent_bytes,
            m.received_bytes_per_s, m.sent_bytes_per_s, m.read_bytes, m.written_bytes, m.read_bytes_per_s,
            m.written_bytes_per_s, m.disk, m.disk_free, m.temperature_c, m.power_w, m.measured)
DIVISI_WIRE(NodeMachine, m.node, m.machine)
DIVISI_WIRE(NodeReport, m.node, m.load, m.memory_free, m.instances, m.usages, m.machine)
DIVISI_WIRE(StartInstance, m.task, m.instance, m.sid, m.threads, m.generation, m.from)
DIVISI_WIRE(StopInstance, m.instance, m.keep)
DIVISI_WIRE(InstanceExited, m.instance, m.code, m.signal, m.output, m.usage)
DIVISI_WIRE(RegisterInstance, m.instance, m.sid, m.data_endpoint, m.data_key, m.fingerprint, m.pid, m.state, m.task,
            m.generation, m.step, m.kept_from, m.reports_spans)
DIVISI_WIRE(Restore, m.step, m.hashes)
DIVISI_WIRE(Deploy, m.task, m.generation, m.instance, m.stage, m.data, m.text, m.folder, m.cuts, m.plan_hash,
            m.skeleton, m.files, m.lease, m.share, m.terms, m.restore)
DIVISI_WIRE(Peers, m.task, m.generation, m.peers, m.gateway, m.gateway_key)
DIVISI_WIRE(InstancePrepared, m.instance, m.plan_hash, m.eval_microbatches, m.generation, m.samples)
DIVISI_WIRE(Begin, m.task, m.generation, m.eval_microbatches, m.samples)
DIVISI_WIRE(StepReport, m.task, m.instance, m.record)
DIVISI_WIRE(EvalReport, m.task, m.instance, m.record)
DIVISI_WIRE(LoadReport, m.load)
DIVISI_WIRE(InstanceFinished, m.weights)
DIVISI_WIRE(InstanceFailed, m.instance, m.error)
DIVISI_WIRE(Note, m.note)
DIVISI_WIRE(EndInstance, m.instance, m.reason)
DIVISI_WIRE(Heartbeat)
DIVISI_WIRE(FetchSkeleton, m.task)
DIVISI_WIRE(SkeletonData, m.bytes)
DIVISI_WIRE(Goodbye, m.reason)
DIVISI_WIRE(AccessKeys, m.keys, m.page, m.more)
DIVISI_WIRE(MeasureLinks)
DIVISI_WIRE(ServeProbe, m.probe, m.from, m.from_key)
DIVISI_WIRE(ProbeServed, m.probe, m.endpoint, m.error)
DIVISI_WIRE(RunProbe, m.probe, m.endpoint, m.key)
DIVISI_WIRE(ProbeEnded, m.probe, m.figures, m.error)
DIVISI_WIRE(EndProbe, m.probe)
DIVISI_WIRE(ProbeNeighbour, m.probe, m.id)
DIVISI_WIRE(ResumeInstance, m.task, m.generation, m.step, m.evaluation)
DIVISI_WIRE(MissedReports, m.task, m.instance, m.steps, m.evaluations)
DIVISI_WIRE(FetchSnapshotPage, m.page)
DIVISI_WIRE(ReleaseTask, m.task)
DIVISI_WIRE(WhichBlobs, m.hashes)
DIVISI_WIRE(NeededBlobs, m.hashes)
DIVISI_WIRE(DeviceInfo, m.name, m.role, m.mic, m.endpoint, m.key, m.neighbours, m.buffer, m.pid, m.host, m.version,
            m.mic_bytes_per_s, m.task_bytes_per_s)
DIVISI_WIRE(TableDevice, m.id, m.name, m.role, m.mic, m.endpoint, m.key)
DIVISI_WIRE(TableLink, m.a, m.b, m.latency_s, m.bytes_per_s)
DIVISI_WIRE(TablePlace, m.task, m.sid, m.gateway, m.endpoint, m.key, m.dealt, m.flops_per_s, m.lease, m.share, m.terms,
            m.health)
DIVISI_WIRE_AS(mesh::Quality, Quality, m.bytes_per_s, m.busy, m.credit_wait, m.latency_p50_s, m.latency_p99_s,
               m.retries, m.refusals)
DIVISI_WIRE(RouterLoad, m.known, m.age_s, m.queued_bytes, m.credit_bytes, m.failed_links)
DIVISI_WIRE(NeighbourReport, m.id, m.usable, m.sent_bytes, m.queued_bytes, m.credit_bytes, m.quality, m.load)
DIVISI_WIRE_AS(mesh::LinkLoad, LinkLoad, m.to, m.usable, m.queued, m.credit, m.bytes_per_s, m.round_trip_s, m.loss)
DIVISI_WIRE_AS(mesh::PrefixLoad, PrefixLoad, m.prefix, m.service_s, m.load, m.queued, m.device, m.flops_per_s)
DIVISI_WIRE_AS(mesh::LoadAdvert, LoadAdvert, m.version, m.sender, m.sequence, m.time, m.links, m.prefixes)
DIVISI_WIRE(FlowReport, m.task, m.source, m.destination, m.path, m.queued_bytes, m.credit_bytes, m.out_bytes,
            m.promised_bytes, m.path_index, m.quality, m.flow_class)
DIVISI_WIRE(DeviceCounters, m.frames, m.bytes, m.rerouted, m.refused_frames, m.refused_signals, m.unserved, m.failures)
DIVISI_WIRE(AdmissionRule, m.key, m.as, m.incarnation, m.sid_prefix)
DIVISI_WIRE(AdmissionOrder, m.as, m.incarnation, m.sid_prefix, m.allow, m.text)
DIVISI_WIRE(GuardCounters, m.admitted, m.denied, m.unserved, m.limited, m.retries, m.refused_frames, m.unlogged,
            m.ejections, m.delayed, m.refused_keys, m.unfinished_handshakes)
DIVISI_WIRE(BreakerReport, m.neighbour, m.half_open)
DIVISI_WIRE(GuardReport, m.policy, m.counters, m.breakers)
DIVISI_WIRE(RequestRecord, m.number, m.time, m.gateway, m.subject, m.task, m.source, m.destination, m.incarnation,
            m.outcome, m.reason, m.policy, m.took_s, m.path)
DIVISI_WIRE(DealtReport, m.sid, m.microbatches, m.dealt_again, m.outstanding)
DIVISI_WIRE(SegmentPath, m.path)
DIVISI_WIRE(CacheReport, m.limit_bytes, m.held_bytes, m.results, m.hits, m.misses, m.corrupt, m.evicted, m.saved_bytes)
DIVISI_WIRE(DeviceView, m.id, m.info, m.up, m.reason, m.heard, m.table, m.counters, m.held, m.promised, m.neighbours,
            m.flows, m.guard, m.period, m.dealt, m.segments, m.cache, m.lease, m.renewed_ms)
DIVISI_WIRE(RegisterDevice, m.device, m.held)
DIVISI_WIRE(DeviceRegistered, m.id)
DIVISI_WIRE(MeshTable, m.revision, m.devices, m.links, m.places)
DIVISI_WIRE(MeshChange, m.since, m.revision, m.devices, m.links, m.places, m.ended)
DIVISI_WIRE(SignalRecord, m.time, m.from, m.to, m.bytes, m.number, m.kind)
DIVISI_WIRE(DeviceReport, m.table, m.counters, m.held, m.promised, m.neighbours, m.flows, m.signals, m.guard,
            m.requests, m.period, m.dealt, m.segments, m.cache)
DIVISI_WIRE(QueryMesh)
DIVISI_WIRE(LinkFault, m.a, m.b, m.cut, m.bytes_per_s, m.delay_s)
DIVISI_WIRE(NeighbourFault, m.id, m.cut, m.bytes_per_s, m.delay_s)
DIVISI_WIRE(MeshState, m.revision, m.devices, m.links, m.places, m.faults, m.faults_allowed)
DIVISI_WIRE(QuerySignals, m.after)
DIVISI_WIRE(Signals, m.records, m.more)
DIVISI_WIRE_AS(mesh::Capability, ServiceCapability, m.flops_per_s, m.memory, m.device)
DIVISI_WIRE_AS(mesh::Address, ServiceAddress, m.endpoint, m.key)
DIVISI_WIRE_AS(mesh::Registration, ServiceRegistration, m.prefix, m.sid, m.incarnation, m.resource_type, m.capability,
               m.address, m.mic, m.node, m.input_schema, m.output_schema, m.health, m.task, m.generation)
DIVISI_WIRE(RegisterService, m.service)
DIVISI_WIRE(RenewService, m.sid, m.incarnation, m.epoch)
DIVISI_WIRE(ServiceRegistered, m.epoch, m.revision)
DIVISI_WIRE(WatchServices, m.epoch, m.since, m.after, m.leases, m.leases_after)
DIVISI_WIRE(ServiceRow, m.said, m.revision, m.stale, m.removed, m.renewed_ms)
DIVISI_WIRE(LeaseAge, m.sid, m.renewed_ms)
DIVISI_WIRE(ServiceDevice, m.name, m.role, m.id, m.revision, m.stale, m.removed, m.renewed_ms)
DIVISI_WIRE(ServiceChanges, m.epoch, m.revision, m.snapshot, m.rows, m.more, m.leases, m.devices)
DIVISI_WIRE(FaultLink, m.fault)
DIVISI_WIRE(KillRouter, m.name)
DIVISI_WIRE(HealFaults, m.a, m.b)
DIVISI_WIRE(DeviceFaults, m.links)
DIVISI_WIRE(KillDevice)
DIVISI_WIRE(DevicePolicy, m.version, m.entries)
DIVISI_WIRE(PolicyAnswer, m.version, m.refused)
DIVISI_WIRE(SetPolicies, m.settings)
DIVISI_WIRE(RollBackPolicies, m.version)
DIVISI_WIRE(PolicyNumber, m.version)
DIVISI_WIRE(QueryPolicies)
DIVISI_WIRE(PolicyAtDevice, m.device, m.up, m.applied, m.refused, m.reason)
DIVISI_WIRE(PathStanding, m.from, m.to, m.share, m.first_bytes_per_s, m.second_bytes_per_s, m.state)
DIVISI_WIRE(PoliciesState, m.current, m.versions, m.devices, m.paths)
DIVISI_WIRE(AbnormalFlow, m.task, m.source, m.destination, m.path)
DIVISI_WIRE(AbnormalState, m.kind, m.neighbour, m.since, m.flows)
DIVISI_WIRE(ModuleInfo, m.name, m.version, m.inputs, m.advice, m.sync, m.period_ms, m.pid)
DIVISI_WIRE(Advice, m.kind, m.from, m.to, m.value, m.confidence, m.valid_ms, m.reason)
DIVISI_WIRE(AdviceEffect, m.task, m.before_ms, m.after_ms)
DIVISI_WIRE(AdviceEcho, m.number, m.advice, m.outcome, m.why, m.change, m.effects)
DIVISI_WIRE(ObservedService, m.sid, m.incarnation, m.node, m.mic, m.health)
DIVISI_WIRE(ObservedRoute, m.from, m.to, m.share, m.first, m.second)
DIVISI_WIRE(ObservedNode, m.node, m.mic, m.host, m.cores, m.load, m.own, m.memory_free, m.tasks)
DIVISI_WIRE(ObservedInstance, m.instance, m.node, m.busy_share, m.wait_share)
DIVISI_WIRE(ObservedLink, m.from, m.to, m.usable, m.queued_bytes, m.credit_bytes, m.quality)
DIVISI_WIRE(ObservedFlow, m.task, m.source, m.destination, m.path_index, m.path, m.quality)
DIVISI_WIRE(ObservedDevice, m.name, m.role, m.mic, m.up, m.neighbours)
DIVISI_WIRE(ObservedUnit, m.sid, m.kind, m.node, m.depends_on)
DIVISI_WIRE(ObservedTask, m.task, m.phase, m.step, m.steps, m.step_ms, m.units)
DIVISI_WIRE(Observation, m.services, m.routes, m.nodes, m.instances, m.links, m.flows, m.devices, m.tasks)
DIVISI_WIRE(DescribeModule, m.module)
DIVISI_WIRE(Observe, m.number, m.time, m.placing, m.seen)
DIVISI_WIRE(Advise, m.observed, m.advice)
DIVISI_WIRE(Echo, m.echoes)
DIVISI_WIRE(ControlModule, m.advises, m.without, m.stop, m.reason)
DIVISI_WIRE(AdviceView, m.echo, m.given, m.until, m.again)
DIVISI_WIRE(RefusalReason, m.why, m.count)
DIVISI_WIRE(ModuleView, m.info, m.state, m.detail, m.heard, m.without, m.given, m.taken, m.refused, m.missed, m.expired,
            m.answer_ms, m.newest, m.refusals)
DIVISI_WIRE(QueryModules)
DIVISI_WIRE(ModulesState, m.modules, m.time)
DIVISI_WIRE(ChangeModule, m.name, m.stop, m.version)
DIVISI_WIRE_AS(mesh::mic::Unit, MicUnit, m.sid, m.kind, m.instance, m.depends_on)
DIVISI_WIRE_AS(mesh::mic::Instance, MicInstance, m.id, m.mic, m.runs)
DIVISI_WIRE_AS(mesh::mic::Part, MicPart, m.task, m.generation, m.instances, m.units)
DIVISI_WIRE_AS(mesh::mic::Edge, MicEdge, m.from, m.to, m.from_mic, m.to_mic)
DIVISI_WIRE_AS(mesh::mic::Topology, MicTopology, m.task, m.generation, m.units, m.edges)
DIVISI_WIRE_AS(mesh::mic::Broken, BrokenDependency, m.edge, m.cause, m.since)
DIVISI_WIRE(MicUnits, m.part)
DIVISI_WIRE(MicReport, m.topology, m.broken)
DIVISI_WIRE(QueryMics)
DIVISI_WIRE(MicView, m.mic, m.gateway, m.up, m.reports)
DIVISI_WIRE(MicsState, m.mics)
DIVISI_WIRE(TryPolicies, m.settings)
DIVISI_WIRE(TriedTask, m.task, m.measured_ms, m.before_ms, m.after_ms, m.before_paths, m.after_paths, m.error)
DIVISI_WIRE(PolicyTrial, m.change, m.tasks, m.notes)
DIVISI_WIRE(ScaleData, m.task, m.instances)
DIVISI_WIRE(BringBlob, m.hash, m.from, m.to)
DIVISI_WIRE(BlobBrought, m.size, m.seconds, m.by_mesh)
DIVISI_WIRE(OpenBlobEnd, m.transfer, m.hash, m.sid, m.peer, m.sink, m.values)
DIVISI_WIRE(BlobEndOpened, m.transfer, m.endpoint, m.error)
DIVISI_WIRE(JoinBlobEnds, m.transfer, m.endpoint, m.key)
DIVISI_WIRE(FetchBlob, m.transfer, m.hash, m.endpoint, m.key, m.values)
DIVISI_WIRE(BlobFetched, m.transfer, m.size, m.error)
DIVISI_WIRE(CloseBlobEnd, m.transfer)
DIVISI_WIRE(InstanceActivated, m.instance, m.lease, m.share, m.gateway)
DIVISI_WIRE(TakeSnapshot, m.task, m.generation, m.step)
DIVISI_WIRE(SnapshotTaken, m.task, m.instance, m.generation, m.step, m.hash, m.size, m.copy_ms, m.write_ms, m.error)
DIVISI_WIRE(DropBlobs, m.hashes)
DIVISI_WIRE(OrderCheckpoint, m.task)
DIVISI_WIRE(CheckpointOrdered, m.step)
DIVISI_WIRE(RetryException, m.number, m.text)
DIVISI_WIRE(DropException, m.number)
DIVISI_WIRE(Recut, m.task, m.plan, m.cuts, m.stages, m.undo, m.blocks)
DIVISI_WIRE(RecutDone, m.plan, m.cuts, m.generation, m.step, m.again, m.brought, m.stall_ms)
DIVISI_WIRE(DrainNode, m.node, m.undo)
DIVISI_WIRE(DropVersion, m.number)
DIVISI_WIRE(BackUp, m.folder)
DIVISI_WIRE(BackedUp, m.folder, m.sequence, m.files, m.bytes, m.seconds)
DIVISI_WIRE(StoreView, m.file, m.sid, m.incarnation, m.generation, m.step, m.size, m.written, m.damage)
DIVISI_WIRE(StoreCell, m.whole, m.real, m.text)
DIVISI_WIRE(StoreRow, m.cells)
DIVISI_WIRE(ListStores, m.node, m.after, m.question)
DIVISI_WIRE(StoreList, m.question, m.stores, m.more, m.error)
DIVISI_WIRE(ReadStore, m.node, m.sid, m.table, m.before, m.limit, m.question)
DIVISI_WIRE(StorePage, m.question, m.incarnation, m.columns, m.rows, m.damaged, m.before, m.error)
DIVISI_WIRE(AskRecutAdvice, m.task)
DIVISI_WIRE(InstanceSpans, m.task, m.instance, m.generation, m.step, m.begin, m.sent, m.length, m.spans, m.left_out,
            m.dropped)
DIVISI_WIRE(WatchSpans, m.task)
DIVISI_WIRE(ReportSpans, m.task, m.generation, m.every)
DIVISI_WIRE(SpanReport, m.spans)
DIVISI_WIRE(SpanPush, m.spans, m.clock, m.offset, m.replaced)
DIVISI_WIRE(KeepCheckpoint, m.task, m.step, m.name)
DIVISI_WIRE(HoldSteps, m.task, m.generation, m.after)
DIVISI_WIRE(PreparePlan, m.task, m.instance, m.text, m.stage, m.order)
DIVISI_WIRE(PlanPrepared, m.task, m.instance, m.plan_hash, m.error, m.order)
DIVISI_WIRE(Reserve, m.wanted, m.seconds)
DIVISI_WIRE(Reserved, m.number)
DIVISI_WIRE(CancelReservation, m.number)
DIVISI_WIRE(QueryNodes)
DIVISI_WIRE(NodeStanding, m.node, m.tasks, m.instances, m.cores_free, m.memory_free, m.shared, m.exclusive, m.faults,
            m.machine)
DIVISI_WIRE(SubmitterStanding, m.name, m.weight, m.node_seconds, m.virtual_time)
DIVISI_WIRE(WaitingTask, m.task, m.why)
DIVISI_WIRE(NodesState, m.nodes, m.submitters, m.waiting)
DIVISI_WIRE(AdmissionPolicy, m.version, m.rules, m.revoked_keys, m.orders)
DIVISI_WIRE(QueryRequests, m.after, m.gateway, m.task, m.refused)
DIVISI_WIRE(Requests, m.records, m.more)

DIVISI_WIRE_AS(task::SegmentSpec, SegmentSpec, m.nodes, m.place)
DIVISI_WIRE_AS(task::SplitSection, SplitSection, m.version, m.strategy, m.method, m.stages, m.cuts, m.least_stages,
               m.most_stages, m.least_layers, m.most_layers, m.tabu_tenure, m.tabu_iterations, m.tabu_neighbourhood,
               m.tabu_aspiration, m.tabu_seed, m.shared_layers, m.sensitive, m.together, m.segments, m.schedule, m.dp,
               m.tp, m.slots)
DIVISI_WIRE_AS(search::StageCount, StageCount, m.stages, m.slowest, m.buys)
DIVISI_WIRE_AS(task::PartPrediction, PlanPart, m.name, m.flops, m.flops_share, m.stages, m.shared_values)
DIVISI_WIRE_AS(task::PricedStage, PricedStage, m.prediction.device, m.operators, m.end, m.prediction.flops,
               m.prediction.flops_share, m.prediction.sent_forward, m.prediction.sent_backward, m.prediction.memory,
               m.prediction.capacity, m.prediction.busy_ms, m.prediction.bubble, m.prediction.profiled_share,
               m.prediction.work_ms, m.prediction.sent_shared)
DIVISI_WIRE_AS(task::PricedPath, PricedPath, m.from, m.to, m.devices, m.narrowest, m.latency_ms, m.bytes_per_s,
               m.tensor_ms, m.source)
DIVISI_WIRE_AS(price::PredictedData, PricedData, m.devices, m.microbatch_ms, m.busy_ms, m.bubble, m.sent, m.memory)
DIVISI_WIRE_AS(task::PricedPlan, PricedPlan, m.model, m.cuts, m.stages, m.parts, m.stage_counts, m.hash, m.objective_ms,
               m.lower_bound_ms, m.predicted_step_ms, m.profiled_share, m.warnings, m.links, m.paths, m.data)
DIVISI_WIRE(SegmentModel, m.split, m.text, m.skeleton)
DIVISI_WIRE(ModelSegmented, m.version, m.cluster, m.time_ms, m.plan)
DIVISI_WIRE(KillInstance, m.sid)
DIVISI_WIRE(KillNode, m.node)
DIVISI_WIRE(PauseInstance, m.sid, m.seconds)
DIVISI_WIRE(FaultInstance, m.instance, m.pause_s)

DIVISI_WIRE(LogLine, m.number, m.time, m.severity, m.component, m.task, m.sid, m.node, m.text)
DIVISI_WIRE(LogLines, m.lines)
DIVISI_WIRE(QueryLines, m.task, m.sid, m.node, m.level, m.since, m.until, m.contains, m.limit, m.before)
DIVISI_WIRE(LinesPage, m.lines, m.more)

#undef DIVISI_WIRE
#undef DIVISI_WIRE_AS

}  // namespace divisi::wire
