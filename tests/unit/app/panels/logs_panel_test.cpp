// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/faults/logs_panel.h"

#include <QScrollBar>

#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"

namespace logs_panel_test {

using namespace divisi;

namespace {

/// A client that shows a past time of a recording from an earlier year.
class PastClient final : public testing::ScriptedClient {
public:
    TimePoint moment{};
    TimePoint shown() const override { return moment; }
};

}  // namespace

class LogsPanelTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// The last minutes are counted back from the displayed time. Counted from the current time, they would contain
    /// nothing of a recording.
    void last_minutes_end_at_the_displayed_time() {
        PastClient client;
        client.state.replayed = true;
        client.connect_to(QStringLiteral("lab"));
        const TimePoint begin(std::chrono::seconds(1'700'000'000));
        const auto note = [&](std::chrono::minutes at, const char* text) {
            client.now = begin + at;
            client.tell(control::Noted{Severity::info, "node a", "", text});
        };
        note(std::chrono::minutes(0), "early");
        note(std::chrono::minutes(55), "late");
        client.moment = begin + std::chrono::minutes(60);
        panels::LogsPanel panel(&client);
        panel.show();
        auto* since = panel.findChild<QComboBox*>(QStringLiteral("logSince"));
        auto* table = panel.findChild<panels::RowTable*>(QStringLiteral("logTable"));
        QVERIFY(since && table);
        QCOMPARE(table->shown(), 2);
        since->setCurrentIndex(1);  // the last ten minutes
        Q_EMIT since->activated(1);
        QCOMPARE(table->shown(), 1);
        QCOMPARE(client.last<control::QueryLog>().since, client.moment - std::chrono::minutes(10));
        // If the displayed time moves back, the last minutes move with it.
        client.cluster.state.recent.pop_back();
        client.moment = begin + std::chrono::minutes(5);
        Q_EMIT client.dataChanged();
        QCOMPARE(table->shown(), 1);
        QCOMPARE(client.last<control::QueryLog>().since, client.moment - std::chrono::minutes(10));
    }

    /// Later events stay in the log, but are dimmed.
    void log_follows_the_time_cursor() {
        using std::chrono::seconds;
        testing::ScriptedClient client;
        client.connect_to(QStringLiteral("lab"));
        const TimePoint begin(seconds(1'700'000'000));
        for (int i = 0; i < 60; ++i) {
            client.now = begin + seconds(10 * i);
            client.tell(control::Noted{Severity::info, i % 2 == 0 ? "even" : "odd", "", "note " + std::to_string(i)});
        }
        model::TimeCursor cursor([&] { return begin + seconds(600); });
        panels::LogsPanel panel(&client);
        panel.use_cursor(cursor);
        panel.resize(1000, 300);
        panel.show();
        QCoreApplication::processEvents();
        auto& table = *panel.findChild<panels::RowTable*>(QStringLiteral("logTable"));
        const QScrollBar& bar = *table.verticalScrollBar();
        const auto is_bold = [&](int row) {
            return table.model()->index(row, 0).data(Qt::FontRole).value<QFont>().bold();
        };
        const auto bold = [&] {
            QStringList texts;
            for (int row = 0; row < table.shown(); ++row)
                if (is_bold(row)) texts << table.text(row, panels::LogTable::what).section(u' ', -1);
            return texts.join(u' ');
        };
        const auto faint = [&](int row) {
            const QVariant colour = table.model()->index(row, panels::LogTable::task).data(Qt::ForegroundRole);
            return colour.isValid() && colour.value<QColor>() == model::colours_of(panel.palette()).faint;
        };
        QCOMPARE(table.shown(), 60);
        QCOMPARE(bold(), QString());
        cursor.set(begin + seconds(205));
        QCOMPARE(bold(), QStringLiteral("20"));
        QVERIFY(!faint(20) && faint(21) && faint(59));
        QVERIFY(table.viewport()->rect().contains(table.visualRect(table.model()->index(20, 0))));
        const int there = bar.value();
        client.now = begin + seconds(599);  // new events do not scroll the log
        client.tell(control::Noted{Severity::info, "even", "", "note 60"});
        Q_EMIT client.dataChanged();
        QCOMPARE(table.shown(), 61);
        QCOMPARE(bar.value(), there);
        QVERIFY(faint(60));
        cursor.set(begin + seconds(5));
        QCOMPARE(bold(), QStringLiteral("0"));
        QVERIFY(faint(20));
        cursor.set(begin - seconds(5));
        QCOMPARE(bold(), QString());
        QVERIFY(faint(0));
        cursor.go_live();
        QCOMPARE(bold(), QString());
        QVERIFY(!faint(59));
        QCOMPARE(bar.value(), bar.maximum());
    }
};

DIVISI_WINDOW_TEST(LogsPanelTest)

}  // namespace logs_panel_test

#include "logs_panel_test.moc"
