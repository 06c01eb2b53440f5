// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>

namespace divisi::model {

/// Which numbers a field takes.
struct Range {
    qint64 least = 0;
    std::optional<qint64> most = {};  ///< none: no bound above
    bool without_ends = false;        ///< `most` itself is out; where there is no `most`, `least` is
};

/// "1 to 1,048,576 samples", "from 0": in the program's language. `unit` is one of the texts of this file, in English,
/// or null.
QString range_text(const Range& range, const char* unit);
/// A word of help with the range behind it.
QString help_text(const QString& help, const QString& range);

}  // namespace divisi::model
