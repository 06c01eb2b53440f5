// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace divisi {

/// Alignment of every tensor's first byte. Kernels choose their loops by alignment, and different loops may round
/// differently. Therefore all tensors of all processes, computed or received, have the same alignment.
inline constexpr std::size_t tensor_alignment = 64;

/// Allocates memory for one tensor; returns nullptr if no memory is left. Freed memory is reused for the next request
/// of the same size. The C library's aligned allocation does not guarantee this. glibc before 2.38 requests `bytes` +
/// 96 from its heap, and a block freed by an equally large tensor is smaller than this request. A training run
/// allocates the same sizes again and again, so its memory use would grow without end.
void* allocate_tensor(std::size_t bytes) noexcept;
/// Frees memory from allocate_tensor(); callable from any thread, and nullptr is allowed.
void free_tensor(void* memory) noexcept;

}  // namespace divisi
