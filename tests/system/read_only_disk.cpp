// SPDX-License-Identifier: Apache-2.0
// A preloaded library that makes a folder read-only, as the kernel does with a faulty disk. The file named by
// DIVISI_READ_ONLY_DISK contains the path of the folder. Writes to open files are refused too, which a mount cannot do.
// Without that file nothing changes.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

template <typename Function>
Function next(const char* name) {
    return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

using Open = int (*)(const char*, int, ...);
using OpenAt = int (*)(int, const char*, int, ...);

/// Returns the read-only folder; empty: none.
std::string read_only_folder() {
    static const char* name = std::getenv("DIVISI_READ_ONLY_DISK");
    static const auto open = next<Open>("open");
    if (!name) return {};
    const int fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return {};
    char path[4096];
    const ssize_t size = ::read(fd, path, sizeof path);
    ::close(fd);
    return size > 0 ? std::string(path, static_cast<std::size_t>(size)) : std::string();
}

/// Returns whether the path is read-only. If it is writable, errno keeps its value.
bool refused(const char* path) {
    const int before = errno;
    const std::string folder = read_only_folder();
    const bool below = !folder.empty() && path && std::strncmp(path, folder.c_str(), folder.size()) == 0 &&
                       (path[folder.size()] == '/' || path[folder.size()] == 0);
    errno = below ? EROFS : before;
    return below;
}

bool refused(int fd) {
    const int before = errno;
    if (read_only_folder().empty()) {
        errno = before;
        return false;
    }
    char link[64], path[4096];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t size = ::readlink(link, path, sizeof path - 1);
    errno = before;
    if (size < 0) return false;
    path[size] = 0;
    return refused(path);
}

bool writes(int flags) { return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0; }

mode_t mode_of(int flags, va_list arguments) {
    return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
    static const auto real = next<Open>("open");
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return writes(flags) && refused(path) ? -1 : real(path, flags, mode);
}
int open64(const char* path, int flags, ...) {
    static const auto real = next<Open>("open64");
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return writes(flags) && refused(path) ? -1 : real(path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
    static const auto real = next<OpenAt>("openat");
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return writes(flags) && refused(path) ? -1 : real(folder, path, flags, mode);
}
int openat64(int folder, const char* path, int flags, ...) {
    static const auto real = next<OpenAt>("openat64");
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return writes(flags) && refused(path) ? -1 : real(folder, path, flags, mode);
}
int mkostemp(char* path, int flags) {
    static const auto real = next<int (*)(char*, int)>("mkostemp");
    return refused(path) ? -1 : real(path, flags);
}
int mkostemp64(char* path, int flags) {
    static const auto real = next<int (*)(char*, int)>("mkostemp64");
    return refused(path) ? -1 : real(path, flags);
}
ssize_t write(int fd, const void* bytes, size_t size) {
    static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
    return refused(fd) ? -1 : real(fd, bytes, size);
}
ssize_t pwrite(int fd, const void* bytes, size_t size, off_t offset) {
    static const auto real = next<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite");
    return refused(fd) ? -1 : real(fd, bytes, size, offset);
}
ssize_t pwrite64(int fd, const void* bytes, size_t size, off64_t offset) {
    static const auto real = next<ssize_t (*)(int, const void*, size_t, off64_t)>("pwrite64");
    return refused(fd) ? -1 : real(fd, bytes, size, offset);
}
int ftruncate(int fd, off_t size) noexcept {
    static const auto real = next<int (*)(int, off_t)>("ftruncate");
    return refused(fd) ? -1 : real(fd, size);
}
int ftruncate64(int fd, off64_t size) noexcept {
    static const auto real = next<int (*)(int, off64_t)>("ftruncate64");
    return refused(fd) ? -1 : real(fd, size);
}
int rename(const char* from, const char* to) noexcept {
    static const auto real = next<int (*)(const char*, const char*)>("rename");
    return refused(from) || refused(to) ? -1 : real(from, to);
}
int link(const char* from, const char* to) noexcept {
    static const auto real = next<int (*)(const char*, const char*)>("link");
    return refused(to) ? -1 : real(from, to);
}
int unlink(const char* path) noexcept {
    static const auto real = next<int (*)(const char*)>("unlink");
    return refused(path) ? -1 : real(path);
}
int mkdir(const char* path, mode_t mode) noexcept {
    static const auto real = next<int (*)(const char*, mode_t)>("mkdir");
    return refused(path) ? -1 : real(path, mode);
}
int access(const char* path, int wanted) noexcept {
    static const auto real = next<int (*)(const char*, int)>("access");
    return (wanted & W_OK) != 0 && refused(path) ? -1 : real(path, wanted);
}

}  // extern "C"
