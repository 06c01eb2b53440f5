// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/error_text.h"

namespace divisi::store {

/// Errors of this folder.
inline constexpr ErrorText error_texts[] = {
    // backup.cpp
    {"backup-ends-with-orchestrator", ErrorCode::unavailable, DIVISI_TEXT("errors", "the orchestrator ends")},
    {"database-held", ErrorCode::conflict, DIVISI_TEXT("errors", "another process has locked the database"),
     DIVISI_TEXT("errors", "end that process, then try again")},
    {"database-not-worth-backup", ErrorCode::corrupt,
     DIVISI_TEXT("errors", "the database is damaged, so no backup is made: %1"),
     DIVISI_TEXT("errors", "restore an older backup")},
    {"backup-folder-not-empty", ErrorCode::conflict, DIVISI_TEXT("errors", "the folder is not empty"),
     DIVISI_TEXT("errors", "name a folder that does not exist yet")},
    {"restore-folder-not-empty", ErrorCode::conflict,
     DIVISI_TEXT("errors", "is not empty; a backup can only be restored into an empty folder"),
     DIVISI_TEXT("errors", "start without --restore to use the existing data, or name another folder")},
    {"backup-file-missing", ErrorCode::corrupt, DIVISI_TEXT("errors", "is missing"),
     DIVISI_TEXT("errors", "use another backup")},
    {"backup-file-damaged", ErrorCode::corrupt, DIVISI_TEXT("errors", "is damaged: it differs from the manifest"),
     DIVISI_TEXT("errors", "use another backup")},
    {"no-backup", ErrorCode::not_found, DIVISI_TEXT("errors", "is not a backup: it has no manifest"),
     DIVISI_TEXT("errors", "name a folder that 'divisictl backup' made")},
    {"backup-path-not-absolute", ErrorCode::invalid_input, DIVISI_TEXT("errors", "is not an absolute path"),
     DIVISI_TEXT("errors", "give the folder's absolute path on the orchestrator's machine")},
    {"backup-already-there", ErrorCode::conflict, DIVISI_TEXT("errors", "already exists"),
     DIVISI_TEXT("errors", "name a folder that does not exist yet")},
    {"cut-off-backup", ErrorCode::conflict, DIVISI_TEXT("errors", "an interrupted backup has left this folder"),
     DIVISI_TEXT("errors", "remove the folder, unless another process is still writing it")},
    {"cut-off-restore", ErrorCode::conflict, DIVISI_TEXT("errors", "an interrupted restore has left this folder"),
     DIVISI_TEXT("errors", "remove the folder, unless another process is still writing it")},

    // backup_manifest.cpp
    {"no-backup-manifest", ErrorCode::corrupt, DIVISI_TEXT("errors", "is not the manifest of a backup"),
     DIVISI_TEXT("errors", "name a folder that 'divisictl backup' made")},
    {"newer-backup", ErrorCode::unsupported,
     DIVISI_TEXT("errors", "belongs to a backup of version %1; this program reads versions up to %2"),
     DIVISI_TEXT("errors", "use the newer program"), true},
    {"backup-manifest-damaged", ErrorCode::corrupt,
     DIVISI_TEXT("errors", "is damaged: its checksum or a line is wrong"), DIVISI_TEXT("errors", "use another backup")},

    // blob_hash.cpp
    {"no-regular-file", ErrorCode::invalid_input, DIVISI_TEXT("errors", "not a file"),
     DIVISI_TEXT("errors", "give a file")},
    {"file-too-large-for-blob", ErrorCode::exhausted, DIVISI_TEXT("errors", "the file is larger than %1"),
     DIVISI_TEXT("errors", "place the file on the nodes and name it as node:/path")},

    // blob_source.cpp
    {"file-changed-while-read", ErrorCode::conflict, DIVISI_TEXT("errors", "has changed or vanished while it was read"),
     DIVISI_TEXT("errors", "submit the task again, and do not change the file until the task runs")},

    // blob_store.cpp
    {"no-blob-hash", ErrorCode::invalid_input, DIVISI_TEXT("errors", "not a blob's hash: %1"),
     DIVISI_TEXT("errors", "describe the file again")},
    {"blob-description-inconsistent", ErrorCode::invalid_input,
     DIVISI_TEXT("errors", "the description of a blob is inconsistent"),
     DIVISI_TEXT("errors", "describe the file again")},
    {"no-piece-of-blob", ErrorCode::invalid_input, DIVISI_TEXT("errors", "the blob has no piece %1"),
     DIVISI_TEXT("errors", "describe the file again"), true},
    {"piece-not-as-described", ErrorCode::corrupt, DIVISI_TEXT("errors", "piece %1 does not match its checksum"),
     DIVISI_TEXT("errors", "send the piece again; if this repeats, the file has changed and must be described again"),
     true},
    {"blob-pieces-missing", ErrorCode::conflict, DIVISI_TEXT("errors", "%1 pieces of the blob are missing"),
     DIVISI_TEXT("errors", "send these pieces first"), true},
    {"pieces-do-not-give-file", ErrorCode::corrupt, DIVISI_TEXT("errors", "the complete blob does not match its hash"),
     DIVISI_TEXT("errors", "describe the file again")},
    {"begun-blob-removed", ErrorCode::conflict, DIVISI_TEXT("errors", "the incomplete blob was removed"),
     DIVISI_TEXT("errors", "upload the blob again")},
    {"no-such-blob", ErrorCode::not_found, DIVISI_TEXT("errors", "there is no blob %1"),
     DIVISI_TEXT("errors", "upload it first")},
    {"blob-changed-on-disk", ErrorCode::corrupt, DIVISI_TEXT("errors", "the blob's bytes have changed on the disk"),
     DIVISI_TEXT("errors", "remove the blob, and upload it again")},
    {"blob-store-full", ErrorCode::exhausted, DIVISI_TEXT("errors", "the blob store is full (%1)"),
     DIVISI_TEXT("errors", "remove old versions, or raise the limit of the store")},

    // checked_rows.cpp
    {"table-row-damaged", ErrorCode::corrupt,
     DIVISI_TEXT("errors", "row %1 of table %2 is damaged: its checksum is wrong"),
     DIVISI_TEXT("errors", "move the file away; the instance makes a new one when it starts")},

    // database.cpp
    {"database-on-read-only-disk", ErrorCode::failed, DIVISI_TEXT("errors", "the file system is mounted read-only"),
     DIVISI_TEXT(
         "errors",
         "look for disk errors in the system log and mount the file system writable again, or use another folder")},
    {"database-disk-full", ErrorCode::exhausted, DIVISI_TEXT("errors", "the disk is full"),
     DIVISI_TEXT("errors", "free some space; nothing was half-written")},
    {"database-not-sound", ErrorCode::corrupt, DIVISI_TEXT("errors", "not a sound database: %1"),
     DIVISI_TEXT("errors", "move the file away and start again, or restore a copy of it")},
    {"database-cannot-be-opened", ErrorCode::denied, DIVISI_TEXT("errors", "cannot open the database: %1"),
     DIVISI_TEXT("errors", "check the folder's permissions")},
    {"database-disk-error", ErrorCode::failed, DIVISI_TEXT("errors", "the disk reports an error: %1"),
     DIVISI_TEXT("errors", "check the disk and its free space")},
    {"database-failed", ErrorCode::failed, "%1"},
    {"database-of-other-kind", ErrorCode::invalid_input, DIVISI_TEXT("errors", "is not a %1"),
     DIVISI_TEXT("errors", "name another file, or move this one away")},
    {"newer-database", ErrorCode::unsupported,
     DIVISI_TEXT("errors", "is a %1 of version %2; this program reads versions up to %3"),
     DIVISI_TEXT("errors", "use the newer program, or move the file away")},
    {"database-of-other-version", ErrorCode::unsupported, DIVISI_TEXT("errors", "is a %1 of version %2, not %3"),
     DIVISI_TEXT("errors", "start the instance of this store once, which upgrades the store")},

    // event_log.cpp
    {"event-of-other-number", ErrorCode::corrupt, DIVISI_TEXT("errors", "an event has the wrong number %1"),
     DIVISI_TEXT("errors", "restore a copy of the file"), true},
    {"no-thread-for-log", ErrorCode::exhausted, DIVISI_TEXT("errors", "no thread can be started: %1"),
     DIVISI_TEXT("errors", "raise the limit of processes")},
    {"no-memory-for-state", ErrorCode::exhausted, DIVISI_TEXT("errors", "there is no memory to save the state"),
     DIVISI_TEXT("errors", "free some memory")},

    // folder_archive.cpp
    {"no-memory-for-archive", ErrorCode::exhausted, DIVISI_TEXT("errors", "no memory for an archive"),
     DIVISI_TEXT("errors", "free some memory")},
    {"name-cannot-be-packed", ErrorCode::unsupported, DIVISI_TEXT("errors", "the entry cannot be packed: %1"),
     DIVISI_TEXT("errors", "shorten its name, or place the folder on the node and name it as node:/path")},
    {"archived-file-shorter", ErrorCode::conflict, DIVISI_TEXT("errors", "the file has become shorter"),
     DIVISI_TEXT("errors", "submit the task again")},
    {"archive-damaged-at-byte", ErrorCode::corrupt, DIVISI_TEXT("errors", "the archive is damaged at byte %1"),
     DIVISI_TEXT("errors", "remove the archive and submit the task again"), true},
    {"archive-damaged", ErrorCode::corrupt, DIVISI_TEXT("errors", "the archive is damaged: %1"),
     DIVISI_TEXT("errors", "remove the archive and submit the task again")},
    {"folders-too-deep", ErrorCode::unsupported, DIVISI_TEXT("errors", "folders are nested more than %1 levels deep"),
     DIVISI_TEXT("errors", "remove links that form a cycle, or name an inner folder"), true},
    {"folder-cannot-be-listed", ErrorCode::failed, DIVISI_TEXT("errors", "cannot list the folder: %1"),
     DIVISI_TEXT("errors", "check the path")},
    {"archived-file-vanished", ErrorCode::conflict, DIVISI_TEXT("errors", "the file has vanished"),
     DIVISI_TEXT("errors", "submit the task again")},
    {"archive-cannot-be-read", ErrorCode::corrupt, DIVISI_TEXT("errors", "the archive cannot be read: %1"),
     DIVISI_TEXT("errors", "remove the archive and submit the task again")},
    {"archive-with-many-files", ErrorCode::corrupt, DIVISI_TEXT("errors", "the archive holds more than %1 files"),
     DIVISI_TEXT("errors", "remove the archive and submit the task again"), true},
    {"folder-of-many-files", ErrorCode::exhausted, DIVISI_TEXT("errors", "the folder holds more than %1 files"),
     DIVISI_TEXT("errors", "place the folder on the node and name it as node:/path"), true},
    {"folder-too-large-for-blob", ErrorCode::exhausted, DIVISI_TEXT("errors", "the folder is larger than %1"),
     DIVISI_TEXT("errors", "place the folder on the node and name it as node:/path")},

    // instance_store.cpp
    {"instance-store-not-sound", ErrorCode::corrupt, DIVISI_TEXT("errors", "not a sound database: %1"),
     DIVISI_TEXT("errors", "move the file away; the instance makes a new one when it starts")},
    {"store-of-other-sid", ErrorCode::conflict, DIVISI_TEXT("errors", "is the store of %1, not of %2"),
     DIVISI_TEXT("errors", "move the file away; the instance makes a new one when it starts")},
    {"store-of-newer-incarnation", ErrorCode::denied,
     DIVISI_TEXT("errors", "is owned by incarnation %1 of %2; this process is the older incarnation %3"),
     DIVISI_TEXT("errors", "let the older process end")},
    {"write-of-older-incarnation", ErrorCode::denied,
     DIVISI_TEXT("errors", "is owned by incarnation %1; writes of incarnation %2 are refused"),
     DIVISI_TEXT("errors", "let the older process end"), true},
    {"store-without-owner", ErrorCode::corrupt, DIVISI_TEXT("errors", "does not name the SID that owns it"),
     DIVISI_TEXT("errors", "move the file away; the instance makes a new one when it starts")},
    {"no-table-of-store", ErrorCode::invalid_input, DIVISI_TEXT("errors", "a state store has no table '%1'"),
     DIVISI_TEXT("errors", "name one of %2")},

    // line_log.cpp
    {"line-log-not-sound", ErrorCode::corrupt, DIVISI_TEXT("errors", "not a sound database: %1"),
     DIVISI_TEXT("errors", "move the file away")},

    // link_store.cpp
    {"link-figures-damaged", ErrorCode::corrupt,
     DIVISI_TEXT("errors", "contains impossible figures for the link from %1 to %2"),
     DIVISI_TEXT("errors", "remove the file and measure again (divisictl links --measure)")},

    // profile_store.cpp
    {"newer-profile-store", ErrorCode::unsupported,
     DIVISI_TEXT("errors", "has version %1; this program reads versions up to %2"),
     DIVISI_TEXT("errors", "use the program that wrote it, or remove the file and measure again"), true},
    {"profile-not-measured", ErrorCode::corrupt, DIVISI_TEXT("errors", "contains an impossible price: %1"),
     DIVISI_TEXT("errors", "remove the file and measure again (divisictl profile)")},

    // receipt_export.cpp
    {"no-export-of-receipts", ErrorCode::invalid_input, DIVISI_TEXT("errors", "not an export of receipts"),
     DIVISI_TEXT("errors", "give a file that 'divisictl receipts --csv FILE' or 'divisictl receipts --json' wrote")},

    // receipt_key.cpp
    {"no-ed25519-key", ErrorCode::invalid_input, DIVISI_TEXT("errors", "not an Ed25519 public key"),
     DIVISI_TEXT("errors", "give 64 hexadecimal digits, or the file that 'divisictl receipts key' prints")},
    {"no-receipt-key", ErrorCode::corrupt, DIVISI_TEXT("errors", "not a key for receipts"),
     DIVISI_TEXT("errors",
                 "restore a copy of the file; without a copy, remove the file, and later receipts get a new key")},
    {"no-randomness", ErrorCode::failed, DIVISI_TEXT("errors", "libsodium finds no source of randomness"),
     DIVISI_TEXT("errors", "check that /dev/urandom exists")},
    {"receipt-key-readable", ErrorCode::denied, DIVISI_TEXT("errors", "other users can read the key file"),
     DIVISI_TEXT("errors", "run chmod 600 on the file; anyone who has read the key can forge receipts")},

    // recording.cpp
    {"recording-is-folder", ErrorCode::invalid_input, DIVISI_TEXT("errors", "is a folder"),
     DIVISI_TEXT("errors", "name a file")},
    {"recording-already-ended", ErrorCode::failed, DIVISI_TEXT("errors", "the recording has ended"),
     DIVISI_TEXT("errors", "begin another recording")},
    {"no-record", ErrorCode::invalid_input, DIVISI_TEXT("errors", "the record is too large or has a reserved kind")},
    {"recording-is-no-file", ErrorCode::invalid_input, DIVISI_TEXT("errors", "is not a file"),
     DIVISI_TEXT("errors", "name a recording (*.divisirec)")},
    {"recording-empty", ErrorCode::corrupt, DIVISI_TEXT("errors", "the recording is empty"),
     DIVISI_TEXT("errors", "use another copy of the recording, or record again")},
    {"no-recording", ErrorCode::invalid_input, DIVISI_TEXT("errors", "is not a Divisi recording"),
     DIVISI_TEXT("errors", "choose a file that the console's Record has written (*.divisirec)")},
    {"recording-header-cut-off", ErrorCode::corrupt, DIVISI_TEXT("errors", "the recording ends within its header"),
     DIVISI_TEXT("errors", "use another copy of the recording, or record again")},
    {"newer-recording", ErrorCode::unsupported,
     DIVISI_TEXT("errors", "the recording has layout %1; Divisi %2 reads up to %3"),
     DIVISI_TEXT("errors", "open the recording with the version of Divisi that wrote it, or a newer one")},
    {"recording-header-damaged", ErrorCode::corrupt,
     DIVISI_TEXT("errors", "the checksum of the recording's header is wrong"),
     DIVISI_TEXT("errors", "use another copy of the recording, or record again")},
    {"recording-became-shorter", ErrorCode::corrupt,
     DIVISI_TEXT("errors", "the recording has become shorter while it was read"),
     DIVISI_TEXT("errors", "use another copy of the recording, or record again")},

    // saved_state.cpp
    {"saved-state-of-other-format", ErrorCode::corrupt,
     DIVISI_TEXT("errors", "the saved state has format %1; this program reads format %2"),
     DIVISI_TEXT("errors", "an older state and the later events are read instead")},
    {"saved-state-damaged", ErrorCode::corrupt, DIVISI_TEXT("errors", "the checksum of the saved state is wrong"),
     DIVISI_TEXT("errors", "an older state and the later events are read instead")},
    {"saved-state-without-pages", ErrorCode::corrupt,
     DIVISI_TEXT("errors", "some pages of the saved state are missing"),
     DIVISI_TEXT("errors", "an older state and the later events are read instead")},

    // store_reader.cpp
    {"no-store-of-sid", ErrorCode::not_found, DIVISI_TEXT("errors", "the node has no state store of this SID"),
     DIVISI_TEXT("errors", "list all stores with 'divisictl stores'")},
    {"store-is-of-other-sid", ErrorCode::conflict, DIVISI_TEXT("errors", "is the store of %1"),
     DIVISI_TEXT("errors", "ask for that SID")},

    // tensor_file.cpp
    {"tensor-dimensions-broken", ErrorCode::corrupt, DIVISI_TEXT("errors", "a tensor's dimensions are invalid: %1"),
     DIVISI_TEXT("errors", "use another version")},
    {"tensor-strides-broken", ErrorCode::corrupt, DIVISI_TEXT("errors", "a tensor's strides are invalid: %1"),
     DIVISI_TEXT("errors", "use another version")},
    {"tensor-of-wrong-size", ErrorCode::corrupt, DIVISI_TEXT("errors", "tensor '%1' has the wrong size"),
     DIVISI_TEXT("errors", "use another version")},

    // tensor_selection.cpp
    {"snapshot-changed-on-disk", ErrorCode::corrupt,
     DIVISI_TEXT("errors", "the snapshot's bytes have changed on the disk"),
     DIVISI_TEXT("errors", "fetch the snapshot from another node that has it, or use an older checkpoint")},

    // phrases that are arguments of the texts above
    {"do-open", ErrorCode::failed, DIVISI_TEXT("errors", "open")},
    {"do-read", ErrorCode::failed, DIVISI_TEXT("errors", "read")},
    {"do-write", ErrorCode::failed, DIVISI_TEXT("errors", "write")},
    {"do-change-the-mode", ErrorCode::failed, DIVISI_TEXT("errors", "change the mode")},
    {"do-find-the-folder", ErrorCode::failed, DIVISI_TEXT("errors", "find the folder")},
    {"do-list-the-folder", ErrorCode::failed, DIVISI_TEXT("errors", "list the folder")},
    {"do-make-a-folder", ErrorCode::failed, DIVISI_TEXT("errors", "make a folder")},
    {"do-rename-the-folder", ErrorCode::failed, DIVISI_TEXT("errors", "rename the folder")},
    {"do-keep-the-file-as-a-blob", ErrorCode::failed, DIVISI_TEXT("errors", "keep the file as a blob")},
    {"do-make-the-blob-folder", ErrorCode::failed, DIVISI_TEXT("errors", "make the blob folder")},
    {"do-write-a-blob", ErrorCode::failed, DIVISI_TEXT("errors", "write a blob")},
    {"do-create-the-recording", ErrorCode::failed, DIVISI_TEXT("errors", "create the recording")},
    {"do-open-the-recording", ErrorCode::failed, DIVISI_TEXT("errors", "open the recording")},
    {"do-read-the-recording", ErrorCode::failed, DIVISI_TEXT("errors", "read the recording")},
    {"do-sync-the-recording", ErrorCode::failed, DIVISI_TEXT("errors", "sync the recording")},
    {"do-write-the-recording", ErrorCode::failed, DIVISI_TEXT("errors", "write the recording")},
};

/// Returns the entry with this id. An unknown id is a compile error.
consteval const ErrorText& error_text(std::string_view id) { return find_text(error_texts, id); }

}  // namespace divisi::store
