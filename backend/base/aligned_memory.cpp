// SPDX-License-Identifier: Apache-2.0
#include "backend/base/aligned_memory.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>

namespace divisi {

void* allocate_tensor(std::size_t bytes) noexcept {
    // The block's start address is stored directly before the tensor.
    constexpr std::size_t margin = sizeof(void*) + tensor_alignment - 1;
    if (bytes > std::numeric_limits<std::ptrdiff_t>::max() - margin) return nullptr;  // no object can be larger
    void* block = std::malloc(bytes + margin);
    if (block == nullptr) return nullptr;
    void* aligned = static_cast<std::byte*>(block) + sizeof block;
    std::size_t space = bytes + tensor_alignment - 1;
    auto* tensor = static_cast<std::byte*>(std::align(tensor_alignment, bytes, aligned, space));
    std::memcpy(tensor - sizeof block, &block, sizeof block);
    return tensor;
}

void free_tensor(void* memory) noexcept {
    if (memory == nullptr) return;
    void* block = nullptr;
    std::memcpy(&block, static_cast<std::byte*>(memory) - sizeof block, sizeof block);
    std::free(block);
}

}  // namespace divisi
