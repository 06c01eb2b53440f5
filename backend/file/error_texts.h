// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/error_text.h"

namespace divisi::file {

/// Errors of this folder.
inline constexpr ErrorText error_texts[] = {
    // atomic_file.cpp
    {"path-is-folder", ErrorCode::invalid_input, DIVISI_TEXT("errors", "is a folder"),
     DIVISI_TEXT("errors", "name a file")},
    {"text-file-is-folder", ErrorCode::invalid_input, DIVISI_TEXT("errors", "is a folder, not a %1"),
     DIVISI_TEXT("errors", "name the file in this folder")},
    {"text-file-too-long", ErrorCode::invalid_input, DIVISI_TEXT("errors", "is too long for a %1"), "%2"},
    {"text-file-unreadable", ErrorCode::not_found, "%1", "%2"},

    // folder_lock.cpp
    {"folder-in-use", ErrorCode::conflict, DIVISI_TEXT("errors", "the folder is in use by process %1"),
     DIVISI_TEXT("errors", "end that process, or use another folder")},

    // system_error.cpp
    {"disk-full", ErrorCode::exhausted, DIVISI_TEXT("errors", "cannot %1: %2"),
     DIVISI_TEXT("errors", "free some space there, or use another folder; nothing was half-written")},
    {"too-many-open-files", ErrorCode::exhausted, DIVISI_TEXT("errors", "cannot %1: %2"),
     DIVISI_TEXT("errors", "raise the limit on open files (ulimit -n)")},
    {"no-such-path", ErrorCode::not_found, DIVISI_TEXT("errors", "cannot %1: %2"),
     DIVISI_TEXT("errors", "check the path")},
    {"file-system-read-only", ErrorCode::denied, DIVISI_TEXT("errors", "cannot %1: %2"),
     DIVISI_TEXT("errors", "the file system is mounted read-only; use another folder")},
    {"no-permission", ErrorCode::denied, DIVISI_TEXT("errors", "cannot %1: %2"),
     DIVISI_TEXT("errors", "check its permissions, or use another folder")},
    {"path-leads-through-file", ErrorCode::invalid_input, DIVISI_TEXT("errors", "cannot %1: %2"),
     DIVISI_TEXT("errors", "a part of the path is a file; use another folder")},
    {"path-too-long", ErrorCode::invalid_input, DIVISI_TEXT("errors", "cannot %1: %2"),
     DIVISI_TEXT("errors", "use a shorter path")},
    {"disk-faulty", ErrorCode::failed, DIVISI_TEXT("errors", "cannot %1: %2"), DIVISI_TEXT("errors", "check the disk")},
    {"system-call-failed", ErrorCode::failed, DIVISI_TEXT("errors", "cannot %1: %2"),
     DIVISI_TEXT("errors", "check the path and the disk")},

    // phrases that are arguments of the texts above
    {"do-create-the-file", ErrorCode::failed, DIVISI_TEXT("errors", "create the file")},
    {"do-lock-the-folder", ErrorCode::failed, DIVISI_TEXT("errors", "lock the folder")},
    {"do-make-the-folder", ErrorCode::failed, DIVISI_TEXT("errors", "make the folder")},
    {"do-open-the-folder", ErrorCode::failed, DIVISI_TEXT("errors", "open the folder")},
    {"do-read-the-file", ErrorCode::failed, DIVISI_TEXT("errors", "read the file")},
    {"do-rename-the-file", ErrorCode::failed, DIVISI_TEXT("errors", "rename the file")},
    {"do-sync-the-file", ErrorCode::failed, DIVISI_TEXT("errors", "sync the file")},
    {"do-sync-the-folder", ErrorCode::failed, DIVISI_TEXT("errors", "sync the folder")},
    {"do-write-the-file", ErrorCode::failed, DIVISI_TEXT("errors", "write the file")},
    {"do-write-to-the-folder", ErrorCode::failed, DIVISI_TEXT("errors", "write to the folder")},
    {"reason-is-full-disk", ErrorCode::failed, DIVISI_TEXT("errors", "the disk is full")},
};

/// Returns the entry with this id. An unknown id is a compile error.
consteval const ErrorText& error_text(std::string_view id) { return find_text(error_texts, id); }

}  // namespace divisi::file
