// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/result.h"
#include "backend/base/units.h"
#include "backend/file/descriptor.h"

namespace divisi::store {

// A recording: the messages that a client received from a cluster, in one file. A header is followed by records, each
// with its length and checksum. A truncated file can thus be read up to the last complete record. The reader defines
// the meaning of records (app/client/record_codec.h); recording.cpp describes the file format.

/// Version of the file format; increased when older programs can no longer read the format.
inline constexpr std::uint32_t recording_format = 1;
/// Limit on the bytes of a record; no message of the control plane is larger.
inline constexpr std::size_t most_record_bytes = std::size_t{64} << 20;

struct RecordingHeader {
    std::string program;         ///< version of the program that wrote it
    std::uint32_t protocol = 0;  ///< control::protocol_version of the recorded messages
    TimePoint begun{};           ///< time from which the times of records count
};

/// One record. The reader defines kinds and types, except 0xffff, which closes the file.
struct Record {
    Duration at{};  ///< time since RecordingHeader::begun; not less than in the previous record
    std::uint16_t kind = 0, type = 0;
    std::string bytes;
    bool operator==(const Record&) const = default;
};

/// Writes a recording. Not thread-safe.
class RecordingWriter {
public:
    /// Creates the file, replacing an existing one.
    static Result<RecordingWriter> create(const std::filesystem::path& file, const RecordingHeader& header);

    /// Writes all records or, if writing fails, none. After such a failure the recording is closed with the earlier
    /// records, and no more can be written. Fails with `invalid_input` if a record is too large.
    Result<void> write(std::span<const Record> records);
    /// Writes the closing record, which marks the recording as complete, and makes the file durable.
    Result<void> finish();
    Bytes size() const { return size_; }

private:
    RecordingWriter(std::filesystem::path file, file::Descriptor descriptor)
        : file_(std::move(file)), descriptor_(std::move(descriptor)) {}
    Result<void> put(const std::string& bytes);
    void end_whole();

    std::filesystem::path file_;
    file::Descriptor descriptor_;
    Bytes size_ = 0;  ///< size up to the last complete record
    Duration last_{};
};

/// How a recording ends.
enum class RecordingEnd {
    whole,    ///< the recording was closed properly
    cut_off,  ///< the file ends between or within records: the writer was killed, or is still writing
    damaged,  ///< a record is damaged, or bytes follow the closing record; the rest of the file is not read
};

/// Reads a recording. Opening finds the positions of all records; their bytes are read on demand.
class RecordingReader {
public:
    struct Entry {
        Duration at{};
        std::uint16_t kind = 0, type = 0;
        std::uint32_t size = 0;
        std::int64_t offset = 0;  ///< position of its bytes in the file
    };

    /// Opens the file and scans all of it. Fails with `invalid_input` if the file is not a recording, `unsupported` for
    /// a newer layout, `corrupt` for a broken header.
    static Result<RecordingReader> open(const std::filesystem::path& file);

    const RecordingHeader& header() const { return header_; }
    const std::vector<Entry>& entries() const { return entries_; }
    RecordingEnd end() const { return end_; }
    /// Returns the number of unread bytes after the last complete record.
    Bytes lost() const { return lost_; }
    /// Returns the bytes of one record; fails if the file has changed since it was opened.
    Result<std::string> read(const Entry& entry) const;

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    RecordingReader(std::filesystem::path file, std::FILE* stream) : file_(std::move(file)), stream_(stream) {}
    Result<void> read_header(Bytes size);
    void scan(Bytes size);
    bool scan_one(Bytes size, std::string& bytes);

    std::filesystem::path file_;
    std::unique_ptr<std::FILE, Close> stream_;
    RecordingHeader header_;
    std::vector<Entry> entries_;
    RecordingEnd end_ = RecordingEnd::cut_off;
    Bytes at_ = 0, lost_ = 0;
};

}  // namespace divisi::store
