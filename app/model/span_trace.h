// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <functional>
#include <string>
#include <vector>

#include "app/model/spans.h"
#include "backend/base/result.h"

namespace divisi::model {

// Timelines in files.

/// A timeline and what it is called there.
struct NamedTimeline {
    QString name;  ///< "Predicted"
    Timeline timeline;
};

/// Chrome's trace event format (JSON object with "traceEvents"), which Perfetto reads: every timeline a process, every
/// instance a thread, every span but idle ones a complete event ("ph": "X") with "ts" and "dur" in microseconds since
/// its timeline began. In English, with neutral numbers.
QByteArray chrome_trace(const std::vector<NamedTimeline>& timelines);

/// Steps of a measured trace that are kept: the newest.
inline constexpr std::int64_t most_traced_steps = 50;
/// Bytes of all files of a trace.
inline constexpr qint64 most_trace_bytes = 256 << 20;

/// The operations in one file of DIVISI_TRACE (agents/instance/trace.h); `name` stands in messages. A last line that
/// was cut off is left out. Fails (corrupt) with the line.
Result<std::vector<Span>> read_trace(const QByteArray& text, const std::string& name);
/// Those of all *.csv files of a folder, the newest most_traced_steps steps. Fails where there are none, with the file
/// that cannot be read, where they are too large, or once `stop` says so.
Result<std::vector<Span>> read_trace_folder(const QString& folder, const std::function<bool()>& stop = {});

/// "forward", "weight gradient", ...: in English, for files.
const char* file_name(SpanKind kind);

}  // namespace divisi::model
