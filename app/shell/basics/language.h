// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <QTranslator>

namespace divisi::shell {

/// The language of the program: "en" or "zh_CN". Switching sends LanguageChange to every widget.
class Language {
public:
    static QStringList known();
    /// Returns the supported language that best matches the system's language.
    static QString of_system();

    void use(const QString& language);
    const QString& current() const { return current_; }

private:
    QString current_;
    QTranslator ours_, qt_;
};

}  // namespace divisi::shell
