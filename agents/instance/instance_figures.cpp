// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/instance_figures.h"

#include "backend/base/version.h"
#include "backend/control/state/incarnation.h"

namespace divisi::instance {
namespace {

/// Adds rows whose only label is the instance's SID.
class FigureRows {
public:
    FigureRows(metrics::Figures& figures, const Sid& sid) : figures_(figures), sid_(sid) {}
    template <typename Value>
    void gauge(const char* name, const char* help, Value value) {
        figures_.gauge(name, help, {{"sid", sid_.value()}}, static_cast<double>(value));
    }
    template <typename Value>
    void total(const char* name, const char* help, Value value) {
        figures_.total(name, help, {{"sid", sid_.value()}}, static_cast<double>(value));
    }

private:
    metrics::Figures& figures_;
    const Sid& sid_;
};

double in_seconds(double ms) { return ms / 1000; }

void add_data(FigureRows& rows, const InstanceFigures& instance) {
    const frame::DataFlow::Counters& data = instance.data;
    rows.total("divisi_instance_sent_bytes_total",
               "Bytes of tensors that it sent to other instances, repetitions included.", data.bytes_sent);
    rows.total("divisi_instance_received_bytes_total",
               "Bytes of tensors that came from other instances, repetitions included.", data.bytes_received);
    rows.total("divisi_instance_sent_tensors_total", "Tensors that it sent.", data.tensors_sent);
    rows.total("divisi_instance_received_tensors_total", "Tensors that came.", data.tensors_received);
    rows.total("divisi_instance_resent_chunks_total", "Chunks of tensors that it sent again.", data.chunks_resent);
    rows.total("divisi_instance_duplicate_chunks_total", "Chunks of tensors that came again, and were dropped.",
               data.duplicates);
    rows.total("divisi_instance_stale_frames_total",
               "Frames of another generation or of an older process, which were dropped.", data.stale);
    rows.total("divisi_instance_refused_frames_total", "Frames that it refused.", data.refused);
    rows.gauge("divisi_instance_unacknowledged_tensors", "Tensors that no consumer has acknowledged yet.",
               instance.unacknowledged);
}

void add_work(FigureRows& rows, const Engine::Work& work) {
    rows.gauge("divisi_instance_step", "The last step that it finished.", work.step);
    rows.total("divisi_instance_steps_total", "Steps that it finished, repeated ones included.", work.steps);
    rows.total("divisi_instance_samples_total", "Samples of the data in these steps.", work.samples);
    rows.total("divisi_instance_busy_seconds_total", "Time in which it computed.", in_seconds(to_ms(work.busy)));
    rows.total("divisi_instance_served_microbatches_total",
               "Micro-batches that it was dealt and has sent; of data instances.", work.served);
    rows.total("divisi_instance_spared_operations_total",
               "Operations that it did not run, since routers had their results.", work.spared);
    rows.gauge("divisi_instance_held_tensors", "Tensors that it holds for operations to come.", work.held);
    rows.gauge("divisi_instance_taken_slots", "Tensor slots at other instances that its tensors take.", work.taken);
    rows.gauge("divisi_instance_free_slots", "Its credit: tensor slots at other instances that it may still fill.",
               work.slots - work.taken);
}

void add_memory(metrics::Figures& figures, const Sid& sid, const control::InstanceLoad& load) {
    const auto memory = [&](const char* of, Bytes bytes) {
        figures.gauge("divisi_instance_memory_bytes",
                      "Memory of the segment: parameters, gradients, optimizer (its state), activations (their peak of "
                      "the last half second).",
                      {{"sid", sid.value()}, {"of", of}}, static_cast<double>(bytes));
    };
    memory("parameters", load.parameters);
    memory("gradients", load.gradients);
    memory("optimizer", load.optimizer);
    memory("activations", load.activations);
}

void add_snapshots(FigureRows& rows, const SnapshotTotals& snapshots) {
    rows.total("divisi_instance_snapshots_total", "Snapshots for checkpoints that it made durable.", snapshots.taken);
    rows.total("divisi_instance_failed_snapshots_total",
               "Snapshots that were due or ordered and that there are none of.", snapshots.failed);
    rows.gauge("divisi_instance_snapshot_step", "The step of its last durable snapshot; 0: none.", snapshots.step);
    rows.total("divisi_instance_snapshot_written_bytes_total", "Bytes of its durable snapshots.", snapshots.bytes);
    rows.total("divisi_instance_snapshot_copy_seconds_total", "Time that training waited for snapshots.",
               in_seconds(snapshots.copy_ms));
    rows.total("divisi_instance_snapshot_write_seconds_total", "Time that snapshots took in the background.",
               in_seconds(snapshots.write_ms));
}

}  // namespace

void SnapshotTotals::add(const control::SnapshotTaken& told) {
    copy_ms += told.copy_ms;
    write_ms += told.write_ms;
    if (told.error) {
        ++failed;
        return;
    }
    ++taken;
    step = told.step;
    bytes += told.size;
}

metrics::Figures figures_of(const InstanceFigures& instance) {
    metrics::Figures figures;
    metrics::add_build(figures, "divisi-instance", version);
    figures.gauge("divisi_instance_state", "The state of its life that it is in; always 1.",
                  {{"sid", instance.sid.value()}, {"state", control::to_string(instance.state)}}, 1);
    FigureRows rows(figures, instance.sid);
    rows.gauge("divisi_instance_connected", "1 while it is connected to the orchestrator, else 0.",
               instance.connected ? 1 : 0);
    rows.gauge("divisi_instance_incarnation", "Which process of its SID it is, from 1.",
               control::incarnation_of(instance.instance));
    rows.gauge("divisi_instance_generation", "Of its task; it rises with every recovery and re-cut. 0: not deployed.",
               instance.generation);
    rows.gauge("divisi_instance_resident_bytes", "Memory of its process that is resident.", instance.resident);
    add_data(rows, instance);
    if (instance.work) add_work(rows, *instance.work);
    if (instance.load) add_memory(figures, instance.sid, *instance.load);
    add_snapshots(rows, instance.snapshots);
    return figures;
}

}  // namespace divisi::instance
