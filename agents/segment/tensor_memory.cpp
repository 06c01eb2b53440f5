// SPDX-License-Identifier: Apache-2.0
#include "agents/segment/tensor_memory.h"

#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>

#include "agents/segment/torch_compat.h"
#include "backend/base/aligned_memory.h"

namespace divisi::segment {
namespace {

c10::DataPtr take(std::size_t bytes) {
    void* memory = bytes == 0 ? nullptr : allocate_tensor(bytes);
    TORCH_CHECK(memory != nullptr || bytes == 0, "can't allocate memory: a tensor of ", bytes, " bytes");
    return {memory, memory, &free_tensor, c10::Device(c10::DeviceType::CPU)};
}

}  // namespace

void use_tensor_memory() {
    static TakenMemory<&take, &free_tensor> memory;
    [[maybe_unused]] static const bool set = [] {
        c10::SetCPUAllocator(&memory);
        return true;
    }();
}

}  // namespace divisi::segment
