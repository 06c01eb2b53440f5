// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend/task/task_spec.h"

namespace divisi::task {

/// Returns the learning rate of step s = 1, 2, ... Let w = warmup_steps, T = decay_steps (0: `steps`), r = decay_rate:
///   s <= w     lr * s / w
/// After the warm-up, let t = s - 1 - w be the steps done since then, and n = max(1, T - w):
///   constant   lr
///   linear     lr * max(0, 1 - t / n)
///   cosine     lr * (1 + cos(pi * min(1, t / n))) / 2   (Loshchilov and Hutter, arXiv 1608.03983, one period)
///   step       lr * r^floor(t / T)
double learning_rate(const TrainSection& train, std::int64_t step);

}  // namespace divisi::task
