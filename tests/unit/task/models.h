// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/graph/zoo.h"
#include "backend/task/compile.h"
#include "backend/task/parse.h"

namespace divisi::task::test {

/// Returns a small GPT trained on text: 2 layers, 4 micro-batches of 2 samples.
inline TaskSpec gpt_task() {
    TaskSpec spec;
    spec.task.name = "small";
    spec.model.zoo = "gpt";
    spec.model.sizes = {{"layers", 2}, {"width", 32}, {"heads", 2}, {"context", 16}};
    spec.data.kind = "text";
    spec.data.path = "text.txt";
    spec.data.validation_share = 0.1;
    spec.train.batch = 8;
    spec.train.microbatches = 4;
    spec.train.optimizer = "adamw";
    spec.split.stages = 2;
    return spec;
}

inline graph::Graph model_of(const TaskSpec& spec) {
    return graph::build_zoo(spec.model.zoo, spec.model.sizes, microbatch_size(spec)).value();
}

}  // namespace divisi::task::test
