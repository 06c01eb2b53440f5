// SPDX-License-Identifier: Apache-2.0
#include "backend/store/backup_manifest.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <string_view>

#include "backend/store/blob_hash.h"
#include "backend/store/data_folder.h"
#include "backend/store/error_texts.h"

namespace divisi::store {
namespace {

constexpr std::string_view title = "divisi-backup", end_word = "end";

std::string hash_of(std::string_view text) { return blob_hash(std::as_bytes(std::span(text))); }

template <typename Number>
std::optional<Number> number(std::string_view text) {
    Number value{};
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size() || value < Number{}) return std::nullopt;
    return value;
}

/// Removes the first word and the following blank from the line, and returns the word.
std::string_view take_word(std::string_view& line) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return word;
}

/// Removes the first line if it begins with this word, and returns its value. Returns none for another line, and at the
/// end.
std::optional<std::string_view> take_line(std::string_view& text, std::string_view word) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    std::string_view line = text.substr(0, end);
    if (take_word(line) != word) return std::nullopt;
    text.remove_prefix(end + 1);
    return line;
}

/// Returns whether the name is a file of the data folder or of its folder of skeletons.
bool is_known_name(std::string_view name) {
    const std::string folder = std::string(skeletons_folder) + "/";
    if (name.starts_with(folder)) name.remove_prefix(folder.size());
    return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos;
}

std::optional<BackupFile> parse_file(std::string_view line) {
    BackupFile file;
    file.hash = take_word(line);
    const auto size = number<Bytes>(take_word(line));
    file.name = line;
    if (!size || !is_blob_hash(file.hash) || !is_known_name(file.name)) return std::nullopt;
    file.size = *size;
    return file;
}

std::optional<BackupManifest> parse_lines(std::string_view text, int version) {
    const std::string_view whole = text;
    BackupManifest manifest;
    manifest.version = version;
    take_line(text, title);
    const auto program = take_line(text, "program"), time = take_line(text, "time"),
               sequence = take_line(text, "sequence");
    if (!program || !time || !sequence) return std::nullopt;
    const auto time_ns = number<std::int64_t>(*time);
    const auto last = number<std::uint64_t>(*sequence);
    if (!time_ns || !last) return std::nullopt;
    manifest.program = *program;
    manifest.time = TimePoint(Duration(*time_ns));
    manifest.sequence = *last;
    while (const auto line = take_line(text, "file")) {
        auto file = parse_file(*line);
        if (!file) return std::nullopt;
        manifest.files.push_back(*std::move(file));
    }
    const std::string_view before = whole.substr(0, whole.size() - text.size());
    const auto sum = take_line(text, end_word);
    if (!sum || *sum != hash_of(before) || !text.empty()) return std::nullopt;
    return manifest;
}

}  // namespace

Bytes BackupManifest::bytes() const {
    Bytes sum = 0;
    for (const BackupFile& file : files) sum += file.size;
    return sum;
}

std::string to_text(const BackupManifest& manifest) {
    std::string text = std::string(title) + " " + std::to_string(manifest.version) + "\nprogram " + manifest.program +
                       "\ntime " + std::to_string(manifest.time.time_since_epoch().count()) + "\nsequence " +
                       std::to_string(manifest.sequence) + "\n";
    for (const BackupFile& file : manifest.files)
        text += "file " + file.hash + " " + std::to_string(file.size) + " " + file.name + "\n";
    return text + std::string(end_word) + " " + hash_of(text) + "\n";
}

Result<BackupManifest> parse_manifest(const std::string& text, const std::string& where) {
    std::string_view rest = text;
    const auto first = take_line(rest, title);
    const auto version = first ? number<int>(*first) : std::nullopt;
    if (!version || *version == 0) return make_error(error_text("no-backup-manifest"), where);
    if (*version > backup_version)
        return make_error(error_text("newer-backup"), where,
                          {std::to_string(*version), std::to_string(backup_version)});
    auto manifest = parse_lines(text, *version);
    if (manifest) return *std::move(manifest);
    return make_error(error_text("backup-manifest-damaged"), where);
}

}  // namespace divisi::store
