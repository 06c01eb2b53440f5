// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace divisi::graph {

/// Element types. Their numbers are the same as in onnx.TensorProto.DataType, and are also used in messages.
enum class DType : std::uint8_t {
    undefined = 0,
    float32 = 1,
    uint8 = 2,
    int8 = 3,
    uint16 = 4,
    int16 = 5,
    int32 = 6,
    int64 = 7,
    string = 8,
    boolean = 9,
    float16 = 10,
    float64 = 11,
    uint32 = 12,
    uint64 = 13,
    complex64 = 14,
    complex128 = 15,
    bfloat16 = 16,
};

/// Returns the bytes of one element; 0 for undefined and string.
std::int64_t element_size(DType dtype);
std::string_view name(DType dtype);
bool is_floating(DType dtype);
bool is_integer(DType dtype);

/// A tensor in host memory. `strides` are in elements; empty means row-major contiguous. The bytes are shared and must
/// not be written after the tensor was passed on. `owner` keeps their storage alive.
struct HostTensor {
    DType dtype = DType::undefined;
    std::vector<std::int64_t> dims;
    std::vector<std::int64_t> strides;
    std::shared_ptr<const void> owner;
    const std::byte* data = nullptr;
    std::int64_t size_bytes = 0;

    std::int64_t element_count() const;
    std::span<const std::byte> bytes() const { return {data, static_cast<std::size_t>(size_bytes)}; }

    /// Copies `values` into a new contiguous tensor.
    static HostTensor copy_of(DType dtype, std::vector<std::int64_t> dims, std::span<const std::byte> values);
    template <typename T>
    static HostTensor of(DType dtype, std::vector<std::int64_t> dims, const std::vector<T>& values) {
        return copy_of(dtype, std::move(dims), std::as_bytes(std::span<const T>(values)));
    }
    /// Returns element `index` of a contiguous integer or boolean tensor, widened to 64 bits.
    std::int64_t integer_at(std::int64_t index) const;
    /// Returns element `index` of a contiguous numeric tensor, converted to double.
    double number_at(std::int64_t index) const;
};

}  // namespace divisi::graph
