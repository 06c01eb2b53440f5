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

/// One blob on its way into a store. It lies in a file of its own until it is whole, so that an interruption
/// leaves nothing that looks finished, and what had arrived before is found again by its checksum. Pieces are hashed as
/// they come, those out of turn at the end; nobody else writes to the file meanwhile, in this process or another.
class BlobWriter {
public:
    /// Indices of the pieces that are still needed.
    std::vector<std::uint32_t> missing() const;
    /// `corrupt` when the bytes are not what the manifest says, `exhausted` on a full disk. A piece that is
    /// already there is ignored.
    Result<void> put(std::uint32_t index, std::span<const std::byte> bytes);
    /// Verifies the whole by its hash, makes it durable and moves it into place. `conflict` while pieces are missing.
    /// Twice is harmless, also by two writers of the same blob.
    Result<std::filesystem::path> finish();

private:
    friend class BlobStore;
    /// A file that nobody else can go on with goes with its writer, unless it was moved into place.
    struct Beside {
        Beside() = default;
        explicit Beside(std::filesystem::path own) : file(std::move(own)) {}
        Beside(Beside&& other) noexcept : file(std::exchange(other.file, {})) {}
        Beside& operator=(Beside&& other) noexcept {
            std::swap(file, other.file);
            return *this;
        }
        ~Beside();
        std::filesystem::path file;
    };
    BlobWriter() = default;
    void hash(std::span<const std::byte> piece);  ///< that of number hashed_
    BlobManifest manifest_;
    std::filesystem::path part_, final_;
    std::vector<bool> present_;
    BlobHasher whole_;
    std::size_t hashed_ = 0;  ///< of its first pieces, so many are in `whole_`
    file::Descriptor fd_;
    Beside beside_;
};

/// A blob as whoever makes room sees it.
struct BlobUse {
    std::string hash;
    Bytes size = 0;    ///< on the disk, with what was unpacked or begun of it
    TimePoint used{};  ///< last
};

/// A file that has some of a snapshot's tensors.
struct BlobPart {
    std::string hash;  ///< of the file
    std::filesystem::path path;
};

/// Files by content hash in one folder: `<folder>/<hash>`. A node's models, data and checkpoints. May be shared
/// by the processes of one user; writing one blob twice at once is harmless.
class BlobStore {
public:
    /// `capacity`: bytes of all blobs, beyond which begin() refuses; 0: what the disk has.
    static Result<BlobStore> open(const std::filesystem::path& folder, Bytes capacity = 0);

    bool has(const std::string& hash) const;
    /// `not_found` when the blob is not here, or not whole yet.
    Result<std::filesystem::path> path_of(const std::string& hash) const;
    /// The blob and its pieces, whose checksums were kept when it came; it is read again only where that was lost.
    Result<BlobManifest> describe(const std::string& hash) const;
    /// Starts or resumes a blob. Space for all of it is reserved now: `exhausted`, naming the folder, when there
    /// is not enough. A blob that is already here has no missing pieces; finish() gives its path at once. One that
    /// another writer has begun and still holds is begun anew beside it.
    Result<BlobWriter> begin(const BlobManifest& manifest);
    /// Copies a file of this machine in.
    Result<std::filesystem::path> import(const std::filesystem::path& file);
    /// Gives a file of this store's file system a second name here, without a copy, once its bytes are on the disk; its
    /// hash. The file must not be written to any more.
    Result<std::string> adopt(const std::filesystem::path& file);
    /// The folder that an archive (folder_archive.h) holds, unpacked beside it at the first call. By one process
    /// twice at once, or by two, is harmless.
    Result<std::filesystem::path> folder_of(const std::string& hash);
    /// Where a part of a snapshot is written, before it is a blob (tensor_selection.h), by one thread of this process.
    std::filesystem::path path_to_select(const std::string& snapshot) const;
    /// From now on the blob `part` is kept here as a part of the snapshot `of`, with which it goes; whether it stays a
    /// blob of its own makes no difference to that.
    Result<void> keep_part(const std::string& of, const std::string& part);
    /// What is here of a snapshot that is not here whole.
    std::vector<BlobPart> parts_of(const std::string& snapshot) const;
    /// Every blob, whole or begun or in parts.
    std::vector<BlobUse> list() const;
    /// Counts as a use of the blob, as begin() and describe() do.
    void touch(const std::string& hash) const;
    /// Removes what killed processes left half unpacked, or begun beside another. Only while no other process uses the
    /// store.
    void clean_up();
    /// Removes a blob, what was unpacked and what was begun of it, and its parts; one that is not here is no error.
    Result<void> remove(const std::string& hash);
    /// Bytes of all blobs, whole or begun.
    Bytes used() const;

private:
    BlobStore(std::filesystem::path folder, Bytes capacity) : folder_(std::move(folder)), capacity_(capacity) {}
    std::filesystem::path folder_;
    Bytes capacity_ = 0;
};

}  // namespace divisi::store
