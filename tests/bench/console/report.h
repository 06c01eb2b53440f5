// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace divisi::bench {

/// Prints one line per measurement: name, value and, if there is a limit, the limit with "within" or "over".
class Report {
public:
    /// If `markdown` is true, prints table rows instead.
    explicit Report(bool markdown);

    /// Prints a figure that must not exceed `limit`, in the same unit.
    void figure(const std::string& what, double value, double limit, const char* unit, int decimals = 1) const;
    /// Prints a figure that must not fall below `limit`.
    void figure_at_least(const std::string& what, double value, double limit, const char* unit, int decimals = 1) const;
    /// Prints a value that helps to judge the figures.
    void fact(const std::string& what, double value, const char* unit, int decimals = 1) const;

private:
    void print(const std::string& what, const std::string& value, const std::string& limit, const char* verdict) const;

    bool markdown_;
};

}  // namespace divisi::bench
