// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/sorted_rows.h"

namespace divisi::model {

namespace {

qsizetype digits(QStringView text, qsizetype from) {
    qsizetype end = from;
    while (end < text.size() && text[end].isDigit()) ++end;
    return end - from;
}

/// Of two runs of digits.
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

}  // namespace

bool sorts_before(const QVariant& one, const QVariant& other) {
    if (one.isValid() != other.isValid()) return one.isValid();
    const bool text = one.typeId() == QMetaType::QString, other_text = other.typeId() == QMetaType::QString;
    if (text != other_text) return other_text;
    if (text) return text_before(one.toString(), other.toString());
    return QVariant::compare(one, other) == QPartialOrdering::Less;
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
