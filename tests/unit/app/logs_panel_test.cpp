// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/logs_panel.h"

#include <QTest>

#include "tests/gui/scripted_client.h"

using namespace divisi;

namespace {

/// A recording of a past year, at a moment of it.
class PastClient final : public testing::ScriptedClient {
public:
    TimePoint moment{};
    TimePoint shown() const override { return moment; }
};

}  // namespace

class LogsPanelTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Not those before today's time: a recording would be empty.
    void the_last_minutes_are_those_before_the_moment_that_is_shown() {
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
        since->setCurrentIndex(1);  // ten minutes
        Q_EMIT since->activated(1);
        QCOMPARE(table->shown(), 1);
        QCOMPARE(client.logs_asked.back().since, client.moment - std::chrono::minutes(10));
        // The moment goes back, and the minutes with it.
        client.cluster.state.recent.pop_back();
        client.moment = begin + std::chrono::minutes(5);
        Q_EMIT client.dataChanged();
        QCOMPARE(table->shown(), 1);
        QCOMPARE(client.logs_asked.back().since, client.moment - std::chrono::minutes(10));
    }
};

QTEST_MAIN(LogsPanelTest)
#include "logs_panel_test.moc"
