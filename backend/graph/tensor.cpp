// SPDX-License-Identifier: Apache-2.0
#include "backend/graph/tensor.h"

#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <utility>

namespace divisi::graph {
namespace {

template <typename T>
T read_as(const std::byte* data, std::int64_t index) {
    T value;
    std::memcpy(&value, data + index * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
    return value;
}

/// Converts IEEE 754 binary16: 1 sign bit, 5 exponent bits (bias 15), 10 fraction bits.
double from_float16(std::uint16_t bits) {
    const double sign = bits & 0x8000 ? -1.0 : 1.0;
    const int exponent = bits >> 10 & 0x1f;
    const int fraction = bits & 0x3ff;
    if (exponent == 0x1f) return fraction ? std::nan("") : sign * HUGE_VAL;
    if (exponent == 0) return sign * std::ldexp(fraction, -24);
    return sign * std::ldexp(fraction + 1024, exponent - 25);
}

double from_bfloat16(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

}  // namespace

std::int64_t HostTensor::element_count() const {
    std::int64_t count = 1;
    for (const std::int64_t dim : dims) count *= dim;
    return count;
}

HostTensor HostTensor::copy_of(DType dtype, std::vector<std::int64_t> dims, std::span<const std::byte> values) {
    HostTensor tensor;
    tensor.dtype = dtype;
    tensor.dims = std::move(dims);
    tensor.size_bytes = static_cast<std::int64_t>(values.size());
    assert(tensor.size_bytes == tensor.element_count() * element_size(dtype));
    const auto owned = std::make_shared<std::vector<std::byte>>(values.begin(), values.end());
    tensor.data = owned->data();
    tensor.owner = owned;
    return tensor;
}

std::int64_t HostTensor::integer_at(std::int64_t index) const {
    assert(strides.empty() && index >= 0 && index < element_count());
    switch (dtype) {
        case DType::boolean:
        case DType::uint8: return read_as<std::uint8_t>(data, index);
        case DType::int8: return read_as<std::int8_t>(data, index);
        case DType::uint16: return read_as<std::uint16_t>(data, index);
        case DType::int16: return read_as<std::int16_t>(data, index);
        case DType::uint32: return read_as<std::uint32_t>(data, index);
        case DType::int32: return read_as<std::int32_t>(data, index);
        case DType::uint64: return static_cast<std::int64_t>(read_as<std::uint64_t>(data, index));
        case DType::int64: return read_as<std::int64_t>(data, index);
        default: break;
    }
    assert(!"integer_at() of a tensor that holds no integers");
    return 0;
}

double HostTensor::number_at(std::int64_t index) const {
    assert(strides.empty() && index >= 0 && index < element_count());
    switch (dtype) {
        case DType::float32: return read_as<float>(data, index);
        case DType::float64: return read_as<double>(data, index);
        case DType::float16: return from_float16(read_as<std::uint16_t>(data, index));
        case DType::bfloat16: return from_bfloat16(read_as<std::uint16_t>(data, index));
        case DType::uint64: return static_cast<double>(read_as<std::uint64_t>(data, index));
        default: return static_cast<double>(integer_at(index));
    }
}

std::int64_t element_size(DType dtype) {
    switch (dtype) {
        case DType::boolean:
        case DType::uint8:
        case DType::int8: return 1;
        case DType::uint16:
        case DType::int16:
        case DType::float16:
        case DType::bfloat16: return 2;
        case DType::float32:
        case DType::int32:
        case DType::uint32: return 4;
        case DType::float64:
        case DType::int64:
        case DType::uint64:
        case DType::complex64: return 8;
        case DType::complex128: return 16;
        case DType::undefined:
        case DType::string: return 0;
    }
    return 0;
}

std::string_view name(DType dtype) {
    constexpr std::string_view names[] = {"undefined", "float32", "uint8",     "int8",       "uint16",  "int16",
                                          "int32",     "int64",   "string",    "bool",       "float16", "float64",
                                          "uint32",    "uint64",  "complex64", "complex128", "bfloat16"};
    return names[static_cast<std::size_t>(dtype)];
}

bool is_floating(DType dtype) {
    return dtype == DType::float32 || dtype == DType::float64 || dtype == DType::float16 || dtype == DType::bfloat16;
}

bool is_integer(DType dtype) {
    switch (dtype) {
        case DType::uint8:
        case DType::int8:
        case DType::uint16:
        case DType::int16:
        case DType::int32:
        case DType::int64:
        case DType::uint32:
        case DType::uint64: return true;
        default: return false;
    }
}

}  // namespace divisi::graph
