// SPDX-License-Identifier: Apache-2.0
#include "backend/file/system_error.h"

#include <cstring>

#include "backend/file/error_texts.h"

namespace divisi::file {
namespace {

const ErrorText& text_of(int reason) {
    switch (reason) {
        case ENOSPC:
        case EDQUOT:
        case EFBIG: return error_text("disk-full");
        case EMFILE:
        case ENFILE: return error_text("too-many-open-files");
        case ENOENT: return error_text("no-such-path");
        case EROFS: return error_text("file-system-read-only");
        case EACCES:
        case EPERM: return error_text("no-permission");
        case ENOTDIR: return error_text("path-leads-through-file");
        case ENAMETOOLONG: return error_text("path-too-long");
        case EIO: return error_text("disk-faulty");
        default: return error_text("system-call-failed");
    }
}

}  // namespace

Error system_error(const std::string& doing, const std::filesystem::path& path, int reason) {
    const bool full = reason == ENOSPC || reason == EDQUOT;
    return make_error(text_of(reason), path.string(),
                      {doing, full ? error_text("reason-is-full-disk").what : std::strerror(reason)});
}

}  // namespace divisi::file
