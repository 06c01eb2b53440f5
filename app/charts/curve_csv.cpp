// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/curve_csv.h"

#include <QLocale>
#include <cmath>

namespace divisi::charts {

namespace {

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
