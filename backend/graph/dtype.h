// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

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

}  // namespace divisi::graph
