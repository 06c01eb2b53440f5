// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/tables/list_page.h"

#include <QEvent>
#include <QToolButton>

#include "app/panels/tables/row_table.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"

namespace list_page_test {

using namespace divisi;
using panels::RowModel;
using panels::RowTable;
using testing::ScriptedClient;

namespace {

constexpr int tick_ms = 5;

/// Lists names of fruit, with a label for the details.
class FruitPage final : public panels::ListPage {
public:
    explicit FruitPage(client::Client* client)
        : ListPage("fruit", client, nullptr), table_(new RowTable("fruitTable", model_, this)), details_(new QLabel) {
        clear_by_escape(set_list(*table_, *details_, {1, 1}, Details::below_if_narrow), {table_});
        add_count();
        pages_ = &add_pages({"showRipe", "showRaw"});
        poll_every(tick_ms);
        model_.set_header({QStringLiteral("Name")});
        FruitPage::retranslate();
    }

    void show_fruit(std::initializer_list<const char*> names) {
        std::vector<panels::TableRow> rows;
        for (const char* name : names) rows.push_back({QString::fromLatin1(name), {{QString::fromLatin1(name)}}});
        model_.set_rows(std::move(rows));
        refresh();
    }

    RowTable& table() { return *table_; }
    const QLabel& label(const char* part) const { return *findChild<QLabel*>(QString::fromLatin1(part)); }
    const QSplitter& split() const { return *findChild<QSplitter*>(); }
    int shown_page() const { return pages_->checkedId(); }

    using ListPage::filter;
    using ListPage::hide_notice;
    using ListPage::show_notice;
    using ListPage::why_not_changed;

    int polls = 0, translations = 0, recolourings = 0;

protected:
    void refresh() override {
        show_list();
        set_count(QString::number(table_->shown()));
    }
    void retranslate() override {
        ++translations;
        set_filter_texts(QStringLiteral("Only this fruit"), QStringLiteral("Filter of the fruit"));
        refresh();
    }
    void filter_rows(const QString& text) override {
        table_->set_filter(text);
        refresh();
    }
    void poll() override { ++polls; }
    void recolour() override { ++recolourings; }
    bool has_rows() const override { return model_.rowCount() > 0; }
    bool shows_rows() const override { return table_->shown() > 0; }
    QString all_hidden_text() const override { return QStringLiteral("No fruit has this text."); }
    QString no_rows_text() const override { return QStringLiteral("No fruit."); }

private:
    RowModel model_{1};
    RowTable* table_;
    QLabel* details_;
    QButtonGroup* pages_;
};

void send(QWidget& widget, QEvent::Type type) {
    QEvent event(type);
    QCoreApplication::sendEvent(&widget, &event);
}

}  // namespace

class ListPageTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void an_empty_page_says_why() {
        FruitPage without(nullptr);
        without.show();
        QCOMPARE(without.label("fruitEmpty").text(), client::no_cluster_text());
        QVERIFY(without.label("fruitEmpty").isVisible() && !without.table().isVisible());

        ScriptedClient client;
        FruitPage page(&client);
        page.show();
        QCOMPARE(page.label("fruitEmpty").text(), client::no_connection_text());
        client.connect_to(QStringLiteral("lab"));
        page.show_fruit({});
        QCOMPARE(page.label("fruitEmpty").text(), QStringLiteral("No fruit."));
        page.show_fruit({"apple", "pear"});
        QVERIFY(!page.label("fruitEmpty").isVisible() && page.table().isVisible());
        QCOMPARE(page.label("fruitCount").text(), QStringLiteral("2"));
    }

    void filter_ignores_spaces_and_case_and_says_if_nothing_matches() {
        ScriptedClient client;
        FruitPage page(&client);
        page.show();
        page.show_fruit({"apple", "pear"});
        page.filter().setText(QStringLiteral(" PEAR "));
        QCOMPARE(page.table().shown(), 1);
        page.filter().setText(QStringLiteral("plum"));
        QCOMPARE(page.label("fruitEmpty").text(), QStringLiteral("No fruit has this text."));
        QVERIFY(!page.table().isVisible());
        page.filter().clear();
        QVERIFY(page.table().isVisible());
        QCOMPARE(page.filter().objectName(), QStringLiteral("fruitFilter"));
        QCOMPARE(page.filter().accessibleName(), QStringLiteral("Filter of the fruit"));
    }

    void the_page_is_polled_only_while_it_is_visible() {
        ScriptedClient client;
        FruitPage page(&client);
        QTest::qWait(4 * tick_ms);
        QCOMPARE(page.polls, 0);
        page.show();
        QTRY_VERIFY(page.polls > 1);
        page.hide();
        page.polls = 0;
        QTest::qWait(4 * tick_ms);
        QCOMPARE(page.polls, 0);
    }

    void a_notice_lasts_until_the_language_changes() {
        ScriptedClient client;
        FruitPage page(&client);
        page.show();
        const QLabel& notice = page.label("fruitNotice");
        QVERIFY(!notice.isVisible());
        page.show_notice(QStringLiteral("The basket is full."), true);
        QVERIFY(notice.isVisible());
        QCOMPARE(notice.property("role").toString(), QStringLiteral("error"));
        page.show_notice(QStringLiteral("Done."), false);
        QVERIFY(notice.property("role").toString().isEmpty());
        page.translations = 0;
        send(page, QEvent::LanguageChange);
        QCOMPARE(page.translations, 1);
        QVERIFY(!notice.isVisible());
        page.recolourings = 0;
        send(page, QEvent::PaletteChange);
        QCOMPARE(page.recolourings, 1);
    }

    void details_move_below_the_list_in_a_narrow_dock() {
        FruitPage page(nullptr);
        page.resize(900, 400);
        page.show();
        QCOMPARE(page.split().orientation(), Qt::Horizontal);
        page.resize(500, 400);
        QCOMPARE(page.split().orientation(), Qt::Vertical);
    }

    void page_buttons_are_placed_before_the_filter() {
        FruitPage page(nullptr);
        page.resize(900, 400);
        page.show();
        auto& raw = *page.findChild<QToolButton*>(QStringLiteral("showRaw"));
        QCOMPARE(page.shown_page(), 0);
        raw.click();
        QCOMPARE(page.shown_page(), 1);
        QVERIFY(page.findChild<QToolButton*>(QStringLiteral("showRipe"))->x() < raw.x());
        QVERIFY(raw.x() < page.filter().x());
    }

    void changes_need_a_connection_and_a_role() {
        const auto why = [](const FruitPage& page) { return page.why_not_changed(QStringLiteral("read-only")); };
        QVERIFY(!why(FruitPage(nullptr)).isEmpty());
        ScriptedClient client;
        FruitPage page(&client);
        QVERIFY(why(page).contains(QStringLiteral("no connection")));
        client.connect_to(QStringLiteral("lab"));
        QCOMPARE(why(page), QString());
        client.state.role = control::Role::viewer;
        QCOMPARE(why(page), QStringLiteral("read-only"));
        client.state.replayed = true;
        QCOMPARE(why(page), client::why_not_replayed(client.state));
    }
};

DIVISI_WINDOW_TEST(ListPageTest)

}  // namespace list_page_test

#include "list_page_test.moc"
