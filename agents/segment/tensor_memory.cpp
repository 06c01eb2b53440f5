// SPDX-License-Identifier: Apache-2.0
#include "agents/segment/tensor_memory.h"

#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>

#include <cstring>

#include "backend/base/aligned_memory.h"

namespace divisi::segment {
namespace {

c10::DataPtr take(std::size_t bytes) {
    void* memory = bytes == 0 ? nullptr : allocate_tensor(bytes);
    TORCH_CHECK(memory != nullptr || bytes == 0, "can't allocate memory: a tensor of ", bytes, " bytes");
    return {memory, memory, &free_tensor, c10::Device(c10::DeviceType::CPU)};
}

/// LibTorch 1.13 declares allocate() const. LibTorch 2 does not, and wants copy_data() besides.
template <typename Base, typename Allocate = decltype(&Base::allocate)>
class TensorMemory;

template <typename Base>
class TensorMemory<Base, c10::DataPtr (Base::*)(std::size_t) const> final : public Base {
public:
    c10::DataPtr allocate(std::size_t bytes) const override { return take(bytes); }
    c10::DeleterFnPtr raw_deleter() const override { return &free_tensor; }
};

template <typename Base>
class TensorMemory<Base, c10::DataPtr (Base::*)(std::size_t)> final : public Base {
public:
    c10::DataPtr allocate(std::size_t bytes) override { return take(bytes); }
    c10::DeleterFnPtr raw_deleter() const override { return &free_tensor; }
    void copy_data(void* to, const void* from, std::size_t bytes) const override { std::memcpy(to, from, bytes); }
};

}  // namespace

void use_tensor_memory() {
    static TensorMemory<c10::Allocator> memory;
    [[maybe_unused]] static const bool set = [] {
        c10::SetCPUAllocator(&memory);
        return true;
    }();
}

}  // namespace divisi::segment
