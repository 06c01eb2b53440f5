// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "backend/base/result.h"
#include "backend/graph/tensor.h"

namespace divisi::segment {

/// Convert to LibTorch's element type and back. Throw std::invalid_argument for types without LibTorch tensors.
at::ScalarType to_scalar_type(graph::DType dtype);
graph::DType to_dtype(at::ScalarType type);

/// Returns a tensor that uses the bytes of the host tensor. The tensor keeps these bytes alive; callers must never
/// write to it. Makes a copy only for another device, or if the bytes are not aligned. Throws std::invalid_argument if
/// the bytes do not match dims and strides.
at::Tensor import_tensor(const graph::HostTensor& host, at::Device device);

/// Returns a host tensor that uses the bytes of the tensor (copied from another device). Strides are kept, because a
/// transposed view and its contiguous copy do not give the same bits. Only views with gaps or overlaps are made
/// contiguous.
graph::HostTensor export_tensor(const at::Tensor& tensor);
/// Returns a host tensor with a copy of the bytes, independent of the tensor.
graph::HostTensor export_copy(const at::Tensor& tensor);

/// Returns a copy of the values, with the same strides if these are dense.
at::Tensor own_copy(const at::Tensor& tensor);

/// Waits until the device has finished all its work.
void wait_for(const at::Device& device);

/// Parses "cpu", "cuda" or "cuda:<n>"; fails with invalid_input otherwise.
Result<at::Device> parse_device(const std::string& name);
/// Returns why the device cannot be used here; empty if it can.
std::string device_problem(const at::Device& device);
/// Sets the number of threads of LibTorch and of its BLAS library in this process.
void set_threads(int threads);

/// Makes LibTorch allocate CPU tensors by allocate_tensor() in this process from now on. A repeated call has no effect.
void use_tensor_memory();

}  // namespace divisi::segment
