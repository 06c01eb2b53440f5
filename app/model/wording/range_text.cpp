// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/wording/range_text.h"

#include <QCoreApplication>
#include <QLocale>

namespace divisi::model {

namespace {

struct Ranges {
    Q_DECLARE_TR_FUNCTIONS(divisi::model::Ranges)
};

/// The units that are passed to range_text().
[[maybe_unused]] constexpr const char* range_units[] = {
    QT_TRANSLATE_NOOP("divisi::model::Ranges", "samples"),     QT_TRANSLATE_NOOP("divisi::model::Ranges", "steps"),
    QT_TRANSLATE_NOOP("divisi::model::Ranges", "classes"),     QT_TRANSLATE_NOOP("divisi::model::Ranges", "batches"),
    QT_TRANSLATE_NOOP("divisi::model::Ranges", "threads"),     QT_TRANSLATE_NOOP("divisi::model::Ranges", "processes"),
    QT_TRANSLATE_NOOP("divisi::model::Ranges", "checkpoints"), QT_TRANSLATE_NOOP("divisi::model::Ranges", "parts"),
    QT_TRANSLATE_NOOP("divisi::model::Ranges", "layers"),      QT_TRANSLATE_NOOP("divisi::model::Ranges", "features"),
    QT_TRANSLATE_NOOP("divisi::model::Ranges", "heads"),       QT_TRANSLATE_NOOP("divisi::model::Ranges", "channels"),
    QT_TRANSLATE_NOOP("divisi::model::Ranges", "pixels"),      QT_TRANSLATE_NOOP("divisi::model::Ranges", "tokens"),
};

}  // namespace

QString range_text(const Range& range, const char* unit) {
    const QString least = QLocale().toString(range.least);
    QString text = range.without_ends ? Ranges::tr("above %1").arg(least) : Ranges::tr("from %1").arg(least);
    if (range.most) {
        const QString both = range.without_ends ? Ranges::tr("%1 to below %2") : Ranges::tr("%1 to %2");
        text = both.arg(least, QLocale().toString(*range.most));
    }
    return unit ? Ranges::tr("%1 %2", "numbers, and their unit").arg(text, Ranges::tr(unit)) : text;
}

QString help_text(const QString& help, const QString& range) {
    return range.isEmpty() ? help
                           : Ranges::tr("%1. Range: %2", "a word of help, and which values there are").arg(help, range);
}

}  // namespace divisi::model
