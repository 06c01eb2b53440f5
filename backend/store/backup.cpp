// SPDX-License-Identifier: Apache-2.0
#include "backend/store/backup.h"

#include <SQLiteCpp/Backup.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <span>

#include "backend/file/atomic_file.h"
#include "backend/file/descriptor.h"
#include "backend/file/folder.h"
#include "backend/file/system_error.h"
#include "backend/store/blob_hash.h"
#include "backend/store/data_folder.h"
#include "backend/store/database.h"
#include "backend/store/error_texts.h"

namespace divisi::store {
namespace {

namespace fs = std::filesystem;
using file::system_error;

/// Pages of a database copied between two checks of `stop`: some MB.
constexpr int pages_at_once = 1024;

/// Removes a trailing slash, so that appending ".new" names a sibling of the folder.
fs::path plain(const fs::path& folder) {
    fs::path normal = folder.lexically_normal();
    return normal.has_filename() ? normal : normal.parent_path();
}

bool is_there(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(fs::symlink_status(path, ignored));
}

Error damaged(const fs::path& path, const ErrorText& text) { return make_error(text, path.string()); }

/// Copies a file with mode 0600; returns the copy's manifest entry.
Result<BackupFile> copy_file(const fs::path& from, const fs::path& to, const std::string& name) {
    const file::Descriptor source(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
    if (!source.is_open()) return system_error("open", from);
    DIVISI_ASSIGN(file::AtomicFile copy, file::AtomicFile::create(to, 0600));
    BlobHasher hasher;
    DIVISI_TRY(for_each_piece(source.get(), from, [&](std::size_t, std::span<const std::byte> bytes) -> Result<void> {
        hasher.add(bytes);
        return copy.write(bytes);
    }));
    const BackupFile made{name, copy.position(), hasher.hex()};
    DIVISI_TRY(copy.commit());
    return made;
}

/// Copies all pages as they are at the beginning, even if other processes write during the copy. `part` becomes a
/// database without a separate journal file.
Result<void> copy_pages(SQLite::Database& source, const fs::path& from, const fs::path& part,
                        const std::function<bool()>& stop) {
    const SQLite::Transaction view(source);
    source.execAndGet("SELECT count(*) FROM sqlite_master");  // from here on, this connection does not see later writes
    SQLite::Database copy(part.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    {
        SQLite::Backup backup(copy, source);
        for (int status = SQLITE_OK; status != SQLITE_DONE;) {
            if (stop && stop()) return make_error(error_text("backup-ends-with-orchestrator"), from.string());
            status = backup.executeStep(pages_at_once);
            if (status == SQLITE_BUSY || status == SQLITE_LOCKED)
                return make_error(error_text("database-held"), from.string());
        }
    }
    const std::string said = copy.execAndGet("PRAGMA quick_check(1)").getString();
    if (said != "ok") return make_error(error_text("database-not-worth-backup"), from.string(), {said});
    copy.exec("PRAGMA journal_mode=DELETE");
    return {};
}

Result<void> copy_database(const fs::path& from, const fs::path& to, const std::function<bool()>& stop) {
    const fs::path part = to.string() + ".part";
    DIVISI_ASSIGN(const auto source, open_read_only(from));
    try {
        DIVISI_TRY(copy_pages(*source, from, part, stop));
    } catch (const SQLite::Exception& exception) {
        return sqlite_error(exception, from);
    }
    if (::chmod(part.c_str(), 0600) != 0) return system_error("change the mode", part);
    return file::put_in_place(part, to);
}

Result<std::uint64_t> last_event(const fs::path& log) {
    DIVISI_ASSIGN(const auto database, open_read_only(log));
    try {
        return static_cast<std::uint64_t>(
            database->execAndGet("SELECT ifnull(max(sequence), 0) FROM event").getInt64());
    } catch (const SQLite::Exception& exception) {
        return sqlite_error(exception, log);
    }
}

/// Fills a backup's folder.
class Filling {
public:
    Filling(const BackupOrder& order, fs::path folder) : order_(order), folder_(std::move(folder)) {
        manifest_.program = order.program;
        manifest_.time = order.now;
    }
    Result<BackupManifest> fill();

private:
    Result<void> add_skeletons();
    Result<void> add_database(const std::string& name);
    Result<void> add_if_there(const std::string& name);
    bool has(const std::string& name) const {
        return std::ranges::find(manifest_.files, name, &BackupFile::name) != manifest_.files.end();
    }

    const BackupOrder& order_;
    fs::path folder_;
    BackupManifest manifest_;
};

/// Fills the folder. A skeleton is written before its task is logged, and removed after its task has left the log. So
/// the skeletons that exist before and after the copy of the log include all skeletons that the copy needs. divisid
/// removes surplus skeletons when it starts.
Result<BackupManifest> Filling::fill() {
    const fs::path skeletons = folder_ / skeletons_folder;
    if (::mkdir(skeletons.c_str(), 0700) != 0) return system_error("make the folder", skeletons);
    DIVISI_TRY(add_skeletons());
    DIVISI_TRY(add_database(events_file));
    DIVISI_ASSIGN(manifest_.sequence, last_event(folder_ / events_file));
    DIVISI_TRY(add_skeletons());
    if (is_there(order_.data / profile_file)) DIVISI_TRY(add_database(profile_file));
    for (const char* key : {receipts_key_file, server_key_file}) DIVISI_TRY(add_if_there(key));
    DIVISI_TRY(file::write_file(folder_ / manifest_file, to_text(manifest_)));
    DIVISI_TRY(file::sync_folder(skeletons));
    DIVISI_TRY(file::sync_folder(folder_));
    return manifest_;
}

Result<void> Filling::add_skeletons() {
    std::error_code code;
    auto found = file::list_folder(order_.data / skeletons_folder, code);
    if (code) return system_error("list the folder", order_.data / skeletons_folder, code.value());
    std::ranges::sort(found);
    for (const fs::path& path : found) {
        const std::string name = std::string(skeletons_folder) + "/" + path.filename().string();
        if (path.extension() == skeleton_ending && !has(name)) DIVISI_TRY(add_if_there(name));
    }
    return {};
}

Result<void> Filling::add_database(const std::string& name) {
    DIVISI_TRY(copy_database(order_.data / name, folder_ / name, order_.stop));
    DIVISI_ASSIGN(std::string hash, file_hash(folder_ / name));
    std::error_code code;
    const auto size = fs::file_size(folder_ / name, code);
    if (code) return system_error("read", folder_ / name, code.value());
    manifest_.files.push_back({name, static_cast<Bytes>(size), std::move(hash)});
    return {};
}

/// Adds a file if it exists: a cluster may not have a key, and a listed skeleton may be removed during the backup.
Result<void> Filling::add_if_there(const std::string& name) {
    auto copied = copy_file(order_.data / name, folder_ / name, name);
    if (!copied && copied.error().code == ErrorCode::not_found && !is_there(order_.data / name)) return {};
    if (!copied) return std::move(copied).error();
    manifest_.files.push_back(*std::move(copied));
    return {};
}

/// Creates `folder`; if it exists already, fails with the error `obstacle`.
Result<void> make_new(const fs::path& folder, const ErrorText& obstacle) {
    if (::mkdir(folder.c_str(), 0700) == 0) return {};
    if (errno != EEXIST) return system_error("make the folder", folder);
    return make_error(obstacle, folder.string());
}

/// Renames the complete folder from `from` to `to`; replaces an empty folder `to`.
Result<void> put_folder_in_place(const fs::path& from, const fs::path& to) {
    if (::rename(from.c_str(), to.c_str()) == 0) return file::sync_folder(to.parent_path());
    if (errno != ENOTEMPTY && errno != EEXIST) return system_error("rename the folder", to);
    return make_error(error_text("backup-folder-not-empty"), to.string());
}

/// Checks that a new folder with this name would not replace any data.
Result<void> check_free(const fs::path& data) {
    std::error_code code;
    if (!is_there(data)) return {};
    if (fs::is_directory(data, code) && file::list_folder(data, code).empty() && !code) return {};
    if (code) return system_error("list the folder", data, code.value());
    return make_error(error_text("restore-folder-not-empty"), data.string());
}

Result<void> fill_from(const BackupManifest& manifest, const fs::path& folder, const fs::path& data) {
    if (::mkdir((data / skeletons_folder).c_str(), 0700) != 0)
        return system_error("make the folder", data / skeletons_folder);
    for (const BackupFile& one : manifest.files) {
        auto copied = copy_file(folder / one.name, data / one.name, one.name);
        if (!copied && copied.error().code == ErrorCode::not_found)
            return damaged(folder / one.name, error_text("backup-file-missing"));
        if (!copied) return std::move(copied).error();
        if (*copied != one) return damaged(folder / one.name, error_text("backup-file-damaged"));
    }
    DIVISI_TRY(file::sync_folder(data / skeletons_folder));
    return file::sync_folder(data);
}

Result<BackupManifest> read_manifest(const fs::path& folder) {
    const fs::path path = folder / manifest_file;
    if (!is_there(path)) return make_error(error_text("no-backup"), folder.string());
    DIVISI_ASSIGN(const std::string text, file::read_file(path));
    return parse_manifest(text, path.string());
}

}  // namespace

Result<BackupManifest> make_backup(const BackupOrder& order) {
    const fs::path folder = plain(order.folder), part = folder.string() + ".new";
    if (!folder.is_absolute()) return make_error(error_text("backup-path-not-absolute"), order.folder.string());
    if (is_there(folder)) return make_error(error_text("backup-already-there"), folder.string());
    DIVISI_TRY(make_new(part, error_text("cut-off-backup")));
    auto made = Filling(order, part).fill();
    if (made)
        if (auto placed = put_folder_in_place(part, folder); !placed) made = std::move(placed).error();
    std::error_code ignored;
    if (!made) fs::remove_all(part, ignored);
    return made;
}

Result<BackupManifest> verify_backup(const fs::path& folder) {
    DIVISI_ASSIGN(BackupManifest manifest, read_manifest(folder));
    for (const BackupFile& one : manifest.files) {
        const fs::path path = folder / one.name;
        if (!is_there(path)) return damaged(path, error_text("backup-file-missing"));
        DIVISI_ASSIGN(const std::string hash, file_hash(path));
        if (hash != one.hash) return damaged(path, error_text("backup-file-damaged"));
    }
    return manifest;
}

Result<BackupManifest> restore_backup(const fs::path& folder, const fs::path& data) {
    std::error_code code;
    const fs::path whole = plain(fs::weakly_canonical(data, code)), part = whole.string() + ".new";
    if (code) return system_error("find the folder", data, code.value());
    DIVISI_TRY(check_free(whole));
    DIVISI_ASSIGN(BackupManifest manifest, read_manifest(folder));
    fs::create_directories(whole.parent_path(), code);
    if (code) return system_error("make the folder", whole.parent_path(), code.value());
    DIVISI_TRY(make_new(part, error_text("cut-off-restore")));
    auto filled = fill_from(manifest, folder, part);
    if (filled) filled = put_folder_in_place(part, whole);
    if (filled) return manifest;
    fs::remove_all(part, code);
    return std::move(filled).error();
}

}  // namespace divisi::store
