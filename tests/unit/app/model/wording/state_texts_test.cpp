// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the texts for alerts, state stores and advice.
#include <QLocale>

#include "app/model/wording/advice_text.h"
#include "app/model/wording/alert_text.h"
#include "app/model/wording/drain_text.h"
#include "app/model/wording/store_text.h"
#include "backend/control/protocol/recut_cause.h"
#include "tests/support/test_program.h"

namespace state_texts_test {

using namespace divisi;

class StateTextsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void values_of_alerts_have_units() {
        using control::AlertRule;
        QCOMPARE(model::alert_value_text(AlertRule::slow_training, 250), QStringLiteral("250\u202fms"));
        QCOMPARE(model::alert_value_text(AlertRule::node_silent, 5), QStringLiteral("5\u202fs"));
        QCOMPARE(model::alert_value_text(AlertRule::queue_long, 12), QStringLiteral("12 tasks"));
        QCOMPARE(model::alert_value_text(AlertRule::queue_long, 1), QStringLiteral("1 task"));
        QCOMPARE(model::alert_value_text(AlertRule::disk_short, 1 << 20), QStringLiteral("1.0 MiB"));
        QCOMPARE(model::alert_value_text(AlertRule::loss_not_finite, 1), QStringLiteral("\u2013"));
    }

    void alert_text_gives_the_remedy() {
        control::ClusterState state;
        control::Alert alert;
        alert.task = TaskId("a-1");
        alert.next = "look at its node";
        QCOMPARE(model::alert_next_text(alert, state), QStringLiteral("look at its node"));
        control::ExceptionEntry entry;
        entry.number = 9;
        entry.task = alert.task;
        state.exceptions[9] = entry;
        QVERIFY(model::alert_next_text(alert, state).contains(QStringLiteral("exception 9")));
        state.alerts[1] = alert;
        QCOMPARE(model::open_alerts(state), std::size_t{1});
        state.alerts[1].cleared = TimePoint(std::chrono::seconds(1));
        state.alerts[1].why = "it is fast again";
        QCOMPARE(model::open_alerts(state), std::size_t{0});
        QVERIFY(model::alert_next_text(state.alerts[1], state).contains(QStringLiteral("fast again")));
    }

    void cells_of_stores_are_shown_as_figures_and_times() {
        QCOMPARE(model::store_column_text("opened_ns"), QStringLiteral("opened"));
        QCOMPARE(model::store_column_text("duration_ms"), QStringLiteral("duration ms"));
        QCOMPARE(model::store_cell_text(control::StoreCell{}, "loss"), QStringLiteral("\u2013"));
        QCOMPARE(model::store_cell_text(control::StoreCell{{}, 0.25}, "loss"), QStringLiteral("0.25"));
        const QString time = model::store_cell_text(control::StoreCell{86'400'000'000'000}, "time_ns");
        QVERIFY2(time.startsWith(QStringLiteral("1970-01-0")), qPrintable(time));
        QCOMPARE(model::task_of_sid(Sid("gpt-1/stage-0/0")), TaskId("gpt-1"));
        QCOMPARE(model::task_of_sid(Sid("gpt-1")), TaskId());
        for (const std::string& table : control::store_tables())
            QVERIFY(model::store_table_text(table) != QString::fromStdString(table) || table == "event");
    }

    void snapshots_belong_to_their_sid() {
        control::ClusterState state;
        control::TaskView& task = state.tasks[TaskId("gpt-1")];
        for (const int step : {10, 20}) {
            control::Checkpoint one;
            one.step = step;
            one.parts = {{Sid("gpt-1/stage-0/0"), 0, "aa", 5, {NodeId("a")}},
                         {Sid("gpt-1/stage-1/0"), 1, "bb", 7, {NodeId("b")}}};
            task.checkpoints.push_back(one);
        }
        const auto found = model::snapshots_of(state, Sid("gpt-1/stage-1/0"));
        QCOMPARE(found.size(), std::size_t{2});
        QCOMPARE(found[0].step, std::int64_t{20});
        QCOMPARE(found[0].size, Bytes{7});
        QVERIFY(model::snapshots_of(state, Sid("gpt-2/stage-1/0")).empty());
    }

    void advice_text_gives_the_payback_time() {
        control::RecutAdvice advice;
        advice.task = TaskId("gpt-1");
        advice.cuts = {"/a"};
        advice.step_ms = 100;
        advice.gain_ms = 10;
        advice.stall_ms = 400;
        advice.payback_steps = 1000;
        advice.worth = true;
        QCOMPARE(model::payback_s(advice), 90.0);
        const QString text = model::recut_advice_text(advice);
        QVERIFY2(text.contains(QStringLiteral("10.0")) && text.contains(QStringLiteral("1 min 30 s")),
                 qPrintable(text));
        advice.worth = false;
        advice.why = "too few steps are left to compensate for the stall";
        QVERIFY(model::recut_advice_text(advice).endsWith(
            QStringLiteral("too few steps are left to compensate for the stall")));
        advice.why = control::with_cause(advice.why, "mg-1 hears nothing from sr-1");
        QVERIFY(model::recut_advice_text(advice).endsWith(
            QStringLiteral("for the stall (cause of this check: mg-1 hears nothing from sr-1)")));
        advice.cuts.clear();
        QVERIFY(model::recut_advice_text(advice).contains(QStringLiteral("best ones found")));
    }

    void drain_text_gives_the_progress() {
        control::ClusterState state;
        const NodeId node("mic-1/a");
        state.nodes[node].info.id = node;
        QCOMPARE(model::drain_text(state, node), QString());
        state.nodes[node].draining = true;
        QVERIFY(model::drain_text(state, node).contains(QStringLiteral("drained")));
    }

    /// The console applies the orchestrator's rule.
    void lost_node_can_be_drained_unless_a_task_waits_for_it() {
        control::ClusterState state;
        const NodeId node("mic-1/a");
        state.nodes[node].info.id = node;
        QCOMPARE(model::why_not_drained(state, node, false), QString());
        state.nodes[node].state = control::NodeState::away;
        QVERIFY(model::why_not_drained(state, node, false).contains(QStringLiteral("away")));
        state.nodes[node].state = control::NodeState::lost;
        QCOMPARE(model::why_not_drained(state, node, false), QString());
        control::InstanceView& instance = state.instances[InstanceId("gpt-1/stage-0/0#1")];
        instance.task = TaskId("gpt-1");
        instance.node = node;
        state.tasks[instance.task].phase = control::TaskPhase::exchange;
        QCOMPARE(model::why_not_drained(state, node, false),
                 QStringLiteral("a task waits for the node: stop the task first"));
        instance.exited = true;
        QCOMPARE(model::why_not_drained(state, node, false), QString());
        state.nodes[node].draining = true;
        QVERIFY(!model::why_not_drained(state, node, false).isEmpty());
        QCOMPARE(model::why_not_drained(state, node, true), QString());
    }
};

DIVISI_TEST(StateTextsTest)

}  // namespace state_texts_test

#include "state_texts_test.moc"
