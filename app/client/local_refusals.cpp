// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtGlobal>

#include "app/client/refusal_table.h"

namespace divisi::client {

namespace {

// If two patterns match the same text, the first wins: specific patterns come before general ones.
constexpr RefusalText told_here[] = {
    // This phrase also occurs in logged texts, which have no id.
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "cannot %1: %2"), "backend/file/error_texts.h"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "the model has no operators"),
     "app/model/documents/loaded_model.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "choose a model with at least one operator"),
     "app/model/documents/loaded_model.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "cannot write: %1"), "app/model/documents/save_bytes.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "choose another folder, or make room there"),
     "app/model/documents/save_bytes.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "choose a file that can be read"),
     "app/model/documents/task_draft.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "choose another folder or free some space"),
     "app/model/documents/task_draft.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "no model is open"), "app/model/documents/graph_document.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "open a model first"), "app/model/documents/graph_document.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "another version of the console wrote it"),
     "app/model/documents/edit_history.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "open it with that version"),
     "app/model/documents/edit_history.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "it contains no task"), "app/model/documents/edit_history.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "open a task file"), "app/model/documents/edit_history.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "the cluster no longer knows this version"),
     "app/model/documents/version_tree.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "choose another one"), "app/model/documents/version_tree.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "its weights were deleted"), "app/model/documents/version_tree.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "choose a version that is kept"),
     "app/model/documents/version_tree.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "the cluster no longer has its task's text"),
     "app/model/documents/version_tree.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "the task trains other operators, or in another order, than shown"),
     "app/model/estimates/priced_task.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "see 'divisictl plan' for its prices"),
     "app/model/estimates/priced_task.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "the trace is larger than 256 MiB"),
     "app/model/tracking/span_trace.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "trace fewer steps"), "app/model/tracking/span_trace.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "cannot read: %1"), "app/model/tracking/span_trace.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "check its permissions"), "app/model/tracking/span_trace.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "no instance trace was found here"),
     "app/model/tracking/span_trace.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals",
                       "start the console or 'divisictl run' with DIVISI_TRACE=FOLDER, and run a task"),
     "app/model/tracking/span_trace.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "the disk does not answer"), "app/client/record_writer.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "record to another disk"), "app/client/record_writer.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "is being recorded"), "app/client/recorder.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "end this recording first"), "app/client/recorder.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "'%1' is not a number of measurements"),
     "app/client/record_codec.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "record again: this file is damaged"),
     "app/client/record_codec.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "a record of kind %1"), "app/client/record_codec.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "open it with a newer version of Divisi"),
     "app/client/record_codec.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "the recording holds messages of protocol %1; Divisi %2 speaks %3"),
     "app/client/recorded_cluster.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "open it with Divisi %1, which wrote it"),
     "app/client/recorded_cluster.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "not an export of receipts as CSV"),
     "app/client/receipt_export.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "check JSON lines with 'divisictl receipts verify'"),
     "app/client/receipt_export.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "there is no connection to a cluster"), "app/client/worker.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "the connection to the cluster was lost"), "app/client/worker.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "try again later"), "app/client/worker.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "the cluster gave no answer to the re-cut"),
     "app/client/worker.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "see the logs"), "app/client/worker.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "the cluster of this console was shut down"),
     "app/client/embedded_host.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "it is started again"), "app/client/embedded_host.cpp"},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "No such file or directory"), nullptr},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "Permission denied"), nullptr},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "Is a directory"), nullptr},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "Not a directory"), nullptr},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "Read-only file system"), nullptr},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "No space left on device"), nullptr},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "Input/output error"), nullptr},
    {QT_TRANSLATE_NOOP("divisi::client::Refusals", "Connection refused"), nullptr},
};

}  // namespace

std::span<const RefusalText> local_refusals() { return told_here; }

}  // namespace divisi::client
