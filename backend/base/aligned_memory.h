// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace divisi {

/// Where tensors begin. Kernels choose their loops by alignment, and another loop may round differently: all tensors
/// of all processes, made or received, have the same.
inline constexpr std::size_t tensor_alignment = 64;

/// Memory for one tensor; nullptr where there is none left. Unlike the C library's aligned allocation, freed memory
/// serves the next request of the same size: glibc before 2.38 asks its heap for `bytes` + 96, which the hole that an
/// equal tensor left does not have, and a training run, which asks for the same sizes again and again, grows for ever.
void* allocate_tensor(std::size_t bytes) noexcept;
/// Takes back what allocate_tensor() gave, on any thread; nullptr is allowed.
void free_tensor(void* memory) noexcept;

}  // namespace divisi
