// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/error_text.h"

namespace divisi::submit {

/// Errors of this folder.
inline constexpr ErrorText error_texts[] = {
    // results.cpp
    {"results-cannot-be-written", ErrorCode::failed, DIVISI_TEXT("errors", "the results cannot be written: %1"),
     DIVISI_TEXT("errors", "name a file in an existing folder that you may write to")},
    {"task-without-results", ErrorCode::conflict, DIVISI_TEXT("errors", "the task has no results"),
     DIVISI_TEXT("errors", "only a batch task has results, after it has succeeded")},
    {"results-node-not-known", ErrorCode::not_found,
     DIVISI_TEXT("errors", "the node that has the results is no longer known"),
     DIVISI_TEXT("errors", "run the batch again")},

    // submission.cpp
    {"weights-not-brought", ErrorCode::unsupported,
     DIVISI_TEXT("errors", "= '%1': the submission lacks the weights of this version"),
     DIVISI_TEXT("errors", "run the task file with 'divisictl run', or from the console")},
    {"no-label-file", ErrorCode::not_found, DIVISI_TEXT("errors", "no such file or folder: %1"),
     DIVISI_TEXT("errors", "IDX images need a label file: name the file, or create it at this path")},
    {"no-data-file", ErrorCode::not_found, DIVISI_TEXT("errors", "no such file or folder: %1"),
     DIVISI_TEXT("errors", "paths are relative to the task file")},

    // trained.cpp
    {"no-node-with-snapshot", ErrorCode::not_found, DIVISI_TEXT("errors", "no node of the cluster has this snapshot"),
     DIVISI_TEXT("errors", "start a node again that had it, or name another version")},
    {"weights-let-go", ErrorCode::conflict, DIVISI_TEXT("errors", "the weights of %1 were deleted"),
     DIVISI_TEXT("errors", "name a version whose weights are kept; 'divisictl models' lists them")},
    {"weight-of-no-stage", ErrorCode::not_found, DIVISI_TEXT("errors", "no stage stored this weight")},
    {"file-not-here", ErrorCode::not_found,
     DIVISI_TEXT("errors", "the file is not on this machine, and no node is known to hold it"),
     DIVISI_TEXT("errors", "repeat this command on the machine where the task was submitted")},

    // transfers.cpp
    {"transfer-cancelled", ErrorCode::failed, DIVISI_TEXT("errors", "the transfer was cancelled"),
     DIVISI_TEXT("errors", "the data that has arrived is kept")},
    {"file-was-not-offered", ErrorCode::corrupt,
     DIVISI_TEXT("errors", "the orchestrator requested a file that was not offered"),
     DIVISI_TEXT("errors", "run the same Divisi version on all machines")},
    {"node-serves-no-files", ErrorCode::unavailable, DIVISI_TEXT("errors", "the node does not serve files"),
     DIVISI_TEXT("errors", "start the node again")},
};

/// Returns the entry with this id. An unknown id is a compile error.
consteval const ErrorText& error_text(std::string_view id) { return find_text(error_texts, id); }

}  // namespace divisi::submit
