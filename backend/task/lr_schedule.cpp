// SPDX-License-Identifier: Apache-2.0
#include "backend/task/lr_schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace divisi::task {

double learning_rate(const TrainSection& train, std::int64_t step) {
    if (step <= train.warmup_steps)
        return train.lr * static_cast<double>(step) / static_cast<double>(train.warmup_steps);
    const std::int64_t period = train.decay_steps > 0 ? train.decay_steps : train.steps;
    const std::int64_t since = step - 1 - train.warmup_steps;
    const std::int64_t length = std::max<std::int64_t>(1, period - train.warmup_steps);
    const double share = std::min(1.0, static_cast<double>(since) / static_cast<double>(length));
    if (train.lr_schedule == "linear") return train.lr * (1.0 - share);
    if (train.lr_schedule == "cosine") return train.lr * 0.5 * (1.0 + std::cos(std::numbers::pi * share));
    if (train.lr_schedule == "step")
        return train.lr * std::pow(train.decay_rate, static_cast<double>(since / std::max<std::int64_t>(1, period)));
    return train.lr;
}

}  // namespace divisi::task
