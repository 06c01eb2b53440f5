// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/console/report.h"

#include <cstdio>

namespace divisi::bench {

namespace {

std::string text(double value, const char* unit, int decimals) {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "%.*f%s%s", decimals, value, *unit ? " " : "", unit);
    return buffer;
}

}  // namespace

Report::Report(bool markdown) : markdown_(markdown) {
    if (markdown_) std::puts("| figure | measured | limit | |\n| --- | --- | --- | --- |");
}

void Report::figure(const std::string& what, double value, double limit, const char* unit, int decimals) const {
    print(what, text(value, unit, decimals), "at most " + text(limit, unit, decimals),
          value <= limit ? "within" : "over");
}

void Report::figure_at_least(const std::string& what, double value, double limit, const char* unit,
                             int decimals) const {
    print(what, text(value, unit, decimals), "at least " + text(limit, unit, decimals),
          value >= limit ? "within" : "over");
}

void Report::fact(const std::string& what, double value, const char* unit, int decimals) const {
    print(what, text(value, unit, decimals), "", "");
}

void Report::print(const std::string& what, const std::string& value, const std::string& limit,
                   const char* verdict) const {
    if (markdown_) std::printf("| %s | %s | %s | %s |\n", what.c_str(), value.c_str(), limit.c_str(), verdict);
    else std::printf("%-56s %14s  %-20s %s\n", what.c_str(), value.c_str(), limit.c_str(), verdict);
    std::fflush(stdout);
}

}  // namespace divisi::bench
