// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <vector>

#include "app/model/series_store.h"

namespace divisi::charts {

/// Samples of one curve, as they go into a file.
struct ExportedCurve {
    QString chart, curve;    ///< "Loss", "Training"
    QString x_unit, y_unit;  ///< "step", "s", "ms"; empty: a bare number
    std::vector<model::Sample> samples;
};

/// A row a sample: chart, curve, x, x_unit, value, unit; the first row names them. Numbers have a point, no groups, and
/// as many digits as bring the same number back; quotes as in RFC 4180.
QByteArray curve_csv(const std::vector<ExportedCurve>& curves);
/// The first row, and those of one curve.
QByteArray csv_head();
QByteArray csv_rows(const ExportedCurve& curve);

}  // namespace divisi::charts
