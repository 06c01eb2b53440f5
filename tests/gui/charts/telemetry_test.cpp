// SPDX-License-Identifier: GPL-3.0-or-later
// Tests charts of the present and the past, selections in them, and their texts without data.
#include <QChart>
#include <QChartView>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QImage>
#include <QLabel>
#include <QMenu>
#include <QMouseEvent>
#include <QPushButton>
#include <QTableWidget>
#include <QWheelEvent>
#include <cmath>

#include "tests/gui/connected_console.h"
#include "tests/gui/console.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"

namespace telemetry_test {

using namespace divisi;
using testing::ScriptedClient;

namespace {

QChartView* plot(const charts::LineChart* chart) { return chart->findChild<QChartView*>(); }

/// Returns the point at this x in the plot of a chart, at half the plot's height.
QPoint in_plot(const charts::LineChart* chart, double x) {
    QChart* drawn = plot(chart)->chart();
    return {static_cast<int>(drawn->mapToPosition({x, 0}).x()), static_cast<int>(drawn->plotArea().center().y())};
}

/// A cluster whose clock advances only when the test advances it.
class LaterClient final : public ScriptedClient {
public:
    TimePoint now() const override { return begin_ + ahead; }
    Duration ahead{};

private:
    const TimePoint begin_ = client::Client::now();
};

const TaskId gpt("gpt-text-1");
const InstanceId stage("gpt-text-1/stage-0/0");

control::InstanceLoad busy_for(const InstanceId& instance, double share) {
    control::InstanceLoad load;
    load.instance = instance;
    load.busy_share = share;
    return load;
}

/// Brings the telemetry of the task from play() to the front.
charts::TelemetryView* watched(testing::Console& console) {
    console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
    console.show_dock("Telemetry");
    return console.find<charts::TelemetryView>("telemetry");
}

void wheel(QWidget* on, QPoint at, int notches) {
    QWheelEvent event(at, on->mapToGlobal(at), {}, {0, 120 * notches}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                      false);
    QCoreApplication::sendEvent(on, &event);
}

}  // namespace

class TelemetryGuiTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void show_all_begins_at_the_first_sample_and_follows_new_ones() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        cluster.play();
        const auto* telemetry = watched(console);
        const charts::LineChart& busy = telemetry->grid().busy();
        const auto start = std::chrono::steady_clock::now();
        const auto report_at = [&](int second) {
            cluster.report(busy_for(stage, 0.5), start + std::chrono::seconds(second));
        };
        for (int second = 2; second <= 600; second += 2) report_at(second);
        Q_EMIT cluster.dataChanged();
        const auto width = [&] { return busy.shown_range().second - busy.shown_range().first; };
        QVERIFY2(std::abs(width() - 120) < 0.01, qPrintable(QString::number(width())));
        auto* all = telemetry->findChild<QPushButton*>(QStringLiteral("showAll"));
        QTest::mouseClick(all, Qt::LeftButton);
        QVERIFY(all->isChecked() && telemetry->zoom().whole());
        QVERIFY(busy.shown_range().first <= 0);  // the first sample is the origin
        QVERIFY(busy.shown_range().second >= 599);
        report_at(650);
        Q_EMIT cluster.dataChanged();
        QVERIFY(busy.shown_range().first <= 0 && busy.shown_range().second >= 649);
        console.shot("telemetry-all");
        // Leaving a range restores the previous one, both by key and by double click.
        QWidget* ground = plot(&busy)->viewport();
        plot(&busy)->setFocus();
        for (const bool by_key : {true, false}) {
            wheel(ground, in_plot(&busy, 300), 3);
            QVERIFY(busy.zoomed() && !all->isChecked());
            if (by_key) {
                QTest::keyClick(plot(&busy), Qt::Key_0);
            } else {
                const QPoint at = in_plot(&busy, 300);
                QMouseEvent twice(QEvent::MouseButtonDblClick, at, ground->mapToGlobal(at), Qt::LeftButton,
                                  Qt::LeftButton, Qt::NoModifier);
                QCoreApplication::sendEvent(ground, &twice);
            }
            QVERIFY(!busy.zoomed() && busy.whole() && all->isChecked());
        }
        QTest::keyClick(plot(&busy), Qt::Key_Home);  // without a range, Home returns to the moving window
        QVERIFY(!all->isChecked() && !busy.whole());
        QVERIFY2(std::abs(width() - 120) < 0.01, qPrintable(QString::number(width())));
        QTest::keyClick(plot(&busy), Qt::Key_Home);
        QVERIFY(all->isChecked());
        QTest::mouseClick(all, Qt::LeftButton);
        QVERIFY(!all->isChecked() && std::abs(width() - 120) < 0.01);
    }

    void curve_without_reports_scrolls_on_and_is_left_out_of_the_mean() {
        LaterClient cluster;
        testing::Console console(&cluster);
        cluster.play();
        const auto* telemetry = watched(console);
        const charts::LineChart &busy = telemetry->grid().busy(), &loss = telemetry->grid().loss();
        QCOMPARE(busy.headline(), QStringLiteral("mean 70 %"));
        cluster.ahead = std::chrono::seconds(10);
        const InstanceId again("gpt-text-1/stage-0/1");  // replaces the first instance, which reports no more
        cluster.tell(control::InstancePlaced{gpt, again, Sid("gpt-text-1/stage-0/0"), NodeId("mic-1/node-1"), 0});
        cluster.report(busy_for(again, 0.2));
        cluster.tell(control::StepDone{gpt, {11, 3.0F, 100, 170, 1}});
        Q_EMIT cluster.dataChanged();
        QCOMPARE(busy.lines().size(), std::size_t{2});
        QCOMPARE(busy.headline(), QStringLiteral("mean 20 %"));
        QVERIFY2(!loss.headline().contains(QStringLiteral("ago")), qPrintable(loss.headline()));
        cluster.ahead = std::chrono::seconds(75);
        Q_EMIT cluster.dataChanged();  // an unrelated change
        const double last = busy.lines().back().last()->x();
        QVERIFY2(busy.shown_range().second - last > 55, qPrintable(QString::number(busy.shown_range().second)));
        QVERIFY2(busy.headline() == QStringLiteral("1 min ago"), qPrintable(busy.headline()));
        QVERIFY2(loss.headline().endsWith(QStringLiteral("1 min ago")), qPrintable(loss.headline()));
        console.shot("telemetry-silent");
        // After a task has ended, its charts show no age.
        cluster.tell(control::TaskEnded{gpt, control::Outcome::succeeded, {}});
        Q_EMIT cluster.dataChanged();
        QVERIFY2(!loss.headline().contains(QStringLiteral("ago")), qPrintable(loss.headline()));
        QVERIFY2(busy.headline().startsWith(QStringLiteral("until ")), qPrintable(busy.headline()));
    }

    void cursor_an_hour_back_moves_charts_and_headings() {
        LaterClient cluster;
        testing::Console console(&cluster);
        cluster.connect_to(QStringLiteral("lab"));
        cluster.play();
        const auto* telemetry = watched(console);
        const charts::LineChart &busy = telemetry->grid().busy(), &loss = telemetry->grid().loss();
        cluster.tell(control::StepDone{gpt, {11, 3.0F, 100, 170, 1}});
        Q_EMIT cluster.dataChanged();
        const TimePoint then = cluster.now();
        cluster.ahead = std::chrono::hours(1);
        cluster.report(busy_for(stage, 0.1));
        cluster.tell(control::StepDone{gpt, {12, 2.0F, 100, 170, 1}});
        Q_EMIT cluster.dataChanged();
        QCOMPARE(busy.headline(), QStringLiteral("mean 10 %"));
        QVERIFY2(loss.headline().startsWith(QStringLiteral("2.0000")), qPrintable(loss.headline()));
        QVERIFY(busy.shown_range().first > 3000);
        model::TimeCursor& cursor = console.window->context().cursor;
        cursor.set(then);
        QVERIFY(busy.cursor() && *busy.cursor() < 60);
        const auto [from, to] = busy.shown_range();
        QVERIFY2(from <= *busy.cursor() && *busy.cursor() <= to + 0.01, qPrintable(QString::number(to)));
        QCOMPARE(busy.headline(), QStringLiteral("mean 70 %"));
        QVERIFY2(loss.headline().startsWith(QStringLiteral("3.0000")), qPrintable(loss.headline()));
        console.shot("telemetry-an-hour-ago");
        // the moment is within the shown range, so the range stays as it is
        cursor.set(then - std::chrono::seconds(1));
        QCOMPARE(busy.shown_range(), std::pair(from, to));
        cursor.go_live();
        QVERIFY(busy.shown_range().first > 3000);
        QCOMPARE(busy.headline(), QStringLiteral("mean 10 %"));
    }

    void a_selected_step_stays_marked_when_the_pointer_leaves() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        cluster.play();
        cluster.tell(control::StepDone{gpt, {11, 3.0F, 100, 170, 1}});  // the console knows the time of this step
        Q_EMIT cluster.dataChanged();
        const auto* telemetry = watched(console);
        const charts::LineChart &loss = telemetry->grid().loss(), &busy = telemetry->grid().busy();
        model::Selection& selection = console.window->context().selection;
        selection.select(model::Selected::of_step(gpt, 11));
        QTest::mouseMove(plot(&loss)->viewport(), in_plot(&loss, 4));
        QEvent leave(QEvent::Leave);
        QCoreApplication::sendEvent(plot(&loss), &leave);
        QVERIFY(!loss.cursor());
        QCOMPARE(loss.mark(), std::optional<double>(11));
        QVERIFY(busy.mark());
        console.shot("telemetry-marked");
        const QImage marked = plot(&loss)->grab().toImage();
        selection.clear();
        QVERIFY(!loss.mark() && !busy.mark());
        QVERIFY(plot(&loss)->grab().toImage() != marked);
        selection.select(model::Selected::of_step(TaskId("other-2"), 4));
        QVERIFY(!loss.mark());
    }

    void return_key_and_menu_select_the_step_under_the_pointer() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        cluster.play();
        const auto* telemetry = watched(console);
        const charts::LineChart& loss = telemetry->grid().loss();
        const model::Selection& selection = console.window->context().selection;
        QWidget* ground = plot(&loss)->viewport();
        plot(&loss)->setFocus();
        QTest::mouseMove(ground, in_plot(&loss, 4));
        QTest::keyClick(plot(&loss), Qt::Key_Return);
        QCOMPARE(selection.current(), model::Selected::of_step(gpt, 4));
        const QPoint at = in_plot(&loss, 7);
        QContextMenuEvent asked(QContextMenuEvent::Mouse, at, ground->mapToGlobal(at));
        QCoreApplication::sendEvent(ground, &asked);
        auto* menu = telemetry->findChild<QMenu*>(QStringLiteral("chartMenu"));
        QVERIFY(menu);
        const auto take = [&](const char* text) {
            for (QAction* entry : menu->actions())
                if (entry->text() == QLatin1String(text)) return entry->trigger();
            QFAIL(text);
        };
        take("Select this step");
        QCOMPARE(selection.current(), model::Selected::of_step(gpt, 7));
        take("Copy the values here");
        QVERIFY2(QGuiApplication::clipboard()->text().contains(QStringLiteral("Training: 4.1")),
                 qPrintable(QGuiApplication::clipboard()->text()));
        take("Zoom in here");
        QVERIFY(loss.zoomed() && !telemetry->grid().busy().zoomed());
        menu->close();
    }

    void task_without_steps_shows_what_it_waits_for_or_why_it_failed() {
        testing::ConnectedConsole shown;
        const TaskId task("left-1");
        shown.cluster.tell(control::TaskSubmitted{task, "left", "", "", "", {}, "operator", 0});
        Q_EMIT shown.cluster.dataChanged();
        watched(shown.console);
        const auto* said = shown.console.find<QLabel>("telemetryEmpty");
        QVERIFY2(said->text().contains(QStringLiteral("left is queued")), qPrintable(said->text()));
        shown.cluster.tell(control::TaskHeld{task, true});
        Q_EMIT shown.cluster.dataChanged();
        QVERIFY2(said->text().contains(QStringLiteral("Release")), qPrintable(said->text()));
        shown.cluster.tell(control::TaskHeld{task, false});
        const Error why{ErrorCode::exhausted, "no node has 64 GiB", "stage 2", "cut it further"};
        shown.cluster.tell(control::TaskEnded{task, control::Outcome::failed, why});
        Q_EMIT shown.cluster.dataChanged();
        QVERIFY2(said->text().contains(QStringLiteral("left failed before its first step")), qPrintable(said->text()));
        QVERIFY2(said->text().contains(QStringLiteral("no node has 64 GiB")), qPrintable(said->text()));
        QVERIFY2(said->text().contains(QStringLiteral("Run (F5)")), qPrintable(said->text()));  // no longer queued
    }

    void all_charts_share_one_cursor() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        cluster.play();
        const TaskId task("gpt-text-1");
        // The console is connected when this step is done, so its time is known.
        cluster.tell(control::StepDone{task, {11, 3.0F, 100, 170, 1}});
        Q_EMIT cluster.dataChanged();
        console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
        console.show_dock("Telemetry");
        auto* telemetry = console.find<charts::TelemetryView>("telemetry");
        const charts::LineChart &loss = telemetry->grid().loss(),
                                &speed = telemetry->grid().chart(charts::Chart::speed);
        QTest::mouseMove(plot(&loss)->viewport(), in_plot(&loss, 4));
        QVERIFY(loss.cursor() && speed.cursor());
        QVERIFY(std::abs(*loss.cursor() - 4) < 0.5);
        QCOMPARE(*speed.cursor(), *loss.cursor());
        QVERIFY2(loss.cursor_texts().join(u' ').contains(QStringLiteral("Training: 4.7")),
                 qPrintable(loss.cursor_texts().join(u' ')));
        QTest::mouseMove(plot(&loss)->viewport(), in_plot(&loss, 11));
        QVERIFY(telemetry->grid().busy().cursor());  // placed at the time of that step
        console.shot("telemetry-cursor");
        QEvent leave(QEvent::Leave);
        QCoreApplication::sendEvent(plot(&loss), &leave);
        QVERIFY(!loss.cursor() && !speed.cursor() && !telemetry->grid().busy().cursor());
    }

    void omitted_measurements_are_counted_on_screen() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        cluster.play();
        console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
        console.show_dock("Telemetry");
        auto* left_out = console.find<QLabel>("telemetryLeftOut");
        QVERIFY(!left_out->isVisible());
        cluster.cluster.loads_left_out = 12345;
        Q_EMIT cluster.dataChanged();
        QVERIFY(left_out->isVisible());
        QVERIFY2(left_out->text().contains(QStringLiteral("12,345")), qPrintable(left_out->text()));
        console.shot("telemetry-left-out");
    }
};

DIVISI_WINDOW_TEST(TelemetryGuiTest)

}  // namespace telemetry_test

#include "telemetry_test.moc"
