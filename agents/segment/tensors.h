// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "backend/base/result.h"
#include "backend/graph/tensor.h"

namespace divisi::segment {

/// LibTorch's element type, and back. Throw std::invalid_argument for types that LibTorch has no tensors of.
at::ScalarType to_scalar_type(graph::DType dtype);
graph::DType to_dtype(at::ScalarType type);

/// A tensor over the host tensor's bytes, which it keeps alive and must never write to; copied only to
/// another device or when the bytes are not aligned. Throws std::invalid_argument when the bytes do not
/// hold what dims and strides say.
at::Tensor import_tensor(const graph::HostTensor& host, at::Device device);

/// A host tensor over the tensor's bytes (copied from another device). Strides travel as they are, because
/// a transposed view and its contiguous copy do not give the same bits; only views with gaps or overlaps
/// are made contiguous.
graph::HostTensor export_tensor(const at::Tensor& tensor);
/// The same in memory of its own, whatever becomes of the tensor.
graph::HostTensor export_copy(const at::Tensor& tensor);

/// The same values in memory of their own, with the same strides where these are dense.
at::Tensor own_copy(const at::Tensor& tensor);

/// Until the device has done all that it was given.
void wait_for(const at::Device& device);

/// "cpu", "cuda" or "cuda:<n>"; else invalid_input.
Result<at::Device> parse_device(const std::string& name);
/// Empty, or why the device cannot be used here.
std::string device_problem(const at::Device& device);
/// Threads of LibTorch and of the BLAS library beneath it, in this process.
void set_threads(int threads);

}  // namespace divisi::segment
