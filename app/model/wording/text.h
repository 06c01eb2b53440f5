// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "backend/base/units.h"
#include "backend/graph/graph.h"

namespace divisi::model {

// Formats figures for the screen, in the program's language.

QString bytes_text(Bytes bytes);                  ///< for example "1.5 MiB"
QString flops_text(Flops flops);                  ///< for example "2.1 GFLOP"
QString figure_text(double value, int digits);    ///< the value with this many significant digits
QString fixed_text(double value, int decimals);   ///< the value with this many decimals
QString change_text(double share, int decimals);  ///< for example "+12.5 %" for 0.125 and 1
QString ms_text(double ms);                       ///< for example "41.2 ms", "3.1 us", "2.40 s"
/// Formats a loss, such as "2.3041"; a non-finite value as "NaN", "+∞" or "−∞".
QString loss_text(double loss);
QString percent(double share);           ///< for example "38.2 %" for 0.382
QString degrees_text(double celsius);    ///< for example "61.5 °C"
QString watts_text(double watts);        ///< for example "250.0 W"
QString count_text(std::int64_t count);  ///< the number with the language's digit groups
/// Formats a shape, such as "1×64×56×56", with "?" for unknown dimensions; empty if the rank is unknown.
QString shape_text(const graph::Value& value);
/// Formats the known properties of a value, such as "float32 1×64×56×56 · 784 KiB".
QString value_text(const graph::Value& value);

}  // namespace divisi::model
