// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>

namespace divisi::model {

/// The range of numbers that a field accepts.
struct Range {
    qint64 least = 0;
    std::optional<qint64> most = {};  ///< upper bound; none: no upper bound
    bool without_ends = false;        ///< whether the range excludes `most` or, without `most`, excludes `least`
};

/// Formats a range in the program's language, such as "1 to 1,048,576 samples" or "from 0". `unit` is one of the
/// English texts of this file, or null.
QString range_text(const Range& range, const char* unit);
/// Returns a help text followed by the range.
QString help_text(const QString& help, const QString& range);

}  // namespace divisi::model
