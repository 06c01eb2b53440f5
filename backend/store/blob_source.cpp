// SPDX-License-Identifier: Apache-2.0
#include "backend/store/blob_source.h"

#include <algorithm>
#include <fstream>
#include <span>

#include "backend/frame/crc32c.h"
#include "backend/store/blob_hash.h"
#include "backend/store/error_texts.h"

namespace divisi::store {
namespace {

Bytes piece_size(Bytes whole, Bytes index) { return std::min(blob_chunk_bytes, whole - index * blob_chunk_bytes); }

Error changed(const std::filesystem::path& path) {
    return make_error(error_text("file-changed-while-read"), path.string());
}

}  // namespace

Result<BlobSource> BlobSource::open(const std::filesystem::path& path) {
    BlobSource source;
    source.path_ = path;
    std::error_code code;
    if (std::filesystem::is_directory(path, code)) {
        DIVISI_TRY(source.describe_folder());
    } else {
        DIVISI_ASSIGN(source.manifest_, describe_file(path));
    }
    return source;
}

Result<void> BlobSource::describe_folder() {
    DIVISI_ASSIGN(archive_, FolderArchive::scan(path_));
    manifest_.size = archive_->size();
    BlobHasher whole;
    std::vector<std::byte> buffer(static_cast<std::size_t>(blob_chunk_bytes));
    for (Bytes index = 0; index * blob_chunk_bytes < manifest_.size; ++index) {
        const auto piece = std::span(buffer).first(static_cast<std::size_t>(piece_size(manifest_.size, index)));
        DIVISI_TRY(archive_->read(index * blob_chunk_bytes, piece));
        whole.add(piece);
        manifest_.chunks.push_back(frame::crc32c(piece));
    }
    manifest_.hash = whole.hex();
    return {};
}

Result<std::string> BlobSource::read(std::uint32_t index) const {
    std::string piece(static_cast<std::size_t>(piece_size(manifest_.size, index)), '\0');
    const auto bytes = std::as_writable_bytes(std::span(piece));
    if (archive_) {
        DIVISI_TRY(archive_->read(index * blob_chunk_bytes, bytes));
    } else {
        std::ifstream file(path_, std::ios::binary);
        file.seekg(index * blob_chunk_bytes);
        if (!file.read(piece.data(), static_cast<std::streamsize>(piece.size()))) return changed(path_);
    }
    if (frame::crc32c(bytes) != manifest_.chunks[index]) return changed(path_);
    return piece;
}

}  // namespace divisi::store
