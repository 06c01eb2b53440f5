// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "backend/base/result.h"

namespace divisi::onnx {

/// A regular file mapped read-only. Tensors hold the shared pointer as their owner, which keeps the mapping alive. The
/// file must not be shortened while it is mapped; replacing it by rename is safe.
class FileMapping {
public:
    /// Maps the file. Fails if it is not a regular file, and with exhausted if it is larger than `size_limit`.
    static Result<std::shared_ptr<const FileMapping>> open(const std::filesystem::path& path, std::int64_t size_limit);

    FileMapping(const FileMapping&) = delete;
    FileMapping& operator=(const FileMapping&) = delete;
    ~FileMapping();

    std::span<const std::byte> bytes() const { return {data_, size_}; }

private:
    FileMapping(const std::byte* data, std::size_t size) : data_(data), size_(size) {}

    const std::byte* data_;
    std::size_t size_;
};

}  // namespace divisi::onnx
