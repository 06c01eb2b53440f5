// SPDX-License-Identifier: Apache-2.0
#include "backend/graph/dtype.h"

namespace divisi::graph {

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
