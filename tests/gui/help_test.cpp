// SPDX-License-Identifier: GPL-3.0-or-later
// The manual: F1 opens the page of what has the focus, and every link of every page leads somewhere.
#include <QAbstractItemView>
#include <QDialog>
#include <QDir>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSet>
#include <QTabWidget>
#include <QTableWidget>
#include <QTextBrowser>
#include <QTextDocumentFragment>
#include <QToolButton>

#include "app/shell/help_pages.h"
#include "app/shell/help_window.h"
#include "backend/base/version.h"
#include "tests/gui/console.h"

using namespace divisi;

namespace {

/// The console with its manual open.
struct HelpConsole : testing::Console {
    HelpConsole() {
        find<QWidget>("welcomePage")->setFocus();
        action("help")->trigger();
        QCoreApplication::processEvents();
    }
    shell::HelpWindow& help() { return *find<shell::HelpWindow>("helpWindow"); }
    QTextBrowser& text() { return *find<QTextBrowser>("helpText"); }
    /// The titles that are listed.
    QStringList listed() {
        QStringList titles;
        const auto* list = find<QListWidget>("helpContents");
        for (int row = 0; row < list->count(); ++row) titles << list->item(row)->text();
        return titles;
    }
    /// Follows a link of the page that shows by the keys, as a person without a mouse does.
    void follow_first_link() {
        text().setFocus();
        QTest::keyClick(&text(), Qt::Key_Tab);
        QTest::keyClick(&text(), Qt::Key_Return);
        QCoreApplication::processEvents();
    }
};

/// What a page links to, pictures left out.
QStringList links_of(const QString& markdown) {
    static const QRegularExpression link(QStringLiteral("(?<!!)\\[[^\\]]+\\]\\(([^)]+)\\)"));
    QStringList links;
    for (auto match = link.globalMatch(markdown); match.hasNext();) links << match.next().captured(1);
    return links;
}

}  // namespace

class HelpTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void f1_opens_the_page_of_what_has_the_focus();
    void a_view_without_a_page_has_that_of_what_it_lies_in();
    void every_page_is_there_and_says_what_it_is();
    void every_link_leads_to_a_page();
    void the_manual_in_chinese_says_the_same();
    void every_page_shows_without_pictures_too();
    void links_go_there_and_back();
    void the_list_goes_to_a_page();
    void the_search_finds_pages_and_the_place();
    void words_that_are_nowhere_say_so();
    void escape_closes_it_and_f1_opens_it_again();
    void keys_of_the_manual_are_those_of_the_program();
    void about_names_version_and_licences();
};

void HelpTest::f1_opens_the_page_of_what_has_the_focus() {
    testing::Console console;
    console.show_chain();
    console.view().setFocus();
    QTest::keyClick(&console.view(), Qt::Key_F1);
    QTRY_VERIFY(console.find<shell::HelpWindow>("helpWindow")->isVisible());
    QCOMPARE(console.find<shell::HelpWindow>("helpWindow")->page(), QStringLiteral("split"));
    QVERIFY(console.find<QTextBrowser>("helpText")->toPlainText().startsWith(QStringLiteral("Split a model")));
    console.shot("help-dark", console.find<shell::HelpWindow>("helpWindow"));
    console.window->set_theme(shell::Theme::light);
    console.shot("help-light", console.find<shell::HelpWindow>("helpWindow"));
}

void HelpTest::a_view_without_a_page_has_that_of_what_it_lies_in() {
    testing::Console console;
    QCOMPARE(shell::page_of(console.find<QLineEdit>("train.steps")), QStringLiteral("start"));
    QCOMPARE(shell::page_of(console.view().viewport()), QStringLiteral("split"));
    const auto* logs = console.window->findChild<panels::LogsPanel*>();
    QVERIFY(logs);
    const auto* table = logs->findChild<QAbstractItemView*>();
    QVERIFY(table);
    QCOMPARE(shell::page_of(table), QStringLiteral("run"));
    const auto* recoveries = console.window->findChild<panels::RecoveriesView*>();
    QVERIFY(recoveries);
    QCOMPARE(shell::page_of(recoveries), QStringLiteral("faults"));
    QCOMPARE(shell::page_of(nullptr), QStringLiteral("start"));
}

void HelpTest::every_page_is_there_and_says_what_it_is() {
    const auto pages = shell::help_pages(QStringLiteral("en"));
    QCOMPARE(pages.size(), std::size_t{10});
    for (const shell::HelpPage& page : pages) {
        QVERIFY2(page.text.startsWith(QStringLiteral("# ") + page.title), qPrintable(page.name));
        QVERIFY2(page.text.size() > 400, qPrintable(page.name));
    }
    // A language that the manual has not shows it in English.
    QCOMPARE(shell::help_pages(QStringLiteral("xx"))[0].text, pages[0].text);
    // No page lies there that nobody can reach.
    QStringList files = QDir(QStringLiteral(DIVISI_SOURCE_DIR "/resources/docs/user")).entryList({"*.md"}, QDir::Files);
    QStringList names = shell::help_page_names();
    for (QString& file : files) file.chop(3);
    names.sort();
    files.sort();
    QCOMPARE(files, names);
}

void HelpTest::every_link_leads_to_a_page() {
    QSet<QString> reached{shell::help_page_names().front()};
    for (const shell::HelpPage& page : shell::help_pages(QStringLiteral("en")))
        for (const QString& link : links_of(page.text)) {
            const QString name = QFileInfo(link).completeBaseName();
            QVERIFY2(link.endsWith(QStringLiteral(".md")) && shell::help_page_names().contains(name),
                     qPrintable(page.name + QStringLiteral(": ") + link));
            reached << name;
        }
    QCOMPARE(reached.size(), shell::help_page_names().size());
}

/// Commands, links, headings and rows of tables are those of the English page, so that neither is left behind.
void HelpTest::the_manual_in_chinese_says_the_same() {
    const auto english = shell::help_pages(QStringLiteral("en")), chinese = shell::help_pages(QStringLiteral("zh_CN"));
    QCOMPARE(chinese.size(), english.size());
    const auto lines_like = [](const QString& text, const char* start) {
        return text.split(u'\n').filter(QRegularExpression(QLatin1String(start)));
    };
    for (std::size_t i = 0; i < english.size(); ++i) {
        const shell::HelpPage &one = english[i], &other = chinese[i];
        QVERIFY2(one.title != other.title, qPrintable(one.name));
        QCOMPARE(links_of(other.text), links_of(one.text));
        QCOMPARE(lines_like(other.text, "^    "), lines_like(one.text, "^    "));
        for (const char* start : {"^#+ ", "^\\|", "^\\d\\. ", "^- "})
            QVERIFY2(lines_like(other.text, start).size() == lines_like(one.text, start).size(), qPrintable(one.name));
    }
}

void HelpTest::every_page_shows_without_pictures_too() {
    static const QRegularExpression picture(QStringLiteral("!\\[[^\\]]*\\]\\(([^)]+)\\)"));
    for (const shell::HelpPage& page : shell::help_pages(QStringLiteral("en")))
        for (auto match = picture.globalMatch(page.text); match.hasNext();)
            QVERIFY(QFile::exists(QStringLiteral(":/user/") + match.next().captured(1)));
    // What a page says of its pictures stands in the file, whether they were there at the build or not.
    for (const QString& name : shell::help_page_names()) {
        QFile file(QStringLiteral(DIVISI_SOURCE_DIR "/resources/docs/user/%1.md").arg(name));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(file.readAll());
        for (auto match = picture.globalMatch(text); match.hasNext();)
            QVERIFY2(match.next().captured(1).startsWith(QStringLiteral("pictures/")), qPrintable(name));
    }
}

void HelpTest::links_go_there_and_back() {
    HelpConsole console;
    QCOMPARE(console.help().page(), QStringLiteral("start"));
    auto* back = console.find<QToolButton>("helpBack");
    QVERIFY(!back->isEnabled());
    console.follow_first_link();
    QCOMPARE(console.help().page(), QStringLiteral("split"));
    QCOMPARE(console.find<QListWidget>("helpContents")->currentItem()->text(), QStringLiteral("Split a model"));
    QVERIFY(back->isEnabled());
    QTest::mouseClick(back, Qt::LeftButton);
    QCOMPARE(console.help().page(), QStringLiteral("start"));
    QTest::mouseClick(console.find<QToolButton>("helpForward"), Qt::LeftButton);
    QCOMPARE(console.help().page(), QStringLiteral("split"));
}

void HelpTest::the_list_goes_to_a_page() {
    HelpConsole console;
    auto* list = console.find<QListWidget>("helpContents");
    QCOMPARE(list->count(), 10);
    list->setFocus();
    QTest::keyClick(list, Qt::Key_Down);
    QTest::keyClick(list, Qt::Key_Down);
    QCOMPARE(console.help().page(), QStringLiteral("prices"));
    QVERIFY(console.text().toPlainText().startsWith(QStringLiteral("Read prices")));
}

void HelpTest::the_search_finds_pages_and_the_place() {
    HelpConsole console;
    auto* search = console.find<QLineEdit>("helpSearch");
    search->setFocus();
    QTest::keyClicks(search, QStringLiteral("wireshark"));
    QCOMPARE(console.listed(), QStringList{QStringLiteral("The mesh")});
    QTest::keyClick(search, Qt::Key_Return);
    QCOMPARE(console.help().page(), QStringLiteral("mesh"));
    QCOMPARE(console.text().textCursor().selectedText().toLower(), QStringLiteral("wireshark"));
    search->clear();
    QCOMPARE(console.listed().size(), 10);
}

void HelpTest::words_that_are_nowhere_say_so() {
    HelpConsole console;
    QVERIFY(!console.find<QLabel>("helpNothing")->isVisible());
    QTest::keyClicks(console.find<QLineEdit>("helpSearch"), QStringLiteral("xylophone"));
    QVERIFY(console.listed().isEmpty());
    QVERIFY(console.find<QLabel>("helpNothing")->isVisible());
    QTest::keyClick(console.find<QLineEdit>("helpSearch"), Qt::Key_Return);
    QCOMPARE(console.help().page(), QStringLiteral("start"));
}

void HelpTest::escape_closes_it_and_f1_opens_it_again() {
    HelpConsole console;
    QTest::keyClick(&console.text(), Qt::Key_Escape);
    QVERIFY(!console.help().isVisible());
    console.action("help")->trigger();
    QVERIFY(console.help().isVisible());
    QCOMPARE(console.window->findChildren<shell::HelpWindow*>().size(), 1);
}

/// The keys that the page of keys names belong to actions or views, so that it cannot tell of one that is no more.
void HelpTest::keys_of_the_manual_are_those_of_the_program() {
    testing::Console console;
    QSet<QString> known{QStringLiteral("Tab"), QStringLiteral("Shift+Tab"), QStringLiteral("arrow up"),
                        QStringLiteral("arrow down")};
    for (const auto& [spec, action] : console.window->actions().all())
        for (const QKeySequence& key : action->shortcuts()) known << key.toString(QKeySequence::PortableText);
    const shell::HelpPage page = shell::help_pages(QStringLiteral("en")).back();
    int rows = 0;
    static const QRegularExpression row(QStringLiteral("^\\| ([^|]+) \\| [^|]+ \\|$"),
                                        QRegularExpression::MultilineOption);
    for (auto match = row.globalMatch(page.text); match.hasNext();) {
        QString keys = match.next().captured(1);
        if (keys == QStringLiteral("key") || keys.startsWith(u'-')) continue;
        keys.replace(QStringLiteral(" and "), QStringLiteral(", "));
        for (QString key : keys.split(QStringLiteral(", "))) {
            for (const auto& [here, there] : {std::pair{"comma", ","}, {"Delete", "Del"}, {"Insert", "Ins"}})
                key.replace(QLatin1String(here), QLatin1String(there));
            QVERIFY2(known.contains(key), qPrintable(key));
            ++rows;
        }
    }
    QVERIFY(rows > 20);
}

void HelpTest::about_names_version_and_licences() {
    testing::Console console;
    console.action("about")->trigger();
    QCoreApplication::processEvents();
    QVERIFY(console.find<QLabel>("aboutTitle")->text().contains(QString::fromLatin1(version)));
    const QString text = console.find<QLabel>("aboutText")->text();
    QVERIFY2(text.contains(QStringLiteral("GPL-3.0-or-later")) && text.contains(QStringLiteral("Apache-2.0")),
             qPrintable(text));
    const auto* table = console.find<QTableWidget>("libraryTable");
    QCOMPARE(table->findItems(QStringLiteral("Qt Charts"), Qt::MatchExactly).size(), 1);
    for (int row = 0; row < table->rowCount(); ++row)
        for (int column = 0; column < 3; ++column) QVERIFY(!table->item(row, column)->text().isEmpty());
    const auto texts = console.find<QTabWidget>("aboutPages")->findChildren<QPlainTextEdit*>();
    QCOMPARE(texts.size(), 2);
    for (const QPlainTextEdit* licence : texts) QVERIFY(licence->toPlainText().size() > 5000);
    console.shot("about-dark", console.find<QDialog>("aboutDialog"));
}

QTEST_MAIN(HelpTest)
#include "help_test.moc"
