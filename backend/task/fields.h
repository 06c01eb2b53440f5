// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/task/task_spec.h"

namespace divisi::task {

/// The part of visit_fields() for [split].
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
    visit("split", "dp", split.dp);
    visit("split", "tp", split.tp);
    visit("split", "segment", split.segments);
}

/// The one list of a task file's keys: parser, printer and messages all go through it. Calls
/// visit(section, key, field) in the order in which a task file is printed.
template <typename Spec, typename Visitor>
void visit_fields(Spec& spec, Visitor&& visit) {
    visit("task", "name", spec.task.name);
    visit("task", "kind", spec.task.kind);
    visit("task", "priority", spec.task.priority);

    visit("model", "zoo", spec.model.zoo);
    visit("model", "onnx", spec.model.onnx);
    visit("model", "output", spec.model.output);
    visit("model", "frozen", spec.model.frozen);
    visit("model", "symbols", spec.model.symbols);
    visit("model", "inputs", spec.model.inputs);

    visit("data", "kind", spec.data.kind);
    visit("data", "path", spec.data.path);
    visit("data", "labels", spec.data.labels);
    visit("data", "targets", spec.data.targets);
    visit("data", "validation", spec.data.validation);
    visit("data", "validation_share", spec.data.validation_share);
    visit("data", "classes", spec.data.classes);
    visit("data", "samples", spec.data.samples);

    visit("train", "steps", spec.train.steps);
    visit("train", "batch", spec.train.batch);
    visit("train", "microbatches", spec.train.microbatches);
    visit("train", "optimizer", spec.train.optimizer);
    visit("train", "lr", spec.train.lr);
    visit("train", "momentum", spec.train.momentum);
    visit("train", "beta1", spec.train.beta1);
    visit("train", "beta2", spec.train.beta2);
    visit("train", "epsilon", spec.train.epsilon);
    visit("train", "weight_decay", spec.train.weight_decay);
    visit("train", "lr_schedule", spec.train.lr_schedule);
    visit("train", "warmup_steps", spec.train.warmup_steps);
    visit("train", "decay_steps", spec.train.decay_steps);
    visit("train", "decay_rate", spec.train.decay_rate);
    visit("train", "clip", spec.train.clip);
    visit("train", "seed", spec.train.seed);
    visit("train", "loss", spec.train.loss);
    visit("train", "eval_every", spec.train.eval_every);
    visit("train", "eval_batches", spec.train.eval_batches);
    visit("train", "recompute", spec.train.recompute);

    visit_split(spec.split, visit);

    visit("place", "stages", spec.place.stages);
    visit("place", "data", spec.place.data);
    visit("place", "device", spec.place.device);
    visit("place", "threads", spec.place.threads);
    visit("place", "pin", spec.place.pins);

    visit("checkpoint", "every", spec.checkpoint.every);
}

}  // namespace divisi::task
