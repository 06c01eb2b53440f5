// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/curve_export.h"

#include <QLocale>
#include <QSaveFile>
#include <atomic>
#include <cmath>
#include <optional>
#include <utility>

namespace divisi::charts {
namespace {

/// Samples per slice. Taking a slice takes a few milliseconds, even if the samples are on disk.
constexpr std::size_t slice_samples = 1 << 15;

QByteArray cell(const QString& text) {
    QByteArray bytes = text.toUtf8();
    if (!bytes.contains(',') && !bytes.contains('"') && !bytes.contains('\n') && !bytes.contains('\r')) return bytes;
    bytes.replace('"', "\"\"");
    return '"' + bytes + '"';
}

QByteArray cell(double number) {
    if (std::isnan(number)) return "nan";
    if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
    return QByteArray::number(number, 'g', QLocale::FloatingPointShortest);
}

}  // namespace

struct CurveExport::Writer {
    explicit Writer(const QString& path) : file(path) {}

    void begin() {
        if (!file.open(QIODevice::WriteOnly)) fail();
        write(csv_head());
    }
    void write(const QByteArray& bytes) {
        if (!problem && file.write(bytes) != bytes.size()) fail();
    }
    void write(const std::vector<ExportedCurve>& curves) {
        for (const ExportedCurve& curve : curves) {
            if (cancelled) return;
            write(csv_rows(curve));
            values += static_cast<std::int64_t>(curve.samples.size());
        }
    }
    void end() {
        const std::string path = file.fileName().toStdString();
        if (cancelled) {
            file.cancelWriting();
            problem = Error{ErrorCode::failed, "the export was cancelled", path, "nothing was written"};
        } else if (!problem && !file.commit()) {
            fail();
        }
    }

    QSaveFile file;
    std::optional<Error> problem;
    std::int64_t values = 0;
    std::atomic<bool> cancelled = false;

private:
    void fail() {
        problem = Error{ErrorCode::failed, "cannot write: " + file.errorString().toStdString(),
                        file.fileName().toStdString(), "choose another folder, or make room there"};
    }
};

CurveExport::CurveExport(QObject* parent) : QObject(parent) {
    slices_.setInterval(0);  // makes a slice whenever no other event is pending
    connect(&slices_, &QTimer::timeout, this, &CurveExport::take_slice);
}

CurveExport::~CurveExport() {
    if (writer_) writer_->cancelled = true;
}

void CurveExport::start(const QString& file, std::vector<Part> parts) {
    if (active()) return;
    if (!courier_) courier_ = std::make_unique<client::Courier>();
    file_ = file;
    parts_ = std::move(parts);
    part_ = 0;
    next_ = -1;
    writer_ = std::make_shared<Writer>(file);
    courier_->run([writer = writer_](const std::atomic<bool>&) { writer->begin(); });
    slices_.start();
}

void CurveExport::cancel() {
    if (writer_) writer_->cancelled = true;
}

/// Returns the next slice: at most `slice_samples` samples, from one or more curves.
std::vector<ExportedCurve> CurveExport::next_slice() {
    std::vector<ExportedCurve> slice;
    std::size_t room = slice_samples;
    while (part_ < parts_.size() && room > 0) {
        const Part& part = parts_[part_];
        if (next_ < 0) next_ = part.series->index_of(part.from);
        ExportedCurve curve = part.head;
        bool more = next_ < part.series->size();
        for (; more && room > 0; --room) {
            const std::optional<model::Sample> one = part.series->at(next_);
            if (one && one->x > part.to) break;
            if (one) curve.samples.push_back({one->x - part.shift, one->y * part.scale});
            more = ++next_ < part.series->size();
        }
        slice.push_back(std::move(curve));
        if (more && room == 0) break;  // the slice is full; the next slice continues with this part
        ++part_;
        next_ = -1;
    }
    return slice;
}

void CurveExport::take_slice() {
    if (!writer_->cancelled && part_ < parts_.size()) {
        courier_->run([writer = writer_, slice = next_slice()](const std::atomic<bool>&) { writer->write(slice); });
        return;
    }
    slices_.stop();
    parts_.clear();
    courier_->run([this, writer = writer_](const std::atomic<bool>&) {
        writer->end();
        QMetaObject::invokeMethod(this, &CurveExport::finish, Qt::QueuedConnection);
    });
}

void CurveExport::finish() {
    const auto writer = std::exchange(writer_, nullptr);
    if (writer->problem) return Q_EMIT failed(*writer->problem);
    Q_EMIT ended(file_, writer->values);
}

QByteArray csv_head() { return "chart,curve,x,x_unit,value,unit\n"; }

QByteArray csv_rows(const ExportedCurve& curve) {
    QByteArray text;
    const QByteArray head = cell(curve.chart) + ',' + cell(curve.curve) + ',';
    const QByteArray x_unit = ',' + cell(curve.x_unit) + ',', tail = ',' + cell(curve.y_unit) + '\n';
    for (const model::Sample& one : curve.samples) text += head + cell(one.x) + x_unit + cell(one.y) + tail;
    return text;
}

QByteArray curve_csv(const std::vector<ExportedCurve>& curves) {
    QByteArray text = csv_head();
    for (const ExportedCurve& curve : curves) text += csv_rows(curve);
    return text;
}

}  // namespace divisi::charts

#include "moc_curve_export.cpp"
