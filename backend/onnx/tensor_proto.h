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

/// Sanity bound of a mapped data file (1 TiB), beyond any model and well inside the address space.
inline constexpr std::int64_t external_file_limit = std::int64_t{1} << 40;
/// LibTorch takes at most 64 dimensions.
inline constexpr int rank_limit = 64;

/// The external data files of one model: only regular files inside the model's own folder, mapped once.
class ExternalFiles {
public:
    explicit ExternalFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// `location` is the model's text; refused when absolute, with "..", or leading outside by a symbolic link.
    Result<std::shared_ptr<const FileMapping>> open(const std::string& location, const std::string& where);

private:
    std::filesystem::path folder_;
    std::map<std::string, std::shared_ptr<const FileMapping>> files_;
};

/// Where the bytes of a tensor may come from besides the message itself.
struct TensorSource {
    std::shared_ptr<const void> owner;  ///< holds `large` alive
    std::span<const std::byte> large;   ///< data that scan_model() took out, or empty
    ExternalFiles* external = nullptr;  ///< null: external data is refused
};

/// Elements of `dims`; invalid_input where one is negative or the product at `element_bytes` overflows.
Result<std::int64_t> checked_count(std::span<const std::int64_t> dims, std::int64_t element_bytes,
                                   const std::string& where);

/// Decodes a tensor without copying raw data; takes what it can out of `proto`. Strings come out as a
/// tensor of dtype string with dims and no bytes. `where` names file and tensor in messages.
Result<graph::HostTensor> decode_tensor(::onnx::TensorProto& proto, const TensorSource& source,
                                        const std::string& where);

/// Fills type, dims and raw_data. Strided tensors come out row-major.
void encode_tensor(const graph::HostTensor& tensor, ::onnx::TensorProto& proto);

/// Says that the data lies in the file `location`.
void set_external_data(::onnx::TensorProto& proto, const std::string& location, std::int64_t offset,
                       std::int64_t length);

/// The bytes of `tensor` in row-major order; copies only when it is strided.
graph::HostTensor contiguous(const graph::HostTensor& tensor);

}  // namespace divisi::onnx
