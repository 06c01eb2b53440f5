// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the manual: F1 opens the page for the focused widget, and every link of every page works.
#include <QAbstractItemView>
#include <QDialog>
#include <QDir>
#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSet>
#include <QTabWidget>
#include <QTableView>
#include <QTableWidget>
#include <QTextBrowser>
#include <QTextDocumentFragment>
#include <QToolButton>

#include "app/shell/basics/command_palette.h"
#include "app/shell/desktop/help_pages.h"
#include "app/shell/desktop/help_window.h"
#include "backend/base/version.h"
#include "tests/gui/console.h"
#include "tests/support/test_program.h"

namespace help_test {

using namespace divisi;

namespace {

/// A fixture with a console whose manual is open.
struct HelpConsole : testing::Console {
    HelpConsole() {
        find<QWidget>("welcomePage")->setFocus();
        action("help")->trigger();
        QCoreApplication::processEvents();
    }
    shell::HelpWindow& help() { return *find<shell::HelpWindow>("helpWindow"); }
    QTextBrowser& text() { return *find<QTextBrowser>("helpText"); }
    /// Returns the listed titles.
    QStringList listed() {
        QStringList titles;
        const auto* list = find<QListWidget>("helpContents");
        for (int row = 0; row < list->count(); ++row) titles << list->item(row)->text();
        return titles;
    }
    /// Follows a link of the shown page with the keyboard.
    void follow_first_link() {
        text().setFocus();
        QTest::keyClick(&text(), Qt::Key_Tab);
        QTest::keyClick(&text(), Qt::Key_Return);
        QCoreApplication::processEvents();
    }
};

/// Returns the links of a page, without pictures.
QStringList links_of(const QString& markdown) {
    static const QRegularExpression link(QStringLiteral("(?<!!)\\[[^\\]\\[]+\\]\\(([^)]+)\\)"));
    QStringList links;
    for (auto match = link.globalMatch(markdown); match.hasNext();) links << match.next().captured(1);
    return links;
}

QString page_text(const QString& language, const char* name) {
    for (const shell::HelpPage& page : shell::help_pages(language))
        if (page.name == QLatin1String(name)) return page.text;
    return {};
}

/// Returns the first cell of each row of the tables whose first column has one of these headings, one per language.
QStringList first_cells(const QString& page, const QStringList& headings) {
    QStringList cells;
    bool inside = false;
    for (const QString& line : page.split(u'\n')) {
        const QString first = line.section(u'|', 1, 1).trimmed();
        if (!line.startsWith(u'|')) inside = false;
        else if (headings.contains(first)) inside = true;
        else if (inside && !first.startsWith(u'-')) cells << first;
    }
    return cells;
}

/// Returns the table columns that a page names.
QStringList columns_on(const QString& page) {
    return first_cells(page, {QStringLiteral("column"), QStringLiteral("\u5217")});
}

/// Returns the keys in the table of the keys page, in Qt's notation.
QStringList keys_on(const QString& page) {
    static const std::pair<QString, QString> words[] = {
        {QStringLiteral("\u3001"), QStringLiteral(", ")},  // separators between keys
        {QStringLiteral(" \u548c "), QStringLiteral(", ")},
        {QStringLiteral(" and "), QStringLiteral(", ")},
        {QStringLiteral("comma"), QStringLiteral(",")},
        {QStringLiteral("\u9017\u53f7"), QStringLiteral(",")},
        {QStringLiteral("Delete"), QStringLiteral("Del")},
        {QStringLiteral("Insert"), QStringLiteral("Ins")},
        {QStringLiteral("\u7a7a\u683c\u952e"), QStringLiteral("Space")},
        {QStringLiteral("\u56de\u8f66\u952e"), QStringLiteral("Enter")},
        {QStringLiteral("\u9000\u683c\u952e"), QStringLiteral("Backspace")},
        {QStringLiteral("\u83dc\u5355\u952e"), QStringLiteral("Menu")},
        {QStringLiteral("\u4e0a\u65b9\u5411\u952e"), QStringLiteral("arrow up")},
        {QStringLiteral("\u4e0b\u65b9\u5411\u952e"), QStringLiteral("arrow down")},
    };
    QStringList all;
    for (QString keys : first_cells(page, {QStringLiteral("key"), QStringLiteral("\u6309\u952e")})) {
        for (const auto& [here, there] : words) keys.replace(here, there);
        all << keys.split(QStringLiteral(", "));
    }
    return all;
}

/// Returns the headers in the order on screen.
QStringList headers_of(const QTableView& table) {
    QStringList texts;
    for (int place = 0; place < table.horizontalHeader()->count(); ++place) {
        const int column = table.horizontalHeader()->logicalIndex(place);
        texts << table.model()->headerData(column, Qt::Horizontal).toString();
    }
    return texts;
}

/// Returns whether the manual contains one of the action's keys, or its name as the window shows it.
bool is_in_the_manual(const QAction& action) {
    const QStringList keys = keys_on(page_text(QStringLiteral("en"), "keys"));
    for (const QKeySequence& key : action.shortcuts())
        if (keys.contains(key.toString(QKeySequence::PortableText))) return true;
    const QString name = u'*' + shell::plain_text(action) + u'*';
    return std::ranges::any_of(shell::help_pages(QStringLiteral("en")),
                               [&](const shell::HelpPage& page) { return page.text.contains(name); });
}

}  // namespace

class HelpTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void f1_opens_the_page_of_the_focused_widget();
    void view_without_a_page_uses_that_of_its_parent();
    void every_page_exists_and_has_a_title();
    void every_link_leads_to_a_page();
    void chinese_manual_matches_the_english_one();
    void every_page_also_works_without_pictures();
    void links_can_be_followed_and_history_goes_back();
    void entry_in_the_list_opens_its_page();
    void search_finds_pages_and_the_place_of_the_words();
    void search_without_matches_says_so();
    void escape_closes_the_manual_and_f1_reopens_it();
    void keys_in_the_manual_exist_in_the_program();
    void columns_named_in_pages_match_the_tables();
    void toolbar_actions_are_in_the_manual();
    void gui_pictures_takes_every_picture_of_the_pages();
    void about_names_version_and_licences();
};

void HelpTest::f1_opens_the_page_of_the_focused_widget() {
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

void HelpTest::view_without_a_page_uses_that_of_its_parent() {
    testing::Console console;
    QCOMPARE(shell::page_of(console.find<QLineEdit>("train.steps")), QStringLiteral("run"));
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

void HelpTest::every_page_exists_and_has_a_title() {
    const auto pages = shell::help_pages(QStringLiteral("en"));
    QCOMPARE(pages.size(), std::size_t{15});
    for (const shell::HelpPage& page : pages) {
        QVERIFY2(page.text.startsWith(QStringLiteral("# ") + page.title), qPrintable(page.name));
        QVERIFY2(page.text.size() > 400, qPrintable(page.name));
    }
    // If the manual lacks a language, it is shown in English.
    QCOMPARE(shell::help_pages(QStringLiteral("xx"))[0].text, pages[0].text);
    // Every page file is reachable in the manual.
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

/// Commands, links, headings and table rows must match the English page, so that neither version falls behind.
void HelpTest::chinese_manual_matches_the_english_one() {
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

void HelpTest::every_page_also_works_without_pictures() {
    static const QRegularExpression picture(QStringLiteral("!\\[[^\\]]*\\]\\(([^)]+)\\)"));
    for (const shell::HelpPage& page : shell::help_pages(QStringLiteral("en")))
        for (auto match = picture.globalMatch(page.text); match.hasNext();)
            QVERIFY(QFile::exists(QStringLiteral(":/user/") + match.next().captured(1)));
    // Each picture's description is in the page's source file, whether or not the picture existed when the program was
    // built.
    for (const QString& name : shell::help_page_names()) {
        QFile file(QStringLiteral(DIVISI_SOURCE_DIR "/resources/docs/user/%1.md").arg(name));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(file.readAll());
        for (auto match = picture.globalMatch(text); match.hasNext();)
            QVERIFY2(match.next().captured(1).startsWith(QStringLiteral("pictures/")), qPrintable(name));
    }
}

void HelpTest::links_can_be_followed_and_history_goes_back() {
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

void HelpTest::entry_in_the_list_opens_its_page() {
    HelpConsole console;
    auto* list = console.find<QListWidget>("helpContents");
    QCOMPARE(list->count(), 15);
    list->setFocus();
    QTest::keyClick(list, Qt::Key_Down);
    QTest::keyClick(list, Qt::Key_Down);
    QCOMPARE(console.help().page(), QStringLiteral("prices"));
    QVERIFY(console.text().toPlainText().startsWith(QStringLiteral("Read prices")));
}

void HelpTest::search_finds_pages_and_the_place_of_the_words() {
    HelpConsole console;
    auto* search = console.find<QLineEdit>("helpSearch");
    search->setFocus();
    QTest::keyClicks(search, QStringLiteral("wireshark"));
    QCOMPARE(console.listed(), QStringList{QStringLiteral("The mesh")});
    QTest::keyClick(search, Qt::Key_Return);
    QCOMPARE(console.help().page(), QStringLiteral("mesh"));
    QCOMPARE(console.text().textCursor().selectedText().toLower(), QStringLiteral("wireshark"));
    search->clear();
    QCOMPARE(console.listed().size(), 15);
}

void HelpTest::search_without_matches_says_so() {
    HelpConsole console;
    QVERIFY(!console.find<QLabel>("helpNothing")->isVisible());
    QTest::keyClicks(console.find<QLineEdit>("helpSearch"), QStringLiteral("xylophone"));
    QVERIFY(console.listed().isEmpty());
    QVERIFY(console.find<QLabel>("helpNothing")->isVisible());
    QTest::keyClick(console.find<QLineEdit>("helpSearch"), Qt::Key_Return);
    QCOMPARE(console.help().page(), QStringLiteral("start"));
}

void HelpTest::escape_closes_the_manual_and_f1_reopens_it() {
    HelpConsole console;
    QTest::keyClick(&console.text(), Qt::Key_Escape);
    QVERIFY(!console.help().isVisible());
    console.action("help")->trigger();
    QVERIFY(console.help().isVisible());
    QCOMPARE(console.window->findChildren<shell::HelpWindow*>().size(), 1);
}

/// Every key on the keys page must belong to an action or a view, so that the page names no removed key.
void HelpTest::keys_in_the_manual_exist_in_the_program() {
    testing::Console console;
    QSet<QString> known;
    for (const auto& [spec, action] : console.window->context().actions.all())
        for (const QKeySequence& key : action->shortcuts()) known << key.toString(QKeySequence::PortableText);
    const QString arrows = QStringLiteral("\u2191 \u2193");
    for (const shell::ViewKey& view : shell::Actions::view_keys())
        for (const QString& key : QString::fromUtf8(view.keys).split(QStringLiteral(", "))) {
            known << key;
            if (!key.endsWith(arrows)) continue;
            for (const char* arrow : {"arrow up", "arrow down"})
                known << key.chopped(arrows.size()) + QLatin1String(arrow);
        }
    const QStringList keys = keys_on(page_text(QStringLiteral("en"), "keys"));
    for (const QString& key : keys) QVERIFY2(known.contains(key), qPrintable(key));
    QVERIFY(keys.size() > 40);
    QCOMPARE(keys_on(page_text(QStringLiteral("zh_CN"), "keys")), keys);
}

void HelpTest::columns_named_in_pages_match_the_tables() {
    testing::Console console;
    const QTableView& segments = *console.find<QTableView>("segmentTable");
    const QTableView& incidents = *console.find<QTableView>("incidentTable");
    const QTableView& tasks = *console.find<QTableView>("taskTable");
    for (const QString& language : {QStringLiteral("en"), QStringLiteral("zh_CN")}) {
        console.window->set_language(language);
        QTRY_COMPARE(headers_of(segments), columns_on(page_text(language, "prices")));
        QTRY_COMPARE(headers_of(incidents), columns_on(page_text(language, "faults")));
        const QStringList named = columns_on(page_text(language, "run"));  // the most important columns
        QVERIFY(named.size() > 4);
        for (const QString& column : named) QTRY_VERIFY2(headers_of(tasks).contains(column), qPrintable(column));
    }
}

/// Actions with a short text in the toolbar are the first that a user sees.
void HelpTest::toolbar_actions_are_in_the_manual() {
    testing::Console console;
    int seen = 0;
    for (const auto& [spec, action] : console.window->context().actions.all()) {
        if (!*spec.short_text) continue;
        QVERIFY2(is_in_the_manual(*action), spec.id);
        ++seen;
    }
    QVERIFY(seen > 10);
}

/// Each page about the window has a picture, and every picture named in a page is one that gui_pictures takes.
void HelpTest::gui_pictures_takes_every_picture_of_the_pages() {
    QFile file(QStringLiteral(DIVISI_SOURCE_DIR "/tests/gui/pictures.cpp"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QString taken = QString::fromUtf8(file.readAll());
    static const QRegularExpression picture(QStringLiteral("\\(pictures/([a-z]+)\\.png\\)"));
    const QStringList about_no_window{QStringLiteral("terminal"), QStringLiteral("libtorch")};
    for (const char* folder : {"", "zh_CN/"})
        for (const QString& name : shell::help_page_names()) {
            QFile page(
                QStringLiteral(DIVISI_SOURCE_DIR "/resources/docs/user/%1%2.md").arg(QLatin1String(folder), name));
            QVERIFY(page.open(QIODevice::ReadOnly));
            auto match = picture.globalMatch(QString::fromUtf8(page.readAll()));
            QVERIFY2(match.hasNext() || about_no_window.contains(name), qPrintable(name));
            while (match.hasNext()) {
                const QString take = QStringLiteral("take(QStringLiteral(\"%1\")").arg(match.next().captured(1));
                QVERIFY2(taken.contains(take), qPrintable(take));
            }
        }
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

DIVISI_WINDOW_TEST(HelpTest)

}  // namespace help_test

#include "help_test.moc"
