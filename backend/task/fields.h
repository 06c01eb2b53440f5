// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/task/task_spec.h"

namespace divisi::task {

template <typename Train, typename Visitor>
void visit_train(Train& train, Visitor& visit) {
    visit("train", "steps", train.steps);
    visit("train", "batch", train.batch);
    visit("train", "microbatches", train.microbatches);
    visit("train", "optimizer", train.optimizer);
    visit("train", "lr", train.lr);
    visit("train", "momentum", train.momentum);
    visit("train", "beta1", train.beta1);
    visit("train", "beta2", train.beta2);
    visit("train", "epsilon", train.epsilon);
    visit("train", "weight_decay", train.weight_decay);
    visit("train", "lr_schedule", train.lr_schedule);
    visit("train", "warmup_steps", train.warmup_steps);
    visit("train", "decay_steps", train.decay_steps);
    visit("train", "decay_rate", train.decay_rate);
    visit("train", "clip", train.clip);
    visit("train", "seed", train.seed);
    visit("train", "loss", train.loss);
    visit("train", "losses", train.losses);
    visit("train", "weights", train.weights);
    visit("train", "eval_every", train.eval_every);
    visit("train", "eval_batches", train.eval_batches);
    visit("train", "recompute", train.recompute);
    visit("train", "nonfinite", train.nonfinite);
}

/// Visits all keys of [split], for visit_fields().
template <typename Split, typename Visitor>
void visit_split(Split& split, Visitor& visit) {
    visit("split", "version", split.version);
    visit("split", "strategy", split.strategy);
    visit("split", "method", split.method);
    visit("split", "stages", split.stages);
    visit("split", "cuts", split.cuts);
    visit("split", "least_stages", split.least_stages);
    visit("split", "most_stages", split.most_stages);
    visit("split", "least_layers", split.least_layers);
    visit("split", "most_layers", split.most_layers);
    visit("split", "tabu_tenure", split.tabu_tenure);
    visit("split", "tabu_iterations", split.tabu_iterations);
    visit("split", "tabu_neighbourhood", split.tabu_neighbourhood);
    visit("split", "tabu_aspiration", split.tabu_aspiration);
    visit("split", "tabu_seed", split.tabu_seed);
    visit("split", "shared_layers", split.shared_layers);
    visit("split", "sensitive", split.sensitive);
    visit("split", "together", split.together);
    visit("split", "schedule", split.schedule);
    visit("split", "slots", split.slots);
    visit("split", "dp", split.dp);
    visit("split", "tp", split.tp);
    visit("split", "recut", split.recut);
    visit("split", "segment", split.segments);
}

/// Visits all keys of a task file. This is the only list of keys: parser, printer and messages all use it. Calls
/// visit(section, key, field) in the order in which a task file is printed.
template <typename Spec, typename Visitor>
void visit_fields(Spec& spec, Visitor&& visit) {
    visit("task", "name", spec.task.name);
    visit("task", "kind", spec.task.kind);
    visit("task", "priority", spec.task.priority);
    visit("task", "most_seconds", spec.task.most_seconds);

    visit("model", "zoo", spec.model.zoo);
    visit("model", "onnx", spec.model.onnx);
    visit("model", "from", spec.model.from);
    visit("model", "output", spec.model.output);
    visit("model", "frozen", spec.model.frozen);
    visit("model", "symbols", spec.model.symbols);
    visit("model", "inputs", spec.model.inputs);
    visit("model", "targets", spec.model.targets);

    visit("data", "kind", spec.data.kind);
    visit("data", "path", spec.data.path);
    visit("data", "labels", spec.data.labels);
    visit("data", "targets", spec.data.targets);
    visit("data", "validation", spec.data.validation);
    visit("data", "validation_share", spec.data.validation_share);
    visit("data", "classes", spec.data.classes);
    visit("data", "samples", spec.data.samples);
    visit("data", "instances", spec.data.instances);

    visit_train(spec.train, visit);

    visit("batch", "output", spec.batch.output);
    visit("batch", "labels", spec.batch.labels);
    visit("batch", "values", spec.batch.values);
    visit("batch", "group", spec.batch.group);

    visit_split(spec.split, visit);

    visit("place", "stages", spec.place.stages);
    visit("place", "data", spec.place.data);
    visit("place", "device", spec.place.device);
    visit("place", "threads", spec.place.threads);
    visit("place", "pool", spec.place.pool);
    visit("place", "nodes", spec.place.nodes);
    visit("place", "prefer", spec.place.prefer);
    visit("place", "avoid", spec.place.avoid);
    visit("place", "exclusive", spec.place.exclusive);
    visit("place", "device_type", spec.place.device_type);
    visit("place", "memory_mib", spec.place.memory_mib);
    visit("place", "precision", spec.place.precision);
    visit("place", "standby", spec.place.standby);
    visit("place", "pin", spec.place.pins);

    visit("checkpoint", "every", spec.checkpoint.every);
    visit("checkpoint", "keep", spec.checkpoint.keep);

    visit("faults", "answer", spec.faults.answer);
}

}  // namespace divisi::task
