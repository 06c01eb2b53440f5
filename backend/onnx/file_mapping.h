// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "backend/base/result.h"

namespace divisi::onnx {

/// A regular file mapped read-only. Tensors keep it alive by holding the shared pointer as their owner.
/// The file must not be shortened while it is mapped; replacing it by rename is fine.
class FileMapping {
public:
    /// Fails on what is not a regular file, and with exhausted when it is larger than `size_limit`.
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
