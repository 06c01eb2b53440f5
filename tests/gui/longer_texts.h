// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTranslator>

namespace divisi::testing {

/// Makes every text of the console 40 % longer, like a language that needs more room.
class LongerTexts : public QTranslator {
public:
    bool isEmpty() const override { return false; }
    QString translate(const char* context, const char* source, const char*, int) const override {
        if (*context == 'Q') return {};  // texts of Qt itself
        const QString text = QString::fromUtf8(source);
        return text + text.left(text.size() * 2 / 5).remove(u'%').remove(u'&').remove(u'<');
    }
};

}  // namespace divisi::testing
