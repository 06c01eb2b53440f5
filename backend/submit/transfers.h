// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backend/control/protocol/task_messages.h"
#include "backend/link/security.h"
#include "backend/store/blob_source.h"
#include "backend/store/blob_store.h"

namespace divisi::submit {

// Each call of upload() or fetch() runs a separate event loop on the calling thread until all work is done, or until
// another thread sets `cancelled`. Data that has arrived by then is kept and not sent again.

/// Identity with which a client connects to nodes.
struct ClientIdentity {
    link::Context& context;
    std::optional<link::KeyPair> keys;  ///< needed for nodes on tcp
};

/// Reports that `done` of `total` bytes are present on the nodes, including bytes that were there before the upload.
using Progress = std::function<void(Bytes done, Bytes total)>;

struct UploadReport {
    std::size_t files = 0;  ///< number of files; a file counts once for each node
    Bytes bytes = 0;        ///< size of all files
    Bytes sent = 0;         ///< bytes that were missing on the nodes
};
/// Uploads to each node the files that the node must have. Serves all nodes in parallel. Fails with the first error and
/// names its node or file: unreachable, refused, full, or a file that changed during the upload.
Result<UploadReport> upload(const ClientIdentity& identity, const std::vector<control::Upload>& uploads,
                            const std::vector<store::BlobSource>& blobs, const std::atomic<bool>& cancelled,
                            const Progress& progress = {});

/// Fetches a blob from a node into a store of this machine, unless it is already there.
Result<std::filesystem::path> fetch(const ClientIdentity& identity, const control::NodeInfo& node,
                                    const std::string& hash, store::BlobStore& store,
                                    const std::atomic<bool>& cancelled);

}  // namespace divisi::submit
