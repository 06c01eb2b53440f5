// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTest>

#include "tests/system/programs.h"

namespace divisi::tests {

/// Flips a bit in the middle of each non-empty file.
inline void flip_a_bit(const QStringList& files) {
    for (const QString& name : files) {
        QFile file(name);
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
        QVERIFY2(file.open(QIODevice::ReadWrite), qPrintable(name));
        if (file.size() == 0) continue;
        QVERIFY(file.seek(file.size() / 2));
        char byte = 0;
        QVERIFY(file.getChar(&byte));
        QVERIFY(file.seek(file.size() / 2));
        QVERIFY(file.putChar(static_cast<char>(byte ^ 1)));
    }
}

/// Truncates each file to its first half.
inline void cut_off(const QStringList& files) {
    for (const QString& name : files) {
        QFile file(name);
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
        QVERIFY2(file.resize(file.size() / 2), qPrintable(name));
    }
}

}  // namespace divisi::tests
