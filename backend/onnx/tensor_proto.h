// SPDX-License-Identifier: Apache-2.0
#pragma once

// Private to backend/onnx: includes generated Protobuf headers.
#include <onnx/onnx_pb.h>

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "backend/base/result.h"
#include "backend/graph/tensor.h"
#include "backend/onnx/file_mapping.h"

namespace divisi::onnx {

/// Sanity limit for a mapped data file (1 TiB): beyond any model and well inside the address space.
inline constexpr std::int64_t external_file_limit = std::int64_t{1} << 40;
/// LibTorch supports at most 64 dimensions.
inline constexpr int rank_limit = 64;

/// Opens the external data files of one model. Accepts only regular files inside the model's own folder and maps each
/// once.
class ExternalFiles {
public:
    explicit ExternalFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// Opens a file. `location` comes from the model and is refused if it is absolute, contains ".." or leads outside
    /// the folder by a symbolic link.
    Result<std::shared_ptr<const FileMapping>> open(const std::string& location, const std::string& where);

private:
    std::filesystem::path folder_;
    std::map<std::string, std::shared_ptr<const FileMapping>> files_;
};

/// Sources of a tensor's bytes other than the message itself.
struct TensorSource {
    std::shared_ptr<const void> owner;  ///< keeps `large` alive
    std::span<const std::byte> large;   ///< data that scan_model() separated, or empty
    ExternalFiles* external = nullptr;  ///< null: external data is refused
};

/// Returns the number of elements for `dims`. Fails with exhausted for more than rank_limit dimensions. Fails with
/// invalid_input if a dimension is negative or the product with `element_bytes` overflows.
Result<std::int64_t> checked_count(std::span<const std::int64_t> dims, std::int64_t element_bytes,
                                   const std::string& where);

/// Decodes a tensor without copying raw data; moves data from `proto` where possible. Strings give a tensor of dtype
/// string with dims but no bytes. `where` names file and tensor in messages.
Result<graph::HostTensor> decode_tensor(::onnx::TensorProto& proto, const TensorSource& source,
                                        const std::string& where);

/// Fills in type, dims and raw_data. Strided tensors are written in row-major order.
void encode_tensor(const graph::HostTensor& tensor, ::onnx::TensorProto& proto);

/// Marks the data as stored in the file `location`.
void set_external_data(::onnx::TensorProto& proto, const std::string& location, std::int64_t offset,
                       std::int64_t length);

/// Returns `tensor` in row-major order; copies only a strided tensor.
graph::HostTensor contiguous(const graph::HostTensor& tensor);

}  // namespace divisi::onnx
