// SPDX-License-Identifier: Apache-2.0
#include "agents/node/blob_service.h"

#include <algorithm>
#include <fstream>

#include "backend/store/tensor_selection.h"

namespace divisi::node {

Result<BlobManifest> BlobService::describe(const std::string& hash) { return store_.describe(hash); }

Result<std::vector<std::uint32_t>> BlobService::begin(const BlobManifest& manifest) {
    const TimePoint now = clock_.now();
    std::erase_if(writers_, [&](const auto& entry) { return now - entry.second.used > abandoned_after; });
    if (!writers_.contains(manifest.hash) && writers_.size() >= max_open_blobs)
        return Error{ErrorCode::exhausted, "too many uploads at once", "blob store", "wait for other uploads to end"};
    writers_.erase(manifest.hash);  // the old writer still has the blob's partial file open
    DIVISI_ASSIGN(auto writer, store_.begin(manifest));
    auto missing = writer.missing();
    writers_.insert_or_assign(manifest.hash, Open{std::move(writer), now});
    return missing;
}

Result<store::BlobWriter*> BlobService::writer(const std::string& hash) {
    const auto found = writers_.find(hash);
    if (found == writers_.end())
        return Error{ErrorCode::conflict, "this upload was not begun", "blob store", "begin it again"};
    found->second.used = clock_.now();
    return &found->second.writer;
}

Result<void> BlobService::put(const std::string& hash, std::uint32_t index, std::span<const std::byte> bytes) {
    if (!writers_.contains(hash) && store_.has(hash)) return {};  // another client has uploaded the rest
    DIVISI_ASSIGN(store::BlobWriter* const open, writer(hash));
    return open->put(index, bytes);
}

Result<void> BlobService::finish(const std::string& hash) {
    if (!writers_.contains(hash) && store_.has(hash)) return {};
    DIVISI_ASSIGN(store::BlobWriter* const open, writer(hash));
    auto path = open->finish();
    // Delete the writer: it would fail again, and a client that retries starts from the beginning.
    writers_.erase(hash);
    if (!path.ok()) return std::move(path).error();
    return {};
}

Result<std::string> BlobService::get(const std::string& hash, std::uint32_t index) {
    DIVISI_ASSIGN(const auto path, store_.path_of(hash));
    store_.touch(hash);
    std::ifstream file(path, std::ios::binary);
    std::string piece(static_cast<std::size_t>(blob_chunk_bytes), '\0');
    if (!file.seekg(static_cast<std::streamoff>(index) * blob_chunk_bytes))
        return Error{ErrorCode::not_found, "the blob has no piece " + std::to_string(index), path.string(),
                     "describe the blob again"};
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    piece.resize(static_cast<std::size_t>(file.gcount()));
    if (piece.empty())
        return Error{ErrorCode::not_found, "the blob has no piece " + std::to_string(index), path.string(),
                     "describe the blob again"};
    return piece;
}

Result<std::string> BlobService::select(const std::string& hash, const std::vector<std::string>& values) {
    return store::select_tensors(store_, hash, values);
}

Result<void> BlobService::keep_part(const std::string& of, const std::string& part, bool fetched_for_it) {
    DIVISI_TRY(store_.keep_part(of, part));
    if (fetched_for_it) (void)store_.remove(part);
    return {};
}

/// Returns all blobs that are not being written.
std::vector<store::BlobUse> BlobService::idle_blobs() const {
    std::vector<store::BlobUse> blobs = store_.list();
    std::erase_if(blobs, [&](const store::BlobUse& blob) { return writers_.contains(blob.hash); });
    return blobs;
}

BlobService::Holding BlobService::holding() const {
    Holding all;
    for (const store::BlobUse& blob : store_.list()) {
        ++all.blobs;
        all.bytes += blob.size;
    }
    return all;
}

std::vector<std::string> BlobService::to_ask_about() const {
    return store::blobs_to_ask_about(idle_blobs(), limits_, clock_.now());
}

BlobService::Removed BlobService::remove_unneeded(const std::set<std::string>& may_go, TimePoint asked) {
    Removed removed;
    const std::vector<store::BlobUse> blobs = idle_blobs();
    const std::vector<std::string> going = store::blobs_to_remove(blobs, may_go, limits_, asked);
    for (const store::BlobUse& blob : blobs)
        if (std::find(going.begin(), going.end(), blob.hash) != going.end()) remove(blob, removed);
    return removed;
}

BlobService::Removed BlobService::remove_named(const std::map<std::string, TimePoint>& named) {
    Removed removed;
    for (const store::BlobUse& blob : idle_blobs()) {
        const auto found = named.find(blob.hash);
        if (found != named.end() && blob.used < found->second) remove(blob, removed);
    }
    return removed;
}

void BlobService::remove(const store::BlobUse& blob, Removed& removed) {
    if (!store_.remove(blob.hash)) return;
    ++removed.blobs;
    removed.bytes += blob.size;
}

}  // namespace divisi::node
