// SPDX-License-Identifier: Apache-2.0
#include "backend/onnx/tensor_proto.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "backend/onnx/error_texts.h"

namespace divisi::onnx {
namespace {

using graph::DType;
using graph::HostTensor;

HostTensor over(DType dtype, std::vector<std::int64_t> dims, std::span<const std::byte> bytes,
                std::shared_ptr<const void> owner) {
    HostTensor tensor;
    tensor.dtype = dtype;
    tensor.dims = std::move(dims);
    tensor.owner = std::move(owner);
    tensor.data = bytes.data();
    tensor.size_bytes = static_cast<std::int64_t>(bytes.size());
    return tensor;
}

Result<std::optional<std::int64_t>> external_number(const ::onnx::TensorProto& proto, const char* key,
                                                    const std::string& where) {
    for (const auto& entry : proto.external_data()) {
        if (entry.key() != key) continue;
        const std::string& text = entry.value();
        std::int64_t value = -1;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size() || value < 0)
            return make_error(error_text("external-number-not-valid"), where, {std::string(key), text.substr(0, 40)});
        return std::optional<std::int64_t>(value);
    }
    return std::optional<std::int64_t>();
}

Result<HostTensor> decode_external(const ::onnx::TensorProto& proto, DType dtype, std::vector<std::int64_t> dims,
                                   std::int64_t size, ExternalFiles* files, const std::string& where) {
    if (files == nullptr) return make_error(error_text("external-data-without-folder"), where);
    std::string location;
    for (const auto& entry : proto.external_data())
        if (entry.key() == "location") location = entry.value();
    DIVISI_ASSIGN(const auto offset, external_number(proto, "offset", where));
    DIVISI_ASSIGN(const auto length, external_number(proto, "length", where));
    if (length && *length != size)
        return make_error(error_text("external-length-misfits"), where,
                          {std::to_string(size), std::to_string(*length)});
    DIVISI_ASSIGN(const auto file, files->open(location, where));
    const auto available = static_cast<std::int64_t>(file->bytes().size());
    const std::int64_t begin = offset.value_or(0);
    if (begin > available || size > available - begin)
        return make_error(error_text("external-file-too-short"), where,
                          {std::to_string(size), std::to_string(begin), location, std::to_string(available)});
    return over(dtype, std::move(dims),
                file->bytes().subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(size)), file);
}

template <typename To, typename From>
HostTensor convert(DType dtype, std::vector<std::int64_t> dims, const From& from) {
    auto values = std::make_shared<std::vector<To>>();
    values->reserve(static_cast<std::size_t>(from.size()));
    for (const auto value : from) values->push_back(static_cast<To>(value));
    const auto bytes = std::as_bytes(std::span<const To>(*values));
    return over(dtype, std::move(dims), bytes, values);
}

/// Decodes data from the typed fields, whose element widths differ from the element widths of the tensor.
Result<HostTensor> decode_typed(const ::onnx::TensorProto& proto, DType dtype, std::vector<std::int64_t> dims,
                                std::int64_t count, const std::string& where) {
    const bool complex = dtype == DType::complex64 || dtype == DType::complex128;
    const auto filled = [&](std::int64_t size) { return size == (complex ? 2 * count : count); };
    const auto short_of = [&](std::int64_t size) {
        return make_error(error_text("tensor-numbers-misfit"), where,
                          {std::to_string(size), std::to_string(complex ? 2 * count : count)});
    };
    switch (dtype) {
        case DType::float32:
        case DType::complex64:
            if (!filled(proto.float_data_size())) return short_of(proto.float_data_size());
            return convert<float>(dtype, std::move(dims), proto.float_data());
        case DType::float64:
        case DType::complex128:
            if (!filled(proto.double_data_size())) return short_of(proto.double_data_size());
            return convert<double>(dtype, std::move(dims), proto.double_data());
        case DType::int64:
            if (!filled(proto.int64_data_size())) return short_of(proto.int64_data_size());
            return convert<std::int64_t>(dtype, std::move(dims), proto.int64_data());
        case DType::uint32:
        case DType::uint64:
            if (!filled(proto.uint64_data_size())) return short_of(proto.uint64_data_size());
            if (dtype == DType::uint32) return convert<std::uint32_t>(dtype, std::move(dims), proto.uint64_data());
            return convert<std::uint64_t>(dtype, std::move(dims), proto.uint64_data());
        default: break;
    }
    if (!filled(proto.int32_data_size())) return short_of(proto.int32_data_size());
    switch (graph::element_size(dtype)) {
        case 1: return convert<std::uint8_t>(dtype, std::move(dims), proto.int32_data());
        case 2: return convert<std::uint16_t>(dtype, std::move(dims), proto.int32_data());
        default: return convert<std::int32_t>(dtype, std::move(dims), proto.int32_data());
    }
}

Result<DType> decode_type(std::int32_t number, const std::string& where) {
    if (number < 1 || number > static_cast<int>(DType::bfloat16))
        return make_error(error_text("element-type-not-known"), where, {std::to_string(number)});
    return static_cast<DType>(number);
}

bool is_inside(const std::filesystem::path& folder, const std::filesystem::path& file) {
    return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

}  // namespace

Result<std::int64_t> checked_count(std::span<const std::int64_t> dims, std::int64_t element_bytes,
                                   const std::string& where) {
    if (dims.size() > rank_limit)
        return make_error(error_text("too-many-dimensions"), where,
                          {std::to_string(dims.size()), std::to_string(rank_limit)});
    std::int64_t bytes = std::max<std::int64_t>(element_bytes, 1);
    bool empty = false;
    for (const std::int64_t dim : dims) {
        if (dim < 0) return make_error(error_text("dimension-of-tensor-negative"), where, {std::to_string(dim)});
        if (dim == 0) empty = true;
        else if (__builtin_mul_overflow(bytes, dim, &bytes))
            return make_error(error_text("dimensions-overflow"), where);
    }
    return empty ? 0 : bytes / std::max<std::int64_t>(element_bytes, 1);
}

Result<HostTensor> decode_tensor(::onnx::TensorProto& proto, const TensorSource& source, const std::string& where) {
    DIVISI_ASSIGN(const DType dtype, decode_type(proto.data_type(), where));
    std::vector<std::int64_t> dims(proto.dims().begin(), proto.dims().end());
    DIVISI_ASSIGN(const std::int64_t count, checked_count(dims, graph::element_size(dtype), where));
    if (proto.has_segment()) return make_error(error_text("tensor-in-segments"), where);
    if (dtype == DType::string) {
        if (proto.string_data_size() != count) return make_error(error_text("string-count-misfits"), where);
        return over(dtype, std::move(dims), {}, nullptr);
    }
    const std::int64_t size = count * graph::element_size(dtype);
    if (proto.data_location() == ::onnx::TensorProto::EXTERNAL)
        return decode_external(proto, dtype, std::move(dims), size, source.external, where);
    if (source.large.empty() && !proto.has_raw_data()) return decode_typed(proto, dtype, std::move(dims), count, where);

    const bool is_large = !source.large.empty();
    const auto held = static_cast<std::int64_t>(is_large ? source.large.size() : proto.raw_data().size());
    if (held != size)
        return make_error(error_text("tensor-bytes-misfit"), where, {std::to_string(held), std::to_string(size)});
    if (is_large) return over(dtype, std::move(dims), source.large, source.owner);
    auto owner = std::make_shared<const std::string>(std::move(*proto.mutable_raw_data()));
    const auto bytes = std::as_bytes(std::span<const char>(owner->data(), owner->size()));
    return over(dtype, std::move(dims), bytes, owner);
}

HostTensor contiguous(const HostTensor& tensor) {
    if (tensor.strides.empty() || tensor.element_count() == 0) return tensor;
    const auto width = static_cast<std::size_t>(graph::element_size(tensor.dtype));
    const auto count = static_cast<std::size_t>(tensor.element_count());
    auto bytes = std::make_shared<std::vector<std::byte>>(count * width);
    std::vector<std::int64_t> index(tensor.dims.size(), 0);
    for (std::size_t element = 0; element < count; ++element) {
        std::int64_t position = 0;
        for (std::size_t axis = 0; axis < index.size(); ++axis) position += index[axis] * tensor.strides[axis];
        std::memcpy(bytes->data() + element * width, tensor.data + position * static_cast<std::int64_t>(width), width);
        for (std::size_t axis = index.size(); axis-- > 0;) {
            if (++index[axis] < tensor.dims[axis]) break;
            index[axis] = 0;
        }
    }
    return over(tensor.dtype, tensor.dims, *bytes, bytes);
}

void encode_tensor(const HostTensor& tensor, ::onnx::TensorProto& proto) {
    proto.set_data_type(static_cast<std::int32_t>(tensor.dtype));
    for (const std::int64_t dim : tensor.dims) proto.add_dims(dim);
    const HostTensor packed = contiguous(tensor);
    proto.set_raw_data(packed.data, static_cast<std::size_t>(packed.size_bytes));
}

void set_external_data(::onnx::TensorProto& proto, const std::string& location, std::int64_t offset,
                       std::int64_t length) {
    proto.set_data_location(::onnx::TensorProto::EXTERNAL);
    for (const auto& [key, value] : {std::pair<const char*, std::string>{"location", location},
                                     {"offset", std::to_string(offset)},
                                     {"length", std::to_string(length)}}) {
        auto& entry = *proto.add_external_data();
        entry.set_key(key);
        entry.set_value(value);
    }
}

Result<std::shared_ptr<const FileMapping>> ExternalFiles::open(const std::string& location, const std::string& where) {
    if (const auto known = files_.find(location); known != files_.end()) return known->second;
    const std::filesystem::path relative(location);
    if (location.empty() || location.find('\0') != std::string::npos)
        return make_error(error_text("external-data-unnamed"), where, {location});
    if (relative.is_absolute()) return make_error(error_text("external-path-absolute"), where, {location});
    if (std::find(relative.begin(), relative.end(), "..") != relative.end())
        return make_error(error_text("external-path-leaves-folder"), where, {location});

    std::error_code error;
    const auto folder = std::filesystem::canonical(folder_.empty() ? "." : folder_, error);
    if (error) return make_error(error_text("model-folder-gone"), where);
    const auto file = std::filesystem::canonical(folder / relative, error);
    if (error) return make_error(error_text("external-data-not-found"), where, {location, error.message()});
    if (!is_inside(folder, file)) return make_error(error_text("external-link-leaves-folder"), where, {location});

    DIVISI_ASSIGN(auto mapping, FileMapping::open(file, external_file_limit));
    files_.emplace(location, mapping);
    return mapping;
}

}  // namespace divisi::onnx
