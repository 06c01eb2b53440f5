// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace divisi::segment {

/// The constants of one step of AdamW (formula in optimizer.h).
struct AdamwStep {
    float gradient_scale = 1;      ///< from gradient clipping
    float keep = 1;                ///< 1 - lr * weight_decay
    float beta1 = 0, beta2 = 0;    ///< factors of the old means
    float fresh1 = 1, fresh2 = 1;  ///< 1 - beta1, 1 - beta2
    float root_correction2 = 1;    ///< sqrt(1 - beta2^t)
    float epsilon = 0;
    float rate = 0;  ///< lr / (1 - beta1^t)
};

/// Applies one step to `count` elements, reading and writing each once. Operator by operator, the same step would move
/// four times as many bytes. Each element is computed separately, so the bits do not depend on how the elements are
/// divided.
void adamw_elements(const AdamwStep& step, std::int64_t count, float* weights, const float* gradients, float* first,
                    float* second);

}  // namespace divisi::segment
