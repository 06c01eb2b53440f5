// SPDX-License-Identifier: Apache-2.0
// The file format, little-endian. The header has: magic (8 bytes), layout (4), length of the header's rest (4), CRC-32C
// of layout, length and rest (4), and the rest. The rest has: begin in ns since 1970 (8), protocol (4), program (the
// remaining bytes).
//
// Records follow. A record has: CRC-32C of the rest of the record (4), length of its bytes (4), time in ns since the
// beginning (8), kind (2), type (2), its bytes. The last record is of kind 0xffff and has no bytes.
#include "backend/store/recording.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "backend/base/version.h"
#include "backend/file/system_error.h"
#include "backend/frame/bytes.h"
#include "backend/frame/crc32c.h"
#include "backend/store/error_texts.h"

namespace divisi::store {
namespace {

using frame::load_le, frame::store_le;

/// Like the magic of PNG, this magic includes bytes that a transfer in text mode would change.
constexpr std::string_view recording_magic(
    "\x89"
    "DVREC\r\n",
    8);
constexpr std::size_t fixed_bytes = 20, record_head_bytes = 20, begun_bytes = 12;
/// Limit on the bytes of the header's rest; a program version is a few characters.
constexpr std::size_t most_header_rest = 1024;
constexpr std::uint16_t closing_kind = 0xffff;

std::span<const std::byte> as_span(std::string_view text) { return std::as_bytes(std::span(text)); }
std::span<std::byte> writable(std::string& text) { return std::as_writable_bytes(std::span(text)); }

std::string header_bytes(const RecordingHeader& header) {
    const std::string program = header.program.substr(0, most_header_rest - begun_bytes);
    std::string bytes(fixed_bytes + begun_bytes, '\0');
    recording_magic.copy(bytes.data(), recording_magic.size());
    store_le(writable(bytes), 8, recording_format);
    store_le(writable(bytes), 12, static_cast<std::uint32_t>(begun_bytes + program.size()));
    store_le(writable(bytes), fixed_bytes, header.begun.time_since_epoch().count());
    store_le(writable(bytes), fixed_bytes + 8, header.protocol);
    bytes += program;
    const auto all = as_span(bytes);
    store_le(writable(bytes), 16, frame::crc32c(all.subspan(fixed_bytes), frame::crc32c(all.subspan(8, 8))));
    return bytes;
}

void append(std::string& bytes, const Record& record) {
    const std::size_t begin = bytes.size();
    bytes.resize(begin + record_head_bytes);
    const auto head = writable(bytes).subspan(begin);
    store_le(head, 4, static_cast<std::uint32_t>(record.bytes.size()));
    store_le(head, 8, record.at.count());
    store_le(head, 16, record.kind);
    store_le(head, 18, record.type);
    const std::uint32_t sum = frame::crc32c(as_span(record.bytes), frame::crc32c(head.subspan(4)));
    store_le(head, 0, sum);
    bytes += record.bytes;
}

Error broken(const std::filesystem::path& file, const ErrorText& text) { return make_error(text, file.string()); }

bool fill(std::FILE* stream, std::span<std::byte> into) {
    return std::fread(into.data(), 1, into.size(), stream) == into.size();
}

}  // namespace

// --- writing -----------------------------------------------------------------------------------

Result<RecordingWriter> RecordingWriter::create(const std::filesystem::path& file, const RecordingHeader& header) {
    std::error_code error;
    if (file.filename().empty() || std::filesystem::is_directory(file, error))
        return make_error(error_text("recording-is-folder"), file.string());
    // The file is readable by the owner only, since it contains texts of tasks and public keys.
    file::Descriptor descriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!descriptor.is_open()) return file::system_error("create the recording", file);
    RecordingWriter writer(file, std::move(descriptor));
    DIVISI_TRY(writer.put(header_bytes(header)));
    return writer;
}

/// Writes all of `bytes`, or none of them.
Result<void> RecordingWriter::put(const std::string& bytes) {
    auto rest = as_span(bytes);
    while (!rest.empty()) {
        const ssize_t written = ::write(descriptor_.get(), rest.data(), rest.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) {
            const Error error = file::system_error("write the recording", file_);
            end_whole();
            return error;
        }
        rest = rest.subspan(static_cast<std::size_t>(written));
    }
    size_ += static_cast<Bytes>(bytes.size());
    return {};
}

/// Removes a partly written record, appends the closing record, and closes the file. If there is no room even for that
/// record, the file ends with the last complete record.
void RecordingWriter::end_whole() {
    if (size_ > 0 && ::ftruncate(descriptor_.get(), size_) == 0 && ::lseek(descriptor_.get(), size_, SEEK_SET) >= 0) {
        std::string closing;
        append(closing, {last_, closing_kind, 0, {}});
        const auto wanted = static_cast<ssize_t>(closing.size());
        if (::write(descriptor_.get(), closing.data(), closing.size()) == wanted) {
            size_ += wanted;
        } else if (::ftruncate(descriptor_.get(), size_) != 0) {
            // If the truncation fails too, readers detect the partly written record by its checksum.
        }
    }
    descriptor_.close();
}

Result<void> RecordingWriter::write(std::span<const Record> records) {
    if (!descriptor_.is_open()) return make_error(error_text("recording-already-ended"), file_.string());
    std::string bytes;
    Duration last = last_;
    for (const Record& record : records) {
        if (record.bytes.size() > most_record_bytes || record.kind == closing_kind)
            return make_error(error_text("no-record"), file_.string());
        last = std::max(last, record.at);
        Record in_order = record;
        in_order.at = last;
        append(bytes, in_order);
    }
    DIVISI_TRY(put(bytes));
    last_ = last;
    return {};
}

Result<void> RecordingWriter::finish() {
    if (!descriptor_.is_open()) return {};
    std::string closing;
    append(closing, {last_, closing_kind, 0, {}});
    DIVISI_TRY(put(closing));
    // EINVAL: the target is not a file and cannot be synced
    const bool synced = ::fsync(descriptor_.get()) == 0 || errno == EINVAL;
    const int reason = errno;
    descriptor_.close();
    if (!synced) return file::system_error("sync the recording", file_, reason);
    return {};
}

// --- reading -----------------------------------------------------------------------------------

Result<RecordingReader> RecordingReader::open(const std::filesystem::path& file) {
    std::FILE* stream = std::fopen(file.c_str(), "rbe");
    if (!stream) return file::system_error("open the recording", file);
    RecordingReader reader(file, stream);
    struct stat status {};
    if (::fstat(::fileno(stream), &status) != 0) return file::system_error("open the recording", file);
    if (!S_ISREG(status.st_mode)) return make_error(error_text("recording-is-no-file"), file.string());
    DIVISI_TRY(reader.read_header(status.st_size));
    reader.scan(status.st_size);
    return reader;
}

Result<void> RecordingReader::read_header(Bytes size) {
    if (size == 0) return broken(file_, error_text("recording-empty"));
    std::array<std::byte, fixed_bytes> fixed{};
    const std::size_t some = std::fread(fixed.data(), 1, fixed.size(), stream_.get());
    const std::size_t known = std::min(some, recording_magic.size());
    if (std::memcmp(fixed.data(), recording_magic.data(), known) != 0)
        return make_error(error_text("no-recording"), file_.string());
    if (some < fixed.size()) return broken(file_, error_text("recording-header-cut-off"));
    const auto format = load_le<std::uint32_t>(fixed, 8);
    if (format > recording_format)
        return make_error(error_text("newer-recording"), file_.string(),
                          {std::to_string(format), version, std::to_string(recording_format)});
    const auto rest = load_le<std::uint32_t>(fixed, 12);
    if (format == 0 || rest < begun_bytes || rest > most_header_rest)
        return broken(file_, error_text("recording-header-damaged"));
    std::string bytes(rest, '\0');
    if (!fill(stream_.get(), writable(bytes))) return broken(file_, error_text("recording-header-cut-off"));
    const std::uint32_t sum = frame::crc32c(as_span(bytes), frame::crc32c(std::span(fixed).subspan(8, 8)));
    if (sum != load_le<std::uint32_t>(fixed, 16)) return broken(file_, error_text("recording-header-damaged"));
    header_.begun = TimePoint(Duration(load_le<std::int64_t>(as_span(bytes), 0)));
    header_.protocol = load_le<std::uint32_t>(as_span(bytes), 8);
    header_.program = bytes.substr(begun_bytes);
    at_ = static_cast<Bytes>(fixed_bytes + rest);
    return {};
}

void RecordingReader::scan(Bytes size) {
    std::string bytes;
    while (scan_one(size, bytes)) {}
    lost_ = size - at_;
    // bytes after the closing record mean damage
    if (end_ == RecordingEnd::whole && lost_ > 0) end_ = RecordingEnd::damaged;
}

/// Reads one record. Returns false at the end; end_ then has the kind of the end.
bool RecordingReader::scan_one(Bytes size, std::string& bytes) {
    std::array<std::byte, record_head_bytes> head{};
    if (size - at_ < static_cast<Bytes>(head.size()) || !fill(stream_.get(), head)) return false;
    Entry entry;
    entry.size = load_le<std::uint32_t>(head, 4);
    entry.at = Duration(load_le<std::int64_t>(head, 8));
    entry.kind = load_le<std::uint16_t>(head, 16);
    entry.type = load_le<std::uint16_t>(head, 18);
    entry.offset = at_ + static_cast<Bytes>(head.size());
    const auto damaged = [this] {
        end_ = RecordingEnd::damaged;
        return false;
    };
    if (entry.size > most_record_bytes) return damaged();
    if (size - entry.offset < static_cast<Bytes>(entry.size)) return false;
    bytes.resize(entry.size);
    if (!fill(stream_.get(), writable(bytes))) return false;
    const std::uint32_t sum = frame::crc32c(as_span(bytes), frame::crc32c(std::span(head).subspan(4)));
    const bool in_order = entry.at >= (entries_.empty() ? Duration{} : entries_.back().at);
    if (sum != load_le<std::uint32_t>(head, 0) || !in_order) return damaged();
    at_ = entry.offset + static_cast<Bytes>(entry.size);
    if (entry.kind == closing_kind) {
        end_ = RecordingEnd::whole;
        return false;
    }
    entries_.push_back(entry);
    return true;
}

Result<std::string> RecordingReader::read(const Entry& entry) const {
    std::string bytes(entry.size, '\0');
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t count = ::pread(::fileno(stream_.get()), bytes.data() + done, bytes.size() - done,
                                      entry.offset + static_cast<Bytes>(done));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return file::system_error("read the recording", file_);
        if (count == 0) return broken(file_, error_text("recording-became-shorter"));
        done += static_cast<std::size_t>(count);
    }
    return bytes;
}

}  // namespace divisi::store
