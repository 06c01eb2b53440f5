// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <span>

#include "backend/base/blob.h"
#include "backend/base/result.h"

namespace divisi::store {

/// Reads a file once and names it and its pieces. `exhausted` above blob_limit.
Result<BlobManifest> describe_file(const std::filesystem::path& file);

/// BLAKE2b-256 in hexadecimal.
std::string blob_hash(std::span<const std::byte> bytes);

/// The same of bytes that come in parts.
class BlobHasher {
public:
    BlobHasher();
    void add(std::span<const std::byte> bytes);
    std::string hex();

private:
    alignas(64) std::array<std::byte, 384> state_;  ///< libsodium's, whose header stays in the .cpp file
};

/// One blob on its way into a store. It lies in a file of its own until it is whole, so that an interruption
/// leaves nothing that looks finished, and what had arrived before is found again by its hash.
class BlobWriter {
public:
    ~BlobWriter();
    BlobWriter(BlobWriter&&) noexcept;
    BlobWriter& operator=(BlobWriter&&) noexcept;

    /// Indices of the pieces that are still needed.
    std::vector<std::uint32_t> missing() const;
    /// `corrupt` when the bytes are not what the manifest says, `exhausted` on a full disk. A piece that is
    /// already there is ignored.
    Result<void> put(std::uint32_t index, std::span<const std::byte> bytes);
    /// Verifies the whole, makes it durable and moves it into place. `conflict` while pieces are missing.
    Result<std::filesystem::path> finish();

private:
    friend class BlobStore;
    BlobWriter() = default;
    BlobManifest manifest_;
    std::filesystem::path part_, final_;
    std::vector<bool> present_;
    int fd_ = -1;
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
    /// Starts or resumes a blob. Space for all of it is reserved now: `exhausted`, naming the folder, when there
    /// is not enough. A blob that is already here has no missing pieces; finish() gives its path at once.
    Result<BlobWriter> begin(const BlobManifest& manifest);
    /// Copies a file of this machine in.
    Result<std::filesystem::path> import(const std::filesystem::path& file);
    /// Gives a file of this store's file system a second name here, without a copy; its hash. The file must not be
    /// written to any more.
    Result<std::string> adopt(const std::filesystem::path& file);
    /// The folder that an archive (folder_archive.h) holds, unpacked beside it at the first call. By one process
    /// twice at once, or by two, is harmless.
    Result<std::filesystem::path> folder_of(const std::string& hash);
    /// Removes what killed processes left half unpacked. Only while no other process uses the store.
    void clean_up();
    /// Removes a blob, what was unpacked and what was begun of it; one that is not here is no error.
    Result<void> remove(const std::string& hash);
    /// Bytes of all blobs, whole or begun.
    Bytes used() const;

private:
    BlobStore(std::filesystem::path folder, Bytes capacity) : folder_(std::move(folder)), capacity_(capacity) {}
    std::filesystem::path folder_;
    Bytes capacity_ = 0;
};

}  // namespace divisi::store
