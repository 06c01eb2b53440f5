// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <cstdint>
#include <memory>
#include <vector>

#include "app/charts/curve_csv.h"
#include "app/client/courier.h"
#include "app/model/series_store.h"
#include "backend/base/result.h"

namespace divisi::charts {

/// Writes curves as CSV (curve_csv.h) to a file while the window goes on: their samples are taken a slice at a time in
/// the GUI thread, where curves grow, and written by a thread of its own. The file is there whole or not at all.
class CurveExport : public QObject {
    Q_OBJECT
public:
    /// A part of a curve: its samples of [from, to] less `shift` in x, times `scale` in y.
    struct Part {
        ExportedCurve head;  ///< without samples
        std::shared_ptr<const model::Series> series;
        double from = 0, to = 0;  ///< before the shift
        double shift = 0, scale = 1;
    };
    explicit CurveExport(QObject* parent = nullptr);
    ~CurveExport() override;

    /// One at a time: does nothing while one is active.
    void start(const QString& file, std::vector<Part> parts);
    /// Ends it soon, with an error that says so.
    void cancel();
    bool active() const { return writer_ != nullptr; }

Q_SIGNALS:
    /// `values` were written.
    void ended(const QString& file, std::int64_t values);
    void failed(const divisi::Error& error);

private:
    struct Writer;

    void take_slice();
    std::vector<ExportedCurve> next_slice();
    void finish();

    std::shared_ptr<Writer> writer_;  ///< null: none is active; else the courier's thread has what is in it
    QString file_;
    std::vector<Part> parts_;
    std::size_t part_ = 0;
    std::int64_t next_ = -1;  ///< sample of the part; below 0: its first is not found yet
    QTimer slices_;
    std::unique_ptr<client::Courier> courier_;
};

}  // namespace divisi::charts
