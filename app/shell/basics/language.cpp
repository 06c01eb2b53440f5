// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/basics/language.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>

namespace divisi::shell {

namespace {

/// Texts of Qt's own buttons. Our catalogue translates them too, in case Qt's catalogue is not installed.
[[maybe_unused]] constexpr const char* buttons_of_qt[] = {
    QT_TRANSLATE_NOOP("QPlatformTheme", "OK"),     QT_TRANSLATE_NOOP("QPlatformTheme", "&Yes"),
    QT_TRANSLATE_NOOP("QPlatformTheme", "&No"),    QT_TRANSLATE_NOOP("QPlatformTheme", "Save"),
    QT_TRANSLATE_NOOP("QPlatformTheme", "Open"),   QT_TRANSLATE_NOOP("QPlatformTheme", "Close"),
    QT_TRANSLATE_NOOP("QPlatformTheme", "Cancel"), QT_TRANSLATE_NOOP("QPlatformTheme", "Discard"),
};

}  // namespace

QStringList Language::known() { return {QStringLiteral("en"), QStringLiteral("zh_CN")}; }

QString Language::of_system() {
    return QLocale::system().language() == QLocale::Chinese ? QStringLiteral("zh_CN") : QStringLiteral("en");
}

void Language::use(const QString& language) {
    if (current_ == language) return;
    current_ = known().contains(language) ? language : QStringLiteral("en");
    QCoreApplication::removeTranslator(&ours_);
    QCoreApplication::removeTranslator(&qt_);
    const QLocale locale(current_);
    QLocale::setDefault(locale);
    // Each installation of a translator sends LanguageChange. Install the program's own translator last, so that views
    // update their texts when all translators are installed.
    if (qt_.load(locale, QStringLiteral("qtbase"), QStringLiteral("_"),
                 QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
        QCoreApplication::installTranslator(&qt_);
    if (ours_.load(locale, QStringLiteral("divisi"), QStringLiteral("_"), QStringLiteral(":/i18n")))
        QCoreApplication::installTranslator(&ours_);
}

}  // namespace divisi::shell
