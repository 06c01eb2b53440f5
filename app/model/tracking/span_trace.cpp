// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/tracking/span_trace.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <array>
#include <optional>

namespace divisi::model {

namespace {

using plan::OperationKind;

constexpr std::array operation_kinds = {
    OperationKind::load,      OperationKind::preprocess,      OperationKind::forward,
    OperationKind::backward,  OperationKind::share_gradients, OperationKind::finish_gradients,
    OperationKind::optimizer, OperationKind::evaluate};

/// Returns the thread number of an instance. The data unit is -1 in plans, but threads of a trace count from 0.
std::int32_t thread_of(std::int32_t instance, const Timeline& timeline) {
    if (instance != plan::data_unit) return instance;
    std::int32_t stages = 0;
    for (const std::int32_t one : timeline.instances) stages = std::max(stages, one + 1);
    return stages;
}

QString thread_name(std::int32_t instance) {
    return instance == plan::data_unit ? QStringLiteral("data") : QStringLiteral("stage %1").arg(instance + 1);
}

QJsonObject metadata(const char* what, int process, int thread, const QString& key, const QJsonValue& value) {
    return {{QStringLiteral("ph"), QStringLiteral("M")},
            {QStringLiteral("name"), QString::fromLatin1(what)},
            {QStringLiteral("pid"), process},
            {QStringLiteral("tid"), thread},
            {QStringLiteral("args"), QJsonObject{{key, value}}}};
}

QJsonObject complete_event(const Span& span, int process, int thread, std::int64_t origin_ns) {
    const auto microseconds = [](std::int64_t ns) { return static_cast<double>(ns) / 1e3; };
    QString name = QString::fromLatin1(file_name(span.kind));
    const bool of_microbatch = span.kind == SpanKind::forward || span.kind == SpanKind::backward;
    if (of_microbatch) name += QStringLiteral(" %1").arg(span.microbatch);
    return {{QStringLiteral("ph"), QStringLiteral("X")},
            {QStringLiteral("name"), name},
            {QStringLiteral("cat"), QString::fromLatin1(file_name(span.kind))},
            {QStringLiteral("pid"), process},
            {QStringLiteral("tid"), thread},
            {QStringLiteral("ts"), microseconds(span.begin_ns - origin_ns)},
            {QStringLiteral("dur"), microseconds(span.end_ns - span.begin_ns)},
            {QStringLiteral("args"),
             QJsonObject{{QStringLiteral("step"), static_cast<qint64>(span.step)},
                         {QStringLiteral("microbatch"), span.microbatch},
                         {QStringLiteral("operation"), QString::fromLatin1(plan::to_string(span.operation))}}}};
}

Error bad_line(const std::string& name, std::int64_t line, const std::string& why) {
    return {ErrorCode::corrupt, why, name + ":" + std::to_string(line),
            "choose the folder that DIVISI_TRACE named while the task ran"};
}

/// Parses unit, operation, step, micro-batch, ready, arrived, begin and end. Ignores the figures that no view shows.
std::optional<Span> span_of(const QByteArray& line) {
    const QList<QByteArray> cells = line.split(',');
    if (cells.size() < 8) return std::nullopt;
    Span span;
    bool whole = true;
    const auto number = [&](int cell) {
        bool fine = false;
        const qlonglong value = cells[cell].toLongLong(&fine);
        whole = whole && fine;
        return static_cast<std::int64_t>(value);
    };
    const auto kind =
        std::ranges::find_if(operation_kinds, [&](OperationKind one) { return cells[1] == plan::to_string(one); });
    if (kind == operation_kinds.end()) return std::nullopt;
    span.operation = *kind;
    span.kind = kind_of(*kind);
    span.instance = static_cast<std::int32_t>(number(0));
    span.step = number(2);
    span.microbatch = static_cast<std::int32_t>(number(3));
    span.begin_ns = number(6);
    span.end_ns = number(7);
    if (!whole || span.end_ns < span.begin_ns || span.instance < plan::data_unit) return std::nullopt;
    return span;
}

}  // namespace

const char* file_name(SpanKind kind) {
    switch (kind) {
        case SpanKind::data: return "data";
        case SpanKind::forward: return "forward";
        case SpanKind::backward: return "backward";
        case SpanKind::weight_gradient: return "weight gradient";
        case SpanKind::optimizer: return "optimizer";
        case SpanKind::evaluate: return "evaluate";
        case SpanKind::wire: return "wire";
        case SpanKind::idle: return "idle";
    }
    return "";
}

QByteArray chrome_trace(const std::vector<NamedTimeline>& timelines) {
    QJsonArray events;
    int process = 0;
    for (const auto& [name, timeline] : timelines) {
        ++process;
        events << metadata("process_name", process, 0, QStringLiteral("name"), name);
        for (const std::int32_t instance : timeline.instances) {
            const int thread = thread_of(instance, timeline);
            events << metadata("thread_name", process, thread, QStringLiteral("name"), thread_name(instance));
            events << metadata("thread_sort_index", process, thread, QStringLiteral("sort_index"), thread);
        }
        for (const Span& span : timeline.spans)
            if (span.kind != SpanKind::idle)
                events << complete_event(span, process, thread_of(span.instance, timeline), timeline.begin_ns);
    }
    return QJsonDocument(QJsonObject{{QStringLiteral("traceEvents"), events},
                                     {QStringLiteral("displayTimeUnit"), QStringLiteral("ms")}})
        .toJson(QJsonDocument::Compact);
}

Result<std::vector<Span>> read_trace(const QByteArray& text, const std::string& name) {
    std::vector<Span> spans;
    qsizetype begin = 0;
    std::int64_t line = 0;
    while (begin < text.size()) {
        const qsizetype end = text.indexOf('\n', begin);
        if (end < 0) break;  // the last line is incomplete, because the process was killed
        const QByteArray row = text.mid(begin, end - begin);
        begin = end + 1;
        if (++line == 1) {
            if (!row.startsWith("unit,operation,step,microbatch,ready,arrived,begin,end"))
                return bad_line(name, line, "this is not a trace of an instance");
            continue;
        }
        const auto span = span_of(row);
        if (!span) return bad_line(name, line, "this is no operation");
        spans.push_back(*span);
    }
    return spans;
}

Result<std::vector<Span>> read_trace_folder(const QString& folder, const std::function<bool()>& stop) {
    std::vector<Span> all;
    qint64 bytes = 0;
    const QFileInfoList files = QDir(folder).entryInfoList({QStringLiteral("*.csv")}, QDir::Files, QDir::Name);
    for (const QFileInfo& info : files) {
        const std::string name = info.filePath().toStdString();
        if (stop && stop()) return Error{ErrorCode::failed, "reading the trace was cancelled", name, ""};
        bytes += info.size();
        if (bytes > most_trace_bytes)
            return Error{ErrorCode::exhausted, "the trace is larger than 256 MiB", name, "trace fewer steps"};
        QFile file(info.filePath());
        if (!file.open(QIODevice::ReadOnly))
            return Error{ErrorCode::failed, "cannot read: " + file.errorString().toStdString(), name,
                         "check its permissions"};
        DIVISI_ASSIGN(const std::vector<Span> spans, read_trace(file.readAll(), name));
        all.insert(all.end(), spans.begin(), spans.end());
    }
    if (all.empty())
        return Error{ErrorCode::not_found, "no instance trace was found here", folder.toStdString(),
                     "start the console or 'divisictl run' with DIVISI_TRACE=FOLDER, and run a task"};
    const std::int64_t last = std::ranges::max(all, {}, &Span::step).step;
    std::erase_if(all, [&](const Span& span) { return span.step <= last - most_traced_steps; });
    return all;
}

}  // namespace divisi::model
