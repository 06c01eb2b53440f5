// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/keeping/files.h"

#include <algorithm>

#include "backend/control/protocol/instance_messages.h"
#include "backend/store/blob_store.h"
#include "backend/task/model_source.h"

namespace divisi::instance {

Result<std::string> local_path(const control::Deploy& deploy, const std::filesystem::path& blobs,
                               const std::string& purpose, const std::string& path) {
    const auto file = std::find_if(deploy.files.begin(), deploy.files.end(),
                                   [&](const control::FileRef& one) { return one.purpose == purpose; });
    if (file == deploy.files.end()) return task::resolve_path(deploy.folder, path);
    if (file->hash.empty()) return file->path;
    DIVISI_ASSIGN(store::BlobStore store, store::BlobStore::open(blobs));
    if (!store.has(file->hash))
        return Error{ErrorCode::not_found, "the node has no copy of " + file->path + " (" + purpose + ")",
                     blobs.string(), "submit the task again: missing files are then sent to the node"};
    DIVISI_ASSIGN(const std::filesystem::path local,
                  file->folder ? store.folder_of(file->hash) : store.path_of(file->hash));
    return local.string();
}

Result<KeptFile> keep_as_blob(const std::filesystem::path& file, const std::filesystem::path& blobs) {
    DIVISI_ASSIGN(store::BlobStore store, store::BlobStore::open(blobs));
    KeptFile kept;
    DIVISI_ASSIGN(kept.hash, store.adopt(file));
    DIVISI_ASSIGN(kept.path, store.path_of(kept.hash));
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
    return kept;
}

}  // namespace divisi::instance
