// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/serving/instance_figures.h"

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
    rows.total("divisi_instance_sent_bytes_total", "Bytes of tensors sent to other instances, including repeated ones.",
               data.bytes_sent);
    rows.total("divisi_instance_received_bytes_total",
               "Bytes of tensors received from other instances, including repeated ones.", data.bytes_received);
    rows.total("divisi_instance_sent_tensors_total", "Tensors sent to other instances.", data.tensors_sent);
    rows.total("divisi_instance_received_tensors_total", "Tensors received from other instances.",
               data.tensors_received);
    rows.total("divisi_instance_resent_chunks_total", "Chunks of tensors that were sent again.", data.chunks_resent);
    rows.total("divisi_instance_duplicate_chunks_total", "Chunks of tensors that were received again, and dropped.",
               data.duplicates);
    rows.total("divisi_instance_stale_frames_total", "Dropped frames of another generation or of an older process.",
               data.stale);
    rows.total("divisi_instance_refused_frames_total", "Refused frames.", data.refused);
    rows.gauge("divisi_instance_unacknowledged_tensors", "Tensors that no consumer has acknowledged yet.",
               instance.unacknowledged);
}

void add_work(FigureRows& rows, const EngineWork& work) {
    rows.gauge("divisi_instance_step", "Last finished step.", work.step);
    rows.total("divisi_instance_steps_total", "Finished steps, including repeated ones.", work.steps);
    rows.total("divisi_instance_samples_total", "Samples of the data in these steps.", work.samples);
    rows.total("divisi_instance_busy_seconds_total", "Time that the instance spent computing.",
               in_seconds(to_ms(work.busy)));
    rows.total("divisi_instance_served_microbatches_total",
               "Micro-batches that a data instance was assigned and has sent.", work.served);
    rows.total("divisi_instance_spared_operations_total",
               "Operations that did not run because routers had their results.", work.spared);
    rows.gauge("divisi_instance_held_tensors", "Tensors kept for later operations.", work.held);
    rows.gauge("divisi_instance_taken_slots", "Tensor slots at other instances that this instance's tensors occupy.",
               work.taken);
    rows.gauge("divisi_instance_free_slots",
               "Credit: tensor slots at other instances that this instance may still fill.", work.slots - work.taken);
}

void add_memory(metrics::Figures& figures, const Sid& sid, const control::InstanceLoad& load) {
    const auto memory = [&](const char* of, Bytes bytes) {
        figures.gauge("divisi_instance_memory_bytes",
                      "Memory of the segment: parameters, gradients, optimizer state, and activations (peak of the "
                      "last half second).",
                      {{"sid", sid.value()}, {"of", of}}, static_cast<double>(bytes));
    };
    memory("parameters", load.parameters);
    memory("gradients", load.gradients);
    memory("optimizer", load.optimizer);
    memory("activations", load.activations);
}

void add_snapshots(FigureRows& rows, const SnapshotTotals& snapshots) {
    rows.total("divisi_instance_snapshots_total", "Snapshots for checkpoints that were made durable.", snapshots.taken);
    rows.total("divisi_instance_failed_snapshots_total", "Snapshots that were due or ordered but not made.",
               snapshots.failed);
    rows.gauge("divisi_instance_snapshot_step", "Step of the last durable snapshot; 0: none.", snapshots.step);
    rows.total("divisi_instance_snapshot_written_bytes_total", "Bytes of durable snapshots.", snapshots.bytes);
    rows.total("divisi_instance_snapshot_copy_seconds_total", "Time for which the training waited for snapshots.",
               in_seconds(snapshots.copy_ms));
    rows.total("divisi_instance_snapshot_write_seconds_total",
               "Time for which snapshots were written in the background.", in_seconds(snapshots.write_ms));
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
    figures.gauge("divisi_instance_state", "State of the instance, as a label; always 1.",
                  {{"sid", instance.sid.value()}, {"state", control::to_string(instance.state)}}, 1);
    FigureRows rows(figures, instance.sid);
    rows.gauge("divisi_instance_connected", "1 while the instance is connected to the orchestrator, else 0.",
               instance.connected ? 1 : 0);
    rows.gauge("divisi_instance_incarnation", "Incarnation: the number of this process among those of its SID, from 1.",
               control::incarnation_of(instance.instance));
    rows.gauge("divisi_instance_generation",
               "Generation of the task, which every recovery and re-cut increases. 0: not deployed.",
               instance.generation);
    rows.gauge("divisi_instance_resident_bytes", "Resident memory of the process.", instance.resident);
    add_data(rows, instance);
    if (instance.work) add_work(rows, *instance.work);
    if (instance.load) add_memory(figures, instance.sid, *instance.load);
    add_snapshots(rows, instance.snapshots);
    return figures;
}

}  // namespace divisi::instance
