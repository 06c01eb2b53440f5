// SPDX-License-Identifier: Apache-2.0
#include "agents/segment/tensors.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>
#include <dlfcn.h>

#include <cstring>
#include <stdexcept>

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

using graph::DType;
using graph::HostTensor;

namespace {

constexpr std::pair<DType, at::ScalarType> type_pairs[] = {
    {DType::float32, at::kFloat},     {DType::float64, at::kDouble}, {DType::float16, at::kHalf},
    {DType::bfloat16, at::kBFloat16}, {DType::int8, at::kChar},      {DType::int16, at::kShort},
    {DType::int32, at::kInt},         {DType::int64, at::kLong},     {DType::uint8, at::kByte},
    {DType::boolean, at::kBool},
};

/// Returns the number of elements from the first to the last one that the tensor uses; 0 if it is empty.
std::int64_t span_of(at::IntArrayRef sizes, at::IntArrayRef strides) {
    std::int64_t span = 1;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
        if (sizes[axis] == 0) return 0;
        span += (sizes[axis] - 1) * strides[axis];
    }
    return span;
}

std::vector<std::int64_t> row_major(at::IntArrayRef sizes) {
    std::vector<std::int64_t> strides(sizes.size(), 1);
    for (std::size_t axis = sizes.size(); axis-- > 1;)
        strides[axis - 1] = strides[axis] * std::max<std::int64_t>(sizes[axis], 1);
    return strides;
}

void check_extent(const HostTensor& host, at::IntArrayRef strides) {
    for (std::size_t axis = 0; axis < host.dims.size(); ++axis)
        if (host.dims[axis] < 0 || strides[axis] < 0)
            throw std::invalid_argument("a tensor has a negative dimension or stride");
    const auto needed = span_of(host.dims, strides) * graph::element_size(host.dtype);
    if (needed > host.size_bytes || (needed > 0 && host.data == nullptr))
        throw std::invalid_argument("a tensor of " + std::to_string(host.size_bytes) + " bytes, but its shape needs " +
                                    std::to_string(needed));
}

}  // namespace

at::ScalarType to_scalar_type(DType dtype) {
    for (const auto& [ours, theirs] : type_pairs)
        if (ours == dtype) return theirs;
    throw std::invalid_argument("elements of type " + std::string(graph::name(dtype)) +
                                " are not supported by the kernels");
}

DType to_dtype(at::ScalarType type) {
    for (const auto& [ours, theirs] : type_pairs)
        if (theirs == type) return ours;
    throw std::invalid_argument(std::string("elements of LibTorch type ") + c10::toString(type) + " have no ONNX type");
}

at::Tensor import_tensor(const HostTensor& host, at::Device device) {
    const auto options = at::TensorOptions().dtype(to_scalar_type(host.dtype));
    const auto strides = host.strides.empty() ? row_major(host.dims) : host.strides;
    if (strides.size() != host.dims.size())
        throw std::invalid_argument("a tensor with " + std::to_string(host.dims.size()) + " dimensions and " +
                                    std::to_string(strides.size()) + " strides");
    check_extent(host, strides);
    const auto element = static_cast<std::uintptr_t>(graph::element_size(host.dtype));
    const bool aligned = reinterpret_cast<std::uintptr_t>(host.data) % element == 0;
    if (host.data == nullptr || !aligned) {
        auto copy = at::empty_strided(host.dims, strides, options);
        const auto bytes = static_cast<std::size_t>(span_of(host.dims, strides)) * element;
        if (bytes > 0) std::memcpy(copy.data_ptr(), host.data, bytes);
        return device.is_cpu() ? copy : copy.to(device);
    }
    // LibTorch has no read-only tensors, so cast const away; nothing writes to imported tensors.
    auto* bytes = const_cast<std::byte*>(host.data);
    auto tensor = at::from_blob(
        bytes, host.dims, strides, [owner = host.owner](void*) {}, options);
    return device.is_cpu() ? tensor : tensor.to(device);
}

HostTensor export_tensor(const at::Tensor& tensor) {
    auto held = tensor.detach();
    if (!held.device().is_cpu()) held = held.cpu();
    if (!held.is_non_overlapping_and_dense()) held = held.contiguous();
    HostTensor host;
    host.dtype = to_dtype(held.scalar_type());
    host.dims = held.sizes().vec();
    if (!held.is_contiguous()) host.strides = held.strides().vec();
    host.size_bytes = held.numel() * graph::element_size(host.dtype);
    host.data = static_cast<const std::byte*>(held.data_ptr());
    host.owner = std::make_shared<at::Tensor>(std::move(held));
    return host;
}

HostTensor export_copy(const at::Tensor& tensor) { return export_tensor(tensor.is_cpu() ? own_copy(tensor) : tensor); }

at::Tensor own_copy(const at::Tensor& tensor) {
    const auto plain = tensor.detach();
    if (!plain.is_non_overlapping_and_dense()) return plain.clone(at::MemoryFormat::Contiguous);
    return plain.clone(at::MemoryFormat::Preserve);
}

Result<at::Device> parse_device(const std::string& name) {
    if (name == "cpu") return at::Device(at::kCPU);
    if (name == "cuda") return at::Device(at::kCUDA, 0);
    if (name.starts_with("cuda:") && name.size() > 5 && name.size() < 8 &&
        name.find_first_not_of("0123456789", 5) == std::string::npos)
        return at::Device(at::kCUDA, static_cast<at::DeviceIndex>(std::stoi(name.substr(5))));
    return Error{ErrorCode::invalid_input, "unknown device '" + name + "'", "", "use cpu, cuda or cuda:<n>"};
}

namespace {

/// Loads CUDA for LibTorch 2, which has CUDA in a separate library that only segments on a GPU need. The library
/// registers itself. LibTorch checks the registration only once, so load the library before any query about GPUs.
void load_cuda() { static_cast<void>(dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL)); }

}  // namespace

std::string device_problem(const at::Device& device) {
    if (device.is_cpu()) return "";
    load_cuda();
    if (!at::hasCUDA()) return "this LibTorch has no CUDA, or no GPU is visible";
    const auto count = at::detail::getCUDAHooks().getNumGPUs();
    if (device.index() >= count) return "only " + std::to_string(count) + " GPUs are visible";
    return "";
}

void wait_for(const at::Device& device) {
    if (device.is_cuda()) at::detail::getCUDAHooks().deviceSynchronize(device.index());
}

void set_threads(int threads) {
    at::set_num_threads(threads);
    // LibTorch's setting does not affect OpenBLAS, so also call the function of OpenBLAS, which exists only if that
    // library is loaded.
    if (void* setter = dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))
        reinterpret_cast<void (*)(int)>(setter)(threads);
}

void use_tensor_memory() {
    static TakenMemory<&take, &free_tensor> memory;
    [[maybe_unused]] static const bool set = [] {
        c10::SetCPUAllocator(&memory);
        return true;
    }();
}

}  // namespace divisi::segment
