// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backend/base/blob.h"
#include "backend/base/clock.h"
#include "backend/base/result.h"
#include "backend/file/descriptor.h"
#include "backend/store/blob_hash.h"

namespace divisi::store {

/// One blob that is being written into a store. It has a separate file until it is complete, so that an interruption
/// leaves no file that looks complete. Pieces from before an interruption are recognised by their checksums. Pieces are
/// hashed as they arrive; pieces that arrive out of order are hashed at the end. No other writer, in this process or
/// another, uses the file meanwhile.
class BlobWriter {
public:
    /// Returns the indices of the missing pieces.
    std::vector<std::uint32_t> missing() const;
    /// Writes a piece; ignores a piece that is already present. Fails with `corrupt` if the bytes do not match the
    /// manifest, with `exhausted` if the disk is full.
    Result<void> put(std::uint32_t index, std::span<const std::byte> bytes);
    /// Verifies the hash of the whole blob, makes the blob durable and moves it into place. Fails with `conflict` while
    /// pieces are missing. A second call is harmless, even if another writer of the same blob makes it.
    Result<std::filesystem::path> finish();

private:
    friend class BlobStore;
    /// Removes the temporary file when its writer is destroyed, unless the file was moved into place. No other writer
    /// can resume the file.
    struct PartialFile {
        PartialFile() = default;
        explicit PartialFile(std::filesystem::path own) : file(std::move(own)) {}
        PartialFile(PartialFile&& other) noexcept : file(std::exchange(other.file, {})) {}
        PartialFile& operator=(PartialFile&& other) noexcept {
            std::swap(file, other.file);
            return *this;
        }
        ~PartialFile();
        std::filesystem::path file;
    };
    BlobWriter() = default;
    void hash(std::span<const std::byte> piece);  ///< hashes the piece with number hashed_
    BlobManifest manifest_;
    std::filesystem::path part_, final_;
    std::vector<bool> present_;
    BlobHasher whole_;
    std::size_t hashed_ = 0;  ///< number of leading pieces included in `whole_`
    file::Descriptor fd_;
    PartialFile partial_file_;
};

/// A blob's size and last use, for eviction.
struct BlobUse {
    std::string hash;
    Bytes size = 0;    ///< on the disk, including unpacked and incomplete files
    TimePoint used{};  ///< time of the last use
};

/// A file with some of a snapshot's tensors.
struct BlobPart {
    std::string hash;  ///< hash of the file
    std::filesystem::path path;
};

/// Files by content hash in one folder, `<folder>/<hash>`: a node's models, data and checkpoints. The processes of one
/// user may share it; two of them may write one blob at the same time.
class BlobStore {
public:
    /// Opens the store. `capacity`: limit for the bytes of all blobs, which begin() enforces; 0: the disk's space.
    static Result<BlobStore> open(const std::filesystem::path& folder, Bytes capacity = 0);

    bool has(const std::string& hash) const;
    /// Returns the blob's path. Fails with `not_found` if the blob is missing or incomplete.
    Result<std::filesystem::path> path_of(const std::string& hash) const;
    /// Returns the blob's manifest with the checksums stored on arrival. Reads the blob again only if the list of its
    /// pieces was lost.
    Result<BlobManifest> describe(const std::string& hash) const;
    /// Starts or resumes a blob and reserves space for all of it. Fails with `exhausted`, naming the folder, if there
    /// is not enough space. A blob that is already present has no missing pieces, and finish() returns its path at
    /// once. If another writer still has the blob open, the new one uses a separate file.
    Result<BlobWriter> begin(const BlobManifest& manifest);
    /// Copies a file of this machine into the store.
    Result<std::filesystem::path> import(const std::filesystem::path& file);
    /// Links a file of the same file system into the store without a copy, after syncing it; returns its hash. The file
    /// must not be changed afterwards.
    Result<std::string> adopt(const std::filesystem::path& file);
    /// Returns the folder unpacked from an archive (folder_archive.h); the first call unpacks it next to the archive.
    /// Concurrent calls are harmless, in one process or several.
    Result<std::filesystem::path> folder_of(const std::string& hash);
    /// Returns the path at which one thread of this process may write a part of a snapshot (tensor_selection.h) before
    /// it becomes a blob.
    std::filesystem::path path_to_select(const std::string& snapshot) const;
    /// Keeps the blob `part` as a part of the snapshot `of`, until the snapshot is removed. Removing the blob `part`
    /// itself does not remove the part.
    Result<void> keep_part(const std::string& of, const std::string& part);
    /// Returns the stored parts of a snapshot that is not completely present.
    std::vector<BlobPart> parts_of(const std::string& snapshot) const;
    /// Returns every blob, whether complete, incomplete or in parts.
    std::vector<BlobUse> list() const;
    /// Marks the blob as used, as begin() and describe() do.
    void touch(const std::string& hash) const;
    /// Removes half-unpacked folders and temporary files that killed processes left. Call it only while no other
    /// process uses the store.
    void clean_up();
    /// Removes a blob with its unpacked folder, its incomplete files and its parts. A missing blob is not an error.
    Result<void> remove(const std::string& hash);
    /// Returns the bytes of all blobs, complete or not.
    Bytes used() const;

private:
    BlobStore(std::filesystem::path folder, Bytes capacity) : folder_(std::move(folder)), capacity_(capacity) {}
    std::filesystem::path folder_;
    Bytes capacity_ = 0;
};

}  // namespace divisi::store
