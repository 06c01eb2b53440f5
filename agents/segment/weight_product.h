// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include "agents/segment/kernel.h"

namespace divisi::segment {

/// True for a product of `rows` with a trained matrix in a segment that sums gradients up (RunContext::sums_gradients).
bool is_weight_product(const RunContext& context, const at::Tensor& rows, const at::Tensor& weight);

/// rows * weight + bias, or with `transposed` rows * weight^T + bias; rows [..., K], bias [N] or undefined. Backward
/// the weight's gradient is added to its sum by the product itself. Autograd would write each
/// micro-batch's gradient to memory of its own, and then read it and the sum to write the sum anew.
at::Tensor weight_product(const at::Tensor& rows, const at::Tensor& weight, bool transposed, const at::Tensor& bias);

}  // namespace divisi::segment
