// SPDX-License-Identifier: Apache-2.0
#pragma once

// Replaces the C library's fsync() and flock() in the program that includes it. A test sees what is synced in which
// order, and can run code in between.

#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace divisi::tests {

struct Synced {
    std::string path;  ///< path of the file or folder
    bool named;        ///< whether the watched file already had its final name
};
inline std::vector<Synced> synced;
inline std::filesystem::path watched;
/// Called once before the next flock().
inline std::function<void()> before_flock;

inline void watch(const std::filesystem::path& path) {
    synced.clear();
    watched = path;
}
/// Returns whether the watched file's bytes were synced before it got its name, and its folder afterwards.
inline bool was_made_durable() {
    bool bytes = false;
    for (const Synced& one : synced) {
        if (!one.named && std::filesystem::path(one.path).parent_path() == watched.parent_path()) bytes = true;
        if (one.named && bytes && one.path == watched.parent_path()) return true;
    }
    return false;
}

}  // namespace divisi::tests

extern "C" int fsync(int fd) {
    std::error_code code;
    const auto path = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), code);
    divisi::tests::synced.push_back({path.string(), std::filesystem::exists(divisi::tests::watched, code)});
    return static_cast<int>(::syscall(SYS_fsync, fd));
}

extern "C" int flock(int fd, int operation) noexcept {
    if (const auto happens = std::exchange(divisi::tests::before_flock, nullptr)) happens();
    return static_cast<int>(::syscall(SYS_flock, fd, operation));
}
