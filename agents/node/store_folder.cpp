// SPDX-License-Identifier: Apache-2.0
#include "agents/node/store_folder.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace divisi::node {
namespace {

namespace fs = std::filesystem;

constexpr const char* extension = ".sqlite";

/// Returns the time when the store's owner wrote last. The WAL file may be newer than the store's file.
fs::file_time_type written(const fs::path& store) {
    std::error_code ignored;
    fs::file_time_type newest = fs::last_write_time(store, ignored);
    if (const auto journal = fs::last_write_time(store.string() + "-wal", ignored); !ignored)
        newest = std::max(newest, journal);
    return newest;
}

void make_room(const fs::path& folder, const fs::path& but) {
    std::vector<std::pair<fs::file_time_type, fs::path>> stores;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
        if (is_store(entry.path()) && entry.path() != but) stores.emplace_back(written(entry.path()), entry.path());
    if (stores.size() < most_stores) return;
    std::sort(stores.begin(), stores.end());
    for (std::size_t i = 0; i + most_stores <= stores.size(); ++i)
        for (const char* beside : {"", "-wal", "-shm", ".damaged"})
            fs::remove(stores[i].second.string() + beside, ignored);
}

}  // namespace

fs::path store_file(const fs::path& folder, const Sid& sid) {
    std::string name = sid.value();
    std::replace(name.begin(), name.end(), '/', '.');
    return folder / (name + extension);
}

bool is_store(const fs::path& file) { return file.extension() == extension; }

fs::path make_store(const fs::path& folder, const Sid& sid) {
    const fs::path store = store_file(folder, sid);
    std::error_code ignored;
    fs::create_directories(folder, ignored);
    make_room(folder, store);
    return store;
}

}  // namespace divisi::node
