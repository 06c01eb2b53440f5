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

// What a client heard of a cluster, in one file. A header, then records, each with its length and checksum, so that a
// file that was cut off is read up to the last whole record. What the records mean is their reader's business
// (app/client/record_codec.h); how they lie in the file stands at the top of recording.cpp.

/// Of the file's layout; rises when older programs could not read it any longer.
inline constexpr std::uint32_t recording_format = 1;
/// No message of the control plane is larger.
inline constexpr std::size_t most_record_bytes = std::size_t{64} << 20;

struct RecordingHeader {
    std::string program;         ///< version of the program that wrote it
    std::uint32_t protocol = 0;  ///< control::protocol_version of the messages in it
    TimePoint begun{};           ///< records count from here
};

/// Kinds and types are the reader's, but for 0xffff, which closes the file.
struct Record {
    Duration at{};  ///< since RecordingHeader::begun; never less than that of the record before
    std::uint16_t kind = 0, type = 0;
    std::string bytes;
    bool operator==(const Record&) const = default;
};

/// Writes a recording. Not thread-safe.
class RecordingWriter {
public:
    /// Makes the file, in place of one that is there.
    static Result<RecordingWriter> create(const std::filesystem::path& file, const RecordingHeader& header);

    /// All of them or, where the disk is full, none: the recording then ends, whole, with the records before, and no
    /// more can be written. `invalid_input` for a record that is too large.
    Result<void> write(std::span<const Record> records);
    /// Closes it, so that it is seen to be whole, and makes it durable.
    Result<void> finish();
    Bytes size() const { return size_; }

private:
    RecordingWriter(std::filesystem::path file, file::Descriptor descriptor)
        : file_(std::move(file)), descriptor_(std::move(descriptor)) {}
    Result<void> put(const std::string& bytes);
    void end_whole();

    std::filesystem::path file_;
    file::Descriptor descriptor_;
    Bytes size_ = 0;  ///< up to the last whole record
    Duration last_{};
};

/// How a recording ends.
enum class RecordingEnd {
    whole,    ///< it was closed
    cut_off,  ///< it stops between records or within one: whoever wrote it was killed, or writes on
    damaged,  ///< a record does not check; what follows it is not read
};

/// Reads a recording: where all records lie is known from the start, their bytes come when they are asked for.
class RecordingReader {
public:
    struct Entry {
        Duration at{};
        std::uint16_t kind = 0, type = 0;
        std::uint32_t size = 0;
        std::int64_t offset = 0;  ///< of its bytes in the file
    };

    /// Reads through the whole file. `invalid_input` for what is no recording, `unsupported` for a newer layout,
    /// `corrupt` for a broken header.
    static Result<RecordingReader> open(const std::filesystem::path& file);

    const RecordingHeader& header() const { return header_; }
    const std::vector<Entry>& entries() const { return entries_; }
    RecordingEnd end() const { return end_; }
    /// That follow the last whole record and are not read.
    Bytes lost() const { return lost_; }
    /// The bytes of one; fails where the file was changed meanwhile.
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
