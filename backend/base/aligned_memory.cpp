// SPDX-License-Identifier: Apache-2.0
#include "backend/base/aligned_memory.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace divisi {

void* allocate_tensor(std::size_t bytes) noexcept {
    // In front of the tensor stands where its block begins.
    constexpr std::size_t margin = sizeof(void*) + tensor_alignment - 1;
    if (bytes > std::numeric_limits<std::size_t>::max() - margin) return nullptr;
    void* block = std::malloc(bytes + margin);
    if (block == nullptr) return nullptr;
    const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(block) + margin;
    auto* tensor = reinterpret_cast<std::byte*>(first - first % tensor_alignment);
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
