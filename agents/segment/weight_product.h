// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include "agents/segment/kernel.h"

namespace divisi::segment {

/// Returns whether this is a product of `rows` with a trained matrix in a segment that sums gradients
/// (RunContext::sums_gradients).
bool is_weight_product(const RunContext& context, const at::Tensor& rows, const at::Tensor& weight);

/// Returns rows * weight + bias, or with `transposed` rows * weight^T + bias; rows [..., K], bias [N] or undefined. In
/// backward, the node of the product adds the weight's gradient directly to the sum over micro-batches. Autograd would
/// write each micro-batch's gradient to separate memory, then read this gradient and the sum to write the new sum.
at::Tensor weight_product(const at::Tensor& rows, const at::Tensor& weight, bool transposed, const at::Tensor& bias);

}  // namespace divisi::segment
