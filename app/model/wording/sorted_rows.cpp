// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/wording/sorted_rows.h"

#include <cmath>

namespace divisi::model {

namespace {

qsizetype digits(QStringView text, qsizetype from) {
    qsizetype end = from;
    while (end < text.size() && text[end].isDigit()) ++end;
    return end - from;
}

/// Compares two runs of digits.
int compare_numbers(QStringView one, QStringView other) {
    while (one.size() > 1 && one.front() == u'0') one = one.sliced(1);
    while (other.size() > 1 && other.front() == u'0') other = other.sliced(1);
    if (one.size() != other.size()) return one.size() < other.size() ? -1 : 1;
    return one.compare(other);
}

bool text_before(QStringView one, QStringView other) {
    qsizetype i = 0, j = 0;
    while (i < one.size() && j < other.size()) {
        const qsizetype m = digits(one, i), n = digits(other, j);
        if (m > 0 && n > 0) {
            if (const int order = compare_numbers(one.sliced(i, m), other.sliced(j, n)); order != 0) return order < 0;
            i += m;
            j += n;
            continue;
        }
        const QChar a = one[i++].toCaseFolded(), b = other[j++].toCaseFolded();
        if (a != b) return a < b;
    }
    return one.size() - i < other.size() - j;
}

/// Returns whether the key cannot be compared, such as a loss that is not a number.
bool says_nothing(const QVariant& key) {
    return !key.isValid() || (key.typeId() == QMetaType::Double && std::isnan(key.toDouble()));
}

}  // namespace

bool sorts_before(const QVariant& one, const QVariant& other) {
    if (says_nothing(one) || says_nothing(other)) return !says_nothing(one) && says_nothing(other);
    const bool text = one.typeId() == QMetaType::QString, other_text = other.typeId() == QMetaType::QString;
    if (text != other_text) return other_text;
    if (text) return text_before(one.toString(), other.toString());
    return QVariant::compare(one, other) == QPartialOrdering::Less;
}

QVariant time_key(TimePoint time) {
    return time == TimePoint{} ? QVariant() : QVariant::fromValue<qlonglong>(time.time_since_epoch().count());
}

SortedRows::SortedRows(QAbstractItemModel& source) {
    setFilterCaseSensitivity(Qt::CaseInsensitive);
    setFilterKeyColumn(-1);
    setSourceModel(&source);
}

bool SortedRows::lessThan(const QModelIndex& one, const QModelIndex& other) const {
    const auto key = [](const QModelIndex& index) {
        const QVariant said = index.data(key_role);
        return said.isValid() ? said : QVariant(index.data().toString());
    };
    return sorts_before(key(one), key(other));
}

}  // namespace divisi::model

#include "moc_sorted_rows.cpp"
