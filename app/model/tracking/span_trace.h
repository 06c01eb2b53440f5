// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <functional>
#include <string>
#include <vector>

#include "app/model/tracking/spans.h"
#include "backend/base/result.h"

namespace divisi::model {

// Reads and writes timelines in files.

/// A timeline with its name in the file.
struct NamedTimeline {
    QString name;  ///< name of the trace, for example "Predicted"
    Timeline timeline;
};

/// Returns timelines in Chrome's trace event format (JSON object with "traceEvents"), which Perfetto reads. A timeline
/// is a process, and an instance is a thread. A span that is not idle is a complete event ("ph": "X"), with "ts" and
/// "dur" in microseconds since its timeline began. Written in English, with locale-independent numbers.
QByteArray chrome_trace(const std::vector<NamedTimeline>& timelines);

/// Maximum number of steps of a measured trace; only the newest steps are kept.
inline constexpr std::int64_t most_traced_steps = 50;
/// Maximum total size of a trace's files in bytes.
inline constexpr qint64 most_trace_bytes = 256 << 20;

/// Reads the operations in one file of DIVISI_TRACE (agents/instance/engine/trace.h). `name` is the file's name for
/// messages. Ignores a truncated last line. Fails with `corrupt`, naming the line, if another line is invalid.
Result<std::vector<Span>> read_trace(const QByteArray& text, const std::string& name);
/// Reads the operations in all *.csv files of a folder, up to the newest most_traced_steps steps. Fails if there are no
/// spans, if a file cannot be read (the error names it), if the files are too large, or once `stop` returns true.
Result<std::vector<Span>> read_trace_folder(const QString& folder, const std::function<bool()>& stop = {});

/// Returns the name of a kind in files, in English: "forward", "weight gradient", ...
const char* file_name(SpanKind kind);

}  // namespace divisi::model
