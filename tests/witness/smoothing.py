# SPDX-License-Identifier: Apache-2.0
"""Writes tests/unit/module/smoothing_witness.h: the results that smoothing and cleaning in agents/module must give.

It shares neither code nor formulas with them: Holt's method is computed in its error-correction form, in exact
fractions, and Hampel's filter by the statistics module. It can be run from any folder; the build does not run it.
"""
import math
import pathlib
import statistics
from fractions import Fraction

SERIES = {
    "falling": [20, 20.5, 19.75, 18, 16.25, 15, 13.5, 12.25],
    "a spike": [5, 5.25, 5, 30, 5.25, 5, 4.75, 5],
    "a step": [8, 8, 8.25, 8, 3, 3.25, 3, 3, 3.25],
    "equal": [4, 4, 4, 4, 4, 4],
    "one": [7],
}
RATES = [(0.5, 0.25, 1), (0.5, 0.25, 0.75), (0.25, 0.5, 1)]
AHEAD = 3


def holt(values, alpha, beta, phi):
    """Returns level, trend, mean absolute error of one step, and the forecast for AHEAD steps later."""
    alpha, beta, phi = Fraction(alpha), Fraction(beta), Fraction(phi)
    level, trend, errors = Fraction(values[0]), Fraction(0), []
    for value in values[1:]:
        error = Fraction(value) - level - phi * trend
        errors.append(abs(error))
        level, trend = level + phi * trend + alpha * error, phi * trend + alpha * beta * error
    forecast = level + trend * sum(phi**i for i in range(1, AHEAD + 1))
    error = sum(errors) / len(errors) if errors else 0
    return [float(x) for x in (level, trend, error, forecast)]


def hampel(values):
    cleaned = list(values)
    for i in range(2, len(values) - 2):
        around = values[i - 2:i + 3]
        middle = statistics.median(around)
        spread = 1.4826 * statistics.median(abs(x - middle) for x in around)
        if abs(values[i] - middle) > 3 * spread:
            cleaned[i] = middle
    return cleaned


def normalized(values):
    spread = math.sqrt(statistics.pvariance(values)) if len(values) > 1 else 0
    return [(x - statistics.fmean(values)) / spread if spread else 0.0 for x in values]


def braces(values):
    return "{" + ", ".join(repr(float(x)) for x in values) + "}"


def main():
    lines = ["// SPDX-License-Identifier: Apache-2.0", "// Written by tests/witness/smoothing.py.", "#pragma once", "",
             "#include <vector>", "", "namespace divisi::module::test {", "",
             "struct SmoothedSeries {", "    const char* name;", "    std::vector<double> values, cleaned, normalized;",
             "    /// Rates of level and trend, damping; level, trend, error and the forecast of three periods ahead.",
             "    std::vector<std::vector<double>> holt;", "};", "// clang-format off",
             "inline const std::vector<SmoothedSeries> smoothed_series = {"]
    for name, values in SERIES.items():
        cleaned = hampel(values)
        lines.append(f'    {{"{name}", {braces(values)},')
        lines.append(f"     {braces(cleaned)},")
        row = normalized(cleaned)
        half = (len(row) + 1) // 2
        parts = [", ".join(repr(float(x)) for x in part) for part in (row[:half], row[half:]) if part]
        lines.append("     {" + ",\n      ".join(parts) + "},")
        lines.append("     {" + ",\n      ".join(braces([*rates, *holt(values, *rates)]) for rates in RATES) + "}},")
    lines += ["};", "// clang-format on", "", "}  // namespace divisi::module::test", ""]
    target = pathlib.Path(__file__).parents[1] / "unit/module/smoothing_witness.h"
    target.write_text("\n".join(lines))


if __name__ == "__main__":
    main()
