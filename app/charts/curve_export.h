// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QObject>
#include <QString>
#include <QTimer>
#include <cstdint>
#include <memory>
#include <vector>

#include "app/client/courier.h"
#include "app/model/tracking/series_store.h"
#include "backend/base/result.h"

namespace divisi::charts {

/// Holds the samples of one curve for export to a file.
struct ExportedCurve {
    QString chart, curve;    ///< names of chart and curve, such as "Loss" and "Training"
    QString x_unit, y_unit;  ///< units of the axes, such as "step", "s" or "ms"; empty for numbers without a unit
    std::vector<model::Sample> samples;
};

/// Returns the curves as CSV, one row per sample: chart, curve, x, x_unit, value, unit. The first row is the header.
/// Numbers use a decimal point, no digit grouping, and enough digits to be read back without loss. Quoting follows RFC
/// 4180.
QByteArray curve_csv(const std::vector<ExportedCurve>& curves);
/// csv_head() returns the header row. csv_rows() returns the rows of one curve.
QByteArray csv_head();
QByteArray csv_rows(const ExportedCurve& curve);

/// Writes curves as CSV to a file while the window stays responsive. The GUI thread, which also appends
/// to curves, copies the samples slice by slice; another thread writes them. The file is written completely or not at
/// all.
class CurveExport : public QObject {
    Q_OBJECT
public:
    /// A part of a curve: its samples in [from, to]. `shift` is subtracted from x, and y is multiplied by `scale`.
    struct Part {
        ExportedCurve head;  ///< names and units of the curve, without samples
        std::shared_ptr<const model::Series> series;
        double from = 0, to = 0;  ///< x range of the samples, before `shift` is subtracted
        double shift = 0, scale = 1;
    };
    explicit CurveExport(QObject* parent = nullptr);
    ~CurveExport() override;

    /// Starts an export. Does nothing while another export is active.
    void start(const QString& file, std::vector<Part> parts);
    /// Cancels the export. The export ends soon afterwards, with an error that reports the cancellation.
    void cancel();
    bool active() const { return writer_ != nullptr; }

Q_SIGNALS:
    /// The export has ended and has written `values` samples.
    void ended(const QString& file, std::int64_t values);
    void failed(const divisi::Error& error);

private:
    struct Writer;

    void take_slice();
    std::vector<ExportedCurve> next_slice();
    void finish();

    std::shared_ptr<Writer> writer_;  ///< used on the courier's thread; null: no export is active
    QString file_;
    std::vector<Part> parts_;
    std::size_t part_ = 0;
    std::int64_t next_ = -1;  ///< index of the part's next sample; negative: not found yet
    QTimer slices_;
    std::unique_ptr<client::Courier> courier_;
};

}  // namespace divisi::charts
