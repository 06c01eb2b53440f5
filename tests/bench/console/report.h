// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace divisi::bench {

/// Prints what was measured, a line each: what, value, and where there is one the limit with "within" or "over".
class Report {
public:
    /// `markdown`: rows of a table instead.
    explicit Report(bool markdown);

    /// A figure that shall not exceed `limit`, in the same unit.
    void figure(const std::string& what, double value, double limit, const char* unit, int decimals = 1) const;
    /// One that shall not fall below it.
    void figure_at_least(const std::string& what, double value, double limit, const char* unit, int decimals = 1) const;
    /// What helps to judge the figures.
    void fact(const std::string& what, double value, const char* unit, int decimals = 1) const;

private:
    void print(const std::string& what, const std::string& value, const std::string& limit, const char* verdict) const;

    bool markdown_;
};

}  // namespace divisi::bench
