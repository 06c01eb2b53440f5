// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTranslator>

namespace divisi::testing {

/// Every text of the console with 40 % more letters, as a language that takes more room would have.
class LongerTexts : public QTranslator {
public:
    bool isEmpty() const override { return false; }
    QString translate(const char* context, const char* source, const char*, int) const override {
        if (*context == 'Q') return {};  // Qt's own
        const QString text = QString::fromUtf8(source);
        return text + text.left(text.size() * 2 / 5).remove(u'%').remove(u'&').remove(u'<');
    }
};

}  // namespace divisi::testing
