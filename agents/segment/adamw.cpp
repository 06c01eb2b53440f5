// SPDX-License-Identifier: Apache-2.0
#include "agents/segment/adamw.h"

#include <cmath>

namespace divisi::segment {

void adamw_elements(const AdamwStep& step, std::int64_t count, float* __restrict weights,
                    const float* __restrict gradients, float* __restrict first, float* __restrict second) {
    const AdamwStep s = step;  // a local copy, which the compiler knows is not changed by writes to the arrays
    for (std::int64_t i = 0; i < count; ++i) {
        const float gradient = gradients[i] * s.gradient_scale;
        first[i] = first[i] * s.beta1 + gradient * s.fresh1;
        second[i] = second[i] * s.beta2 + gradient * gradient * s.fresh2;
        const float denominator = std::sqrt(second[i]) / s.root_correction2 + s.epsilon;
        weights[i] = weights[i] * s.keep - s.rate * (first[i] / denominator);
    }
}

}  // namespace divisi::segment
