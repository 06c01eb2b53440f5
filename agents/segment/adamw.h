// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace divisi::segment {

/// The constants of one step of AdamW (formula in optimizer.h).
struct AdamwStep {
    float gradient_scale = 1;      ///< factor of the gradient, from gradient clipping
    float keep = 1;                ///< share of each weight that remains after decay: 1 - lr * weight_decay
    float beta1 = 0, beta2 = 0;    ///< decay rates of the two means
    float fresh1 = 1, fresh2 = 1;  ///< weights of the new gradient in the means: 1 - beta1, 1 - beta2
    float root_correction2 = 1;    ///< bias correction of the second mean: sqrt(1 - beta2^t)
    float epsilon = 0;
    float rate = 0;  ///< step size with bias correction: lr / (1 - beta1^t)
};

/// Applies one step to `count` elements, reading and writing each once. The same step as a sequence of operators would
/// move four times as many bytes. Each element is computed separately, so the bits do not depend on how the elements
/// are divided.
void adamw_elements(const AdamwStep& step, std::int64_t count, float* weights, const float* gradients, float* first,
                    float* second);

}  // namespace divisi::segment
