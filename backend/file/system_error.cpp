// SPDX-License-Identifier: Apache-2.0
#include "backend/file/system_error.h"

#include <cstring>

namespace divisi::file {
namespace {

struct Advice {
    ErrorCode code;
    const char* next;
};

Advice advice(int reason) {
    switch (reason) {
        case ENOSPC:
        case EDQUOT:
        case EFBIG:
            return {ErrorCode::exhausted, "free some space there, or use another folder; nothing was half-written"};
        case EMFILE:
        case ENFILE: return {ErrorCode::exhausted, "raise the limit on open files (ulimit -n)"};
        case ENOENT: return {ErrorCode::not_found, "check the path"};
        case EROFS: return {ErrorCode::denied, "the file system is mounted read-only; use another folder"};
        case EACCES:
        case EPERM: return {ErrorCode::denied, "check its permissions, or use another folder"};
        case ENOTDIR: return {ErrorCode::invalid_input, "a part of the path is a file; use another folder"};
        case ENAMETOOLONG: return {ErrorCode::invalid_input, "use a shorter path"};
        case EIO: return {ErrorCode::failed, "check the disk"};
        default: return {ErrorCode::failed, "check the path and the disk"};
    }
}

}  // namespace

Error system_error(const std::string& doing, const std::filesystem::path& path, int reason) {
    const auto [code, next] = advice(reason);
    const bool full = reason == ENOSPC || reason == EDQUOT;
    return {code, "cannot " + doing + ": " + (full ? "the disk is full" : std::strerror(reason)), path.string(), next};
}

}  // namespace divisi::file
