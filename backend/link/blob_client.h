// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>

#include "backend/link/dialer.h"
#include "backend/wire/blob_message.h"

namespace divisi::link {

/// Number of pieces that are requested or sent at the same time. Several pieces hide the round-trip time, while at most
/// a few MiB are in transit.
inline constexpr std::size_t blob_window = 4;
/// A transfer fails if no answer arrives for this long. After a shorter interruption, the transfer resumes.
inline constexpr Duration blob_patience = std::chrono::seconds(30);
/// A node reads a whole blob at once to check which of its pieces are present and correct. The timeout is extended by
/// the time that a disk with this read speed needs for the blob.
inline constexpr Bytes slowest_disk_bytes_per_s = 50'000'000;

/// Transfers one blob to or from a node. Resumes automatically after a lost connection, because the receiving side
/// always states which pieces are missing. Callbacks run on the loop's thread; `done` is called exactly once, as the
/// last callback.
class BlobTransfer {
public:
    using Progress = std::function<void(Bytes done, Bytes total)>;
    using Done = std::function<void(Result<void>)>;
    struct Source {
        BlobManifest manifest;
        std::function<Result<std::string>(std::uint32_t index)> read;
    };
    struct Target {
        /// Returns the indexes of the wanted pieces, once the manifest is known.
        std::function<Result<std::vector<std::uint32_t>>(const BlobManifest&)> begin;
        /// Stores a piece; must check the piece against the manifest.
        std::function<Result<void>(std::uint32_t index, std::span<const std::byte>)> write;
        /// If set, only the tensors of these values are fetched from a snapshot, as a separate blob. `begin` then gets
        /// the manifest of that blob. If the other side refuses to divide the snapshot, the whole snapshot is fetched.
        std::vector<std::string> values = {};
    };

    /// Starts a transfer. Destroying the object before `done` ends the transfer without a callback.
    static std::unique_ptr<BlobTransfer> upload(Loop& loop, Transport& transport, const Address& address, Source source,
                                                Progress progress, Done done);
    static std::unique_ptr<BlobTransfer> download(Loop& loop, Transport& transport, const Address& address,
                                                  const std::string& hash, Target target, Progress progress, Done done);
    ~BlobTransfer() = default;

private:
    BlobTransfer(Loop& loop, Transport& transport, Progress progress, Done done);
    void open();
    void on_parts(const Parts& parts);
    bool may_answer(wire::BlobVerb verb) const;
    Result<void> take(const wire::BlobMessage& message, std::span<const std::byte> payload);
    Result<void> select(Bytes snapshot);
    Result<void> begin_with(const std::string& hash);
    Result<void> advance();
    Result<bool> ask(wire::BlobVerb verb, std::uint32_t index, std::string payload);
    void finish(Result<void> result);
    void watch();
    Duration patience() const;

    Loop& loop_;
    Progress progress_;
    Done done_;
    std::optional<Source> source_;
    std::optional<Target> target_;
    BlobManifest manifest_;
    std::deque<std::uint32_t> wanted_;
    std::uint64_t round_ = 0;  ///< number of the connection: answers to an older one are ignored
    std::size_t under_way_ = 0;
    Bytes moved_ = 0;
    bool described_ = false, finishing_ = false, over_ = false;
    TimePoint heard_{};
    Timer patience_;
    Dialer dialer_;
};

}  // namespace divisi::link
