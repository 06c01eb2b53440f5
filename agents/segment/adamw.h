// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace divisi::segment {

/// The numbers of one step of AdamW (optimizer.h has the formula), all that does not change from element to element.
struct AdamwStep {
    float gradient_scale = 1;      ///< of clipping
    float keep = 1;                ///< 1 - lr * weight_decay
    float beta1 = 0, beta2 = 0;    ///< of the old means
    float fresh1 = 1, fresh2 = 1;  ///< 1 - beta1, 1 - beta2
    float root_correction2 = 1;    ///< sqrt(1 - beta2^t)
    float epsilon = 0;
    float rate = 0;  ///< lr / (1 - beta1^t)
};

/// One step over `count` elements, each read and written once: operator by operator the same step moves four times as
/// many bytes. Every element by itself, so that the bits do not depend on how the elements are divided.
void adamw_elements(const AdamwStep& step, std::int64_t count, float* weights, const float* gradients, float* first,
                    float* second);

}  // namespace divisi::segment
