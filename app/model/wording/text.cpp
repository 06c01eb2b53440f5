// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/wording/text.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>
#include <array>
#include <cmath>

namespace divisi::model {

namespace {

/// Scales a value as format_bytes() and format_flops() do for divisictl.
QString scaled_text(double value, double step, const std::array<const char*, 6>& units) {
    std::size_t index = 0;
    for (; std::abs(value) >= step && index + 1 < units.size(); ++index) value /= step;
    const bool whole = index == 0 || std::abs(value) >= 100;
    return QLocale().toString(value, 'f', whole ? 0 : 1) + u' ' + QString::fromLatin1(units[index]);
}

}  // namespace

QString bytes_text(Bytes bytes) {
    return scaled_text(static_cast<double>(bytes), 1024, {"B", "KiB", "MiB", "GiB", "TiB", "PiB"});
}

QString flops_text(Flops flops) {
    return scaled_text(flops, 1000, {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP"});
}

QString figure_text(double value, int digits) { return QLocale().toString(value, 'g', digits); }

QString fixed_text(double value, int decimals) { return QLocale().toString(value, 'f', decimals); }

QString change_text(double share, int decimals) {
    return (share < 0 ? QString() : QStringLiteral("+")) + fixed_text(share * 100, decimals) + QStringLiteral(" %");
}

QString ms_text(double ms) {
    const auto number = [](double value) { return QLocale().toString(value, 'g', value < 1000 ? 3 : 4); };
    if (ms >= 1000) return number(ms / 1000) + QStringLiteral("\u202fs");
    if (ms >= 0.1 || ms == 0) return number(ms) + QStringLiteral("\u202fms");
    return number(ms * 1000) + QStringLiteral("\u202f\u00b5s");
}

QString loss_text(double loss) {
    if (std::isnan(loss)) return QStringLiteral("NaN");
    if (std::isinf(loss)) return loss > 0 ? QStringLiteral("+\u221e") : QStringLiteral("\u2212\u221e");
    const bool large = std::abs(loss) >= 1e6;
    return large ? QLocale().toString(loss, 'e', 3) : QLocale().toString(loss, 'f', 4);
}

QString percent(double share) { return QLocale().toString(share * 100, 'f', 1) + QStringLiteral("\u202f%"); }

QString degrees_text(double celsius) { return QLocale().toString(celsius, 'f', 1) + QStringLiteral("\u202f\u00b0C"); }

QString watts_text(double watts) { return QLocale().toString(watts, 'f', 1) + QStringLiteral("\u202fW"); }

QString count_text(std::int64_t count) { return QLocale().toString(qlonglong{count}); }

QString shape_text(const graph::Value& value) {
    if (!value.shape) return {};
    if (value.shape->empty()) return QCoreApplication::translate("Text", "scalar");
    QStringList parts;
    for (const graph::Dim& dim : *value.shape) {
        if (dim.known()) parts << QString::number(dim.size);
        else parts << (dim.symbol.empty() ? QStringLiteral("?") : QString::fromStdString(dim.symbol));
    }
    return parts.join(QStringLiteral("\u00d7"));
}

QString value_text(const graph::Value& value) {
    const std::string_view dtype = graph::name(value.dtype);
    QString text = QString::fromUtf8(dtype.data(), static_cast<qsizetype>(dtype.size())) + u' ' + shape_text(value);
    if (const auto bytes = graph::size_bytes(value)) text += QStringLiteral(" \u00b7 ") + bytes_text(*bytes);
    return text;
}

}  // namespace divisi::model
