// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <vector>

#include "app/model/tracking/series_store.h"

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

}  // namespace divisi::charts
