// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backend/control/protocol/message.h"
#include "backend/link/security.h"
#include "backend/store/blob_source.h"
#include "backend/store/blob_store.h"

namespace divisi::submit {

// Each call runs a loop of its own on the calling thread until everything is done, or `cancelled` is set by
// another thread; what has arrived by then is kept and not sent again.

/// As whom a client comes to the nodes.
struct Traveller {
    link::Context& context;
    std::optional<link::KeyPair> keys;  ///< needed for nodes on tcp
};

/// `done` of `total` bytes are there, those that were there before included.
using Progress = std::function<void(Bytes done, Bytes total)>;

struct UploadReport {
    std::size_t files = 0;  ///< once for each node
    Bytes bytes = 0;        ///< of all of them
    Bytes sent = 0;         ///< what the nodes lacked
};
/// Brings to each node what it must hold, all nodes at once. Fails with the first error of a node or file, which
/// it names: unreachable, refused, full, a file that changed meanwhile.
Result<UploadReport> upload(const Traveller& traveller, const std::vector<control::Upload>& uploads,
                            const std::vector<store::BlobSource>& blobs, const std::atomic<bool>& cancelled,
                            const Progress& progress = {});

/// Fetches a blob from a node into a store of this machine's, unless it is there.
Result<std::filesystem::path> fetch(const Traveller& traveller, const control::NodeInfo& node, const std::string& hash,
                                    store::BlobStore& store, const std::atomic<bool>& cancelled);

}  // namespace divisi::submit
