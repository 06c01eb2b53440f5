// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the window's display of a cluster with a scripted client.
#include <QAbstractButton>
#include <QChart>
#include <QChartView>
#include <QComboBox>
#include <QFileDialog>
#include <QImage>
#include <QMenu>
#include <QProgressBar>
#include <QScrollArea>
#include <QTableWidget>
#include <QToolButton>
#include <QTreeWidget>
#include <QValueAxis>
#include <QWheelEvent>
#include <QXYSeries>
#include <cmath>
#include <limits>

#include "app/client/mailbox.h"
#include "app/client/replay_client.h"
#include "app/model/wording/text.h"
#include "app/panels/faults/log_table.h"
#include "app/panels/tables/row_table.h"
#include "app/shell/replay/recordings.h"
#include "backend/control/protocol/task_messages.h"
#include "tests/gui/connected_console.h"
#include "tests/gui/console.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"

namespace live_test {

using namespace divisi;
using testing::ScriptedClient;

namespace {

QChartView* plot(const charts::LineChart* chart) { return chart->findChild<QChartView*>(); }

/// Returns the chart widget itself, for input events.
charts::LineChart* whole(const charts::LineChart* chart) {
    return qobject_cast<charts::LineChart*>(plot(chart)->parentWidget());
}

/// Returns the point at this x in the plot of a chart, at half the plot's height.
QPoint in_plot(const charts::LineChart* chart, double x) {
    QChart* drawn = plot(chart)->chart();
    return {static_cast<int>(drawn->mapToPosition({x, 0}).x()), static_cast<int>(drawn->plotArea().center().y())};
}

/// Returns the report of a machine that is 25 % busy, uses 2 of 8 GiB, and reports no power.
control::NodeMachine warm_node() {
    control::NodeMachine node{NodeId("mic-1/node-1"), {0.25, Bytes{8} << 30, Bytes{6} << 30}};
    node.machine.temperature_c = 61.5;
    return node;
}

void wheel(QWidget* on, QPoint at, int notches) {
    QWheelEvent event(at, on->mapToGlobal(at), {}, {0, 120 * notches}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                      false);
    QCoreApplication::sendEvent(on, &event);
}

}  // namespace

class LiveTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void a_running_task_shows_its_progress_and_can_be_stopped() {
        testing::ConnectedConsole shown;
        shown.cluster.play();
        auto* table = shown.console.find<QTableWidget>("taskTable");
        QCOMPARE(table->rowCount(), 1);
        QCOMPARE(table->item(0, 0)->text(), QStringLiteral("gpt-text-1"));
        QCOMPARE(table->cellWidget(0, 3)->findChild<QProgressBar*>()->value(), 10);
        table->setCurrentCell(0, 0);
        QTest::mouseClick(shown.console.find<QPushButton>("stopTask"), Qt::LeftButton);
        QCOMPARE(shown.cluster.last<control::StopTask>().task, TaskId("gpt-text-1"));
    }

    void a_held_task_is_released() {
        testing::ConnectedConsole shown;
        shown.cluster.tell(control::TaskSubmitted{TaskId("left-1"), "left", "", "", "", {}, "operator", 0});
        shown.cluster.tell(control::TaskHeld{TaskId("left-1"), true});
        Q_EMIT shown.cluster.dataChanged();
        auto* table = shown.console.find<QTableWidget>("taskTable");
        auto* release = shown.console.find<QPushButton>("releaseTask");
        QVERIFY(!release->isVisible());
        shown.console.show_dock("Tasks");
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualItemRect(table->item(0, 0)).center());
        QVERIFY2(table->item(0, 1)->text().contains(QStringLiteral("held")), qPrintable(table->item(0, 1)->text()));
        QVERIFY(release->isVisible());
        QTest::mouseClick(release, Qt::LeftButton);
        QCOMPARE(shown.cluster.last<control::ReleaseTask>().task, TaskId("left-1"));
        shown.cluster.tell(control::TaskHeld{TaskId("left-1"), false});
        Q_EMIT shown.cluster.dataChanged();
        QVERIFY(!release->isVisible());
        QVERIFY(table->item(0, 1)->text().contains(QStringLiteral("queued")));
    }

    void selected_task_stays_in_view_when_new_tasks_arrive() {
        testing::ConnectedConsole shown;
        const auto submit = [&](int number) {
            const TaskId task("task-" + std::to_string(number));
            shown.cluster.tell(control::TaskSubmitted{task, "task", "", "", "", {}, "operator", 0});
        };
        for (int i = 0; i < 40; ++i) submit(i);
        Q_EMIT shown.cluster.dataChanged();
        shown.console.show_dock("Tasks");
        auto* table = shown.console.find<QTableWidget>("taskTable");
        QCOMPARE(table->item(0, 0)->text(), QStringLiteral("task-39"));
        QTableWidgetItem* item = table->findItems(QStringLiteral("task-20"), Qt::MatchExactly).front();
        table->scrollToItem(item, QAbstractItemView::PositionAtTop);
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualItemRect(item).center());
        const int at = table->visualItemRect(item).top();
        submit(40);
        submit(41);
        Q_EMIT shown.cluster.dataChanged();
        QTableWidgetItem* now = table->currentItem();
        QVERIFY(now);
        QCOMPARE(table->item(now->row(), 0)->text(), QStringLiteral("task-20"));
        QVERIFY(table->item(now->row(), 0)->isSelected());
        QCOMPARE(table->visualItemRect(now).top(), at);
    }

    void telemetry_draws_loss_and_load() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        cluster.play();
        console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
        auto* telemetry = console.find<charts::TelemetryView>("telemetry");
        console.show_dock("Telemetry");
        QCOMPARE(telemetry->grid().loss().point_count(), 11);  // ten steps and one validation
        QCOMPARE(telemetry->grid().busy().point_count(), 10);
        cluster.tell(control::StepDone{TaskId("gpt-text-1"), {11, 3.0F, 100, 170, 1}});
        Q_EMIT cluster.dataChanged();
        QCOMPARE(telemetry->grid().loss().point_count(), 12);
        console.shot("telemetry");
        const TaskId task("gpt-text-1");
        QVERIFY(telemetry->grid().loss().start_positions().isEmpty());
        cluster.tell(control::TaskRecovers{task, 2, 4, {}, "killed by signal 9"});
        cluster.tell(control::StepDone{task, {5, 4.5F, 100, 160.0, 2}});
        Q_EMIT cluster.dataChanged();
        QCOMPARE(telemetry->grid().loss().start_positions(), QList<double>{4});
        QVERIFY(telemetry->grid().loss().legend().accessibleName().contains(
            QStringLiteral("Generation 2, from step 4: killed by signal 9")));
        console.shot("telemetry-generation");
    }

    void missing_reports_leave_a_gap_in_the_curve() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        cluster.play();
        console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
        console.show_dock("Telemetry");
        const charts::LineChart& busy = console.find<charts::TelemetryView>("telemetry")->grid().busy();
        QCOMPARE(busy.run_count(), 1);
        const std::deque<client::LoadSample> samples = cluster.cluster.loads.begin()->second;
        for (std::size_t i = 0; i < 5; ++i)  // after thirty seconds of silence
            cluster.report(samples[i].load, samples[i].time + std::chrono::seconds(30));
        Q_EMIT cluster.dataChanged();
        QCOMPARE(busy.run_count(), 2);
        QCOMPARE(busy.point_count(), 15);
        QCOMPARE(busy.line_names().size(), 1);
        console.shot("telemetry-gap");
    }

    void nan_loss_is_marked() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        cluster.play();
        console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
        console.show_dock("Telemetry");
        auto* telemetry = console.find<charts::TelemetryView>("telemetry");
        const double infinite = std::numeric_limits<double>::infinity();
        cluster.tell(control::StepDone{TaskId("gpt-text-1"), {11, static_cast<float>(infinite), 100, 160, 1}});
        Q_EMIT cluster.dataChanged();
        auto* text = telemetry->grid().loss().findChild<QLabel*>(QStringLiteral("brokenText"));
        QVERIFY(text->isVisible());
        QVERIFY2(text->text().contains(QStringLiteral("11: +\u221e")), qPrintable(text->text()));
        cluster.tell(control::StepDone{TaskId("gpt-text-1"), {12, std::nanf(""), 100, 160, 1}});
        Q_EMIT cluster.dataChanged();
        QCOMPARE(telemetry->grid().loss().point_count(), 11);
        QCOMPARE(telemetry->grid().loss().mark_count(), 2);
        for (const QAbstractAxis* axis :
             telemetry->grid().loss().findChild<QChartView*>()->chart()->axes(Qt::Vertical)) {
            const auto* values = qobject_cast<const QValueAxis*>(axis);
            QVERIFY(std::isfinite(values->min()) && std::isfinite(values->max()) && values->max() < 10);
        }
        QCOMPARE(console.find<QTableWidget>("taskTable")->item(0, 5)->text(), QStringLiteral("NaN"));
        console.shot("nonfinite-dark");
        console.window->set_theme(shell::Theme::light);
        console.shot("nonfinite-light");
    }

    void training_with_only_nan_losses_shows_its_steps() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        cluster.play();
        console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
        console.show_dock("Telemetry");
        const TaskId task("gpt-text-1");
        cluster.tell(control::TaskRecovers{task, 2, 0, {}, "killed by signal 9"});
        for (int step = 1; step <= 10; ++step)
            cluster.tell(control::StepDone{task, {step, std::nanf(""), 100, 160.0, 2}});
        cluster.tell(control::Evaluated{task, {5, std::nanf(""), {}, {}, 2}});
        Q_EMIT cluster.dataChanged();
        auto* telemetry = console.find<charts::TelemetryView>("telemetry");
        QCOMPARE(telemetry->grid().loss().point_count(), 0);
        QCOMPARE(telemetry->grid().loss().mark_count(), 11);
    }

    void charts_with_the_same_axis_zoom_together_and_keep_a_spike_visible() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        cluster.play();
        const TaskId task("gpt-text-1");
        for (int step = 11; step <= 20000; ++step) {
            cluster.tell(control::StepDone{task, {step, step == 12345 ? 50.0F : 2.0F, 100, 170, 1}});
            if (step % 100 == 0) Q_EMIT cluster.dataChanged();  // in batches, as a real client notifies the console
        }
        console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
        console.show_dock("Telemetry");
        auto* telemetry = console.find<charts::TelemetryView>("telemetry");
        const charts::LineChart &loss = telemetry->grid().loss(),
                                &speed = telemetry->grid().chart(charts::Chart::speed);
        QVERIFY(loss.point_count() < 5000);
        QVERIFY(speed.isVisibleTo(telemetry));
        const auto highest = [&] {
            const auto axes = plot(&loss)->chart()->axes(Qt::Vertical);
            return qobject_cast<const QValueAxis*>(axes.front())->max();
        };
        QVERIFY(highest() >= 50);
        for (int i = 0; i < 12; ++i) wheel(plot(&loss)->viewport(), in_plot(&loss, 12345), 1);
        QVERIFY(loss.zoomed() && speed.zoomed());
        QCOMPARE(loss.shown_range(), speed.shown_range());
        const auto [from, to] = loss.shown_range();
        QVERIFY(from < 12345 && 12345 < to && to - from < 20000 / 10);
        QVERIFY(highest() >= 50);
        QVERIFY(!telemetry->grid().busy().zoomed());  // the x axis of this chart is time, not steps
        console.shot("telemetry-zoomed");
        // Drag the range a hundred steps aside: the peak is no longer in the range.
        loss.findChild<QChartView*>()->setFocus();
        const QPoint middle = in_plot(&loss, (from + to) / 2);
        QTest::mousePress(plot(&loss)->viewport(), Qt::LeftButton, {}, middle);
        for (int i = 1; i <= 40; ++i)
            QTest::mouseMove(plot(&loss)->viewport(), middle - QPoint(i * plot(&loss)->width() / 40, 0));
        QTest::mouseRelease(plot(&loss)->viewport(), Qt::LeftButton, {}, middle);
        QVERIFY(loss.shown_range().first > from);
        QTest::keyClick(plot(&loss), Qt::Key_0);
        QVERIFY(!loss.zoomed() && !speed.zoomed());
        QCOMPARE(loss.shown_range().second, 20000.0);
    }

    void charts_are_reordered_by_drag_and_by_keys() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        cluster.play();
        console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
        console.show_dock("Telemetry");
        auto* telemetry = console.find<charts::TelemetryView>("telemetry");
        charts::LineChart *loss = whole(&telemetry->grid().loss()),
                          *speed = whole(&telemetry->grid().chart(charts::Chart::speed));
        const auto stands_before = [&](const QWidget* one, const QWidget* other) {
            const QPoint a = one->mapTo(telemetry, QPoint()), b = other->mapTo(telemetry, QPoint());
            return std::pair(a.y(), a.x()) < std::pair(b.y(), b.x());
        };
        QTRY_VERIFY(stands_before(loss, speed));
        const QPoint from(30, 16), to = speed->mapFromGlobal(loss->mapToGlobal(loss->rect().center()));
        QTest::mousePress(speed, Qt::LeftButton, {}, from);
        for (int i = 1; i <= 4; ++i) QTest::mouseMove(speed, from + (to - from) * i / 4);
        QTest::mouseRelease(speed, Qt::LeftButton, {}, to);
        QTRY_VERIFY(stands_before(speed, loss));
        const QString key = QStringLiteral("telemetry_order");
        QCOMPARE(console.settings.value(key).toStringList().front(), QStringLiteral("samples_per_s"));
        console.shot("telemetry-ordered");
        QTest::keyClick(plot(speed), Qt::Key_Right, Qt::ControlModifier);
        QTRY_VERIFY(stands_before(loss, speed));
        const QStringList order = telemetry->grid().order();
        QCOMPARE(order.mid(0, 3),
                 (QStringList{QStringLiteral("loss"), QStringLiteral("samples_per_s"), QStringLiteral("busy")}));
        console.window.reset();
        console.open();
        QCOMPARE(console.find<charts::TelemetryView>("telemetry")->grid().order(), order);
        console.show_dock("Telemetry");
        console.action("reset_layout")->trigger();
        QCOMPARE(console.find<charts::TelemetryView>("telemetry")->grid().order()[1], QStringLiteral("busy"));
        QVERIFY(!console.settings.contains(key));
    }

    void other_tasks_can_be_compared_in_the_loss_chart() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        cluster.play();
        for (const char* name : {"gpt-text-0", "mlp-2"}) {
            const TaskId other(name);
            cluster.tell(control::TaskSubmitted{other, "other", "", "", "", {}, "operator", 0});
            for (int step = 1; step <= 5; ++step) cluster.tell(control::StepDone{other, {step, 9.0F, 100, 160, 1}});
        }
        Q_EMIT cluster.dataChanged();
        auto* table = console.find<QTableWidget>("taskTable");
        table->setCurrentItem(table->findItems(QStringLiteral("gpt-text-1"), Qt::MatchExactly).front());
        console.show_dock("Telemetry");
        auto* telemetry = console.find<charts::TelemetryView>("telemetry");
        auto* with = telemetry->findChild<QToolButton*>(QStringLiteral("compareWith"));
        const auto take = [&](const char* task) {
            for (QAction* offer : with->menu()->actions())
                if (offer->text() == QLatin1String(task)) return offer->trigger();
            QFAIL(task);
        };
        const QStringList alone = telemetry->grid().loss().line_names();
        const int before = telemetry->grid().loss().point_count();
        QCOMPARE(with->text(), QStringLiteral("no other task"));
        take("gpt-text-0");
        QCOMPARE(with->text(), QStringLiteral("gpt-text-0"));
        QCOMPARE(telemetry->grid().loss().line_names(), alone + QStringList{QStringLiteral("gpt-text-0")});
        QCOMPARE(telemetry->grid().loss().point_count(), before + 5);
        take("mlp-2");
        QCOMPARE(with->text(), QStringLiteral("2 other tasks"));
        QCOMPARE(telemetry->grid().loss().line_names(),
                 alone + (QStringList{QStringLiteral("gpt-text-0"), QStringLiteral("mlp-2")}));
        QCOMPARE(telemetry->grid().loss().point_count(), before + 10);
        const auto pen_of = [&](const char* name) {
            for (const QAbstractSeries* one : plot(&telemetry->grid().loss())->chart()->series())
                if (const auto* line = qobject_cast<const QXYSeries*>(one); line && line->name() == QLatin1String(name))
                    return line->pen();
            return QPen(Qt::NoPen);
        };
        QVERIFY(pen_of("gpt-text-0").style() != Qt::NoPen && pen_of("mlp-2").style() != Qt::NoPen);
        QVERIFY(pen_of("gpt-text-0").color() != pen_of("mlp-2").color());
        QVERIFY(pen_of("gpt-text-0").style() != pen_of("mlp-2").style());  // distinguishable by more than the colour
        const auto lines = telemetry->grid().loss().lines();
        QVERIFY(lines.back().pale && lines[lines.size() - 2].pale && !lines.front().pale);
        QCOMPARE(telemetry->grid().busy().line_names().size(), 1);  // curves over time cannot be aligned
        console.shot("telemetry-compared");
        Q_EMIT cluster.dataChanged();
        QCOMPARE(telemetry->grid().loss().point_count(), before + 10);
        take("gpt-text-0");  // choosing the task again removes it
        QCOMPARE(telemetry->grid().loss().line_names(), alone + QStringList{QStringLiteral("mlp-2")});
        take("no other task");
        QCOMPARE(telemetry->grid().loss().line_names(), alone);
    }

    void axis_titles_name_quantity_and_unit() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        cluster.play();
        console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
        console.show_dock("Telemetry");
        auto* telemetry = console.find<charts::TelemetryView>("telemetry");
        const auto titles = [&](charts::Chart chart) {
            QStringList texts;
            for (const Qt::Orientation along : {Qt::Horizontal, Qt::Vertical})
                for (const QAbstractAxis* axis : plot(&telemetry->grid().chart(chart))->chart()->axes(along))
                    texts << axis->titleText();
            return texts;
        };
        using charts::Chart;
        QCOMPARE(titles(Chart::speed), (QStringList{QStringLiteral("Step"), QStringLiteral("samples/s")}));
        QCOMPARE(titles(Chart::step_time), (QStringList{QStringLiteral("Step"), QStringLiteral("ms")}));
        QCOMPARE(titles(Chart::memory), (QStringList{QStringLiteral("Time, s"), QStringLiteral("MiB")}));
        QCOMPARE(titles(Chart::link_rate), (QStringList{QStringLiteral("Time, s"), QStringLiteral("MiB/s")}));
        QCOMPARE(titles(Chart::node_cpu), (QStringList{QStringLiteral("Time, s"), QStringLiteral("%")}));
        QCOMPARE(titles(Chart::node_memory), (QStringList{QStringLiteral("Time, s"), QStringLiteral("GiB")}));
        QCOMPARE(titles(Chart::node_temperature), (QStringList{QStringLiteral("Time, s"), QStringLiteral("\u00b0C")}));
        QCOMPARE(titles(Chart::node_power), (QStringList{QStringLiteral("Time, s"), QStringLiteral("W")}));
        console.window->set_language(QStringLiteral("zh_CN"));
        QTRY_VERIFY(titles(Chart::speed) != (QStringList{QStringLiteral("Step"), QStringLiteral("samples/s")}));
        console.window->set_language(QStringLiteral("en"));
    }

    void unreported_quantities_have_no_chart() {
        testing::ConnectedConsole shown;
        shown.cluster.play();
        shown.console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
        shown.console.show_dock("Telemetry");
        auto* telemetry = shown.console.find<charts::TelemetryView>("telemetry");
        const auto shows = [&](charts::Chart chart) { return telemetry->grid().chart(chart).isVisibleTo(telemetry); };
        QVERIFY(shows(charts::Chart::loss) && shows(charts::Chart::busy));
        QVERIFY(shows(charts::Chart::accuracy));  // a single validation is enough
        QCOMPARE(telemetry->grid().chart(charts::Chart::accuracy).lines().front().last()->y(), 25.0);
        QVERIFY(!shows(charts::Chart::link_rate) && !shows(charts::Chart::link_latency));
        QTRY_VERIFY(shown.cluster.count<control::QueryMesh>() > 0);  // requested while the chart is visible
        control::MeshState mesh;
        mesh.devices.resize(2);
        mesh.devices[0].id = 1;
        mesh.devices[0].info.name = "mg-1";
        mesh.devices[0].up = true;
        mesh.devices[0].heard = static_cast<client::Client&>(shown.cluster).now();
        mesh.devices[1].id = 2;
        mesh.devices[1].info.name = "sr-1";
        control::NeighbourReport to;
        to.id = 2;
        to.quality.bytes_per_s = 3 << 20;
        to.queued_bytes = 1 << 20;
        mesh.devices[0].neighbours = {to};
        shown.cluster.answer(control::QueryMesh{}, mesh);
        shown.cluster.answer(control::QueryMesh{}, mesh);  // a repeated report is not a second sample
        Q_EMIT shown.cluster.dataChanged();
        QVERIFY(shows(charts::Chart::link_rate) && shows(charts::Chart::link_queued));
        QVERIFY(!shows(charts::Chart::link_latency));  // the latency is unknown, since no chunk was freed
        const charts::LineChart& rate = telemetry->grid().chart(charts::Chart::link_rate);
        QCOMPARE(rate.point_count(), 1);
        QCOMPARE(rate.lines().front().last()->y(), 3.0);
        shown.console.shot("telemetry-links");
    }

    void machine_load_of_nodes_is_charted() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        cluster.play();
        console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
        console.show_dock("Telemetry");
        auto* telemetry = console.find<charts::TelemetryView>("telemetry");
        const auto shows = [&](charts::Chart chart) { return telemetry->grid().chart(chart).isVisibleTo(telemetry); };
        QVERIFY(!shows(charts::Chart::node_cpu) && !shows(charts::Chart::node_temperature));
        const control::NodeMachine told = warm_node();
        const auto start = std::chrono::steady_clock::now();
        for (const int second : {0, 2, 4, 30, 32})  // with a silent period
            cluster.report(told, start + std::chrono::seconds(second));
        Q_EMIT cluster.dataChanged();
        QVERIFY(shows(charts::Chart::node_cpu) && shows(charts::Chart::node_memory));
        QVERIFY(shows(charts::Chart::node_temperature));
        QVERIFY(!shows(charts::Chart::node_power));  // not reported by any node
        const charts::LineChart& warm = telemetry->grid().chart(charts::Chart::node_temperature);
        QCOMPARE(warm.title(), QStringLiteral("Nodes: temperature"));
        QCOMPARE(warm.unit(), QStringLiteral("\u00b0C"));
        // the other node reports no temperature
        QCOMPARE(warm.line_names(), QStringList{QStringLiteral("mic-1/node-1")});
        QCOMPARE(warm.lines().front().last()->y(), 61.5);
        QCOMPARE(warm.point_count(), 5);
        QCOMPARE(warm.run_count(), 2);
        QCOMPARE(telemetry->grid().chart(charts::Chart::node_cpu).lines().front().last()->y(), 25.0);
        QCOMPARE(telemetry->grid().chart(charts::Chart::node_memory).lines().front().last()->y(), 2.0);
        const QString csv = console.folder.filePath(QStringLiteral("nodes.csv"));
        telemetry->exports().save_csv(csv);
        QTRY_VERIFY(!telemetry->exports().active());
        QFile file(csv);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(QString::fromUtf8(file.readAll()).contains(QStringLiteral("Nodes: temperature")));
        console.shot("telemetry-nodes");
    }

    void machine_load_of_nodes_is_listed_in_the_table() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        cluster.play();
        const control::NodeMachine told = warm_node();
        console.show_dock("Nodes");
        cluster.report(told);
        Q_EMIT cluster.dataChanged();
        auto* tree = console.find<QTreeWidget>("topologyTree");
        const QTreeWidgetItem *node = tree->topLevelItem(0)->child(0), *silent = tree->topLevelItem(1)->child(0);
        const auto cells = [](const QTreeWidgetItem& row) {
            return QStringList{row.text(2), row.text(3), row.text(4), row.text(5)};
        };
        const QString dash = QStringLiteral("\u2013");
        QCOMPARE(cells(*node), (QStringList{model::percent(0.25), model::bytes_text(Bytes{2} << 30),
                                            model::degrees_text(61.5), dash}));
        QCOMPARE(cells(*silent), (QStringList{dash, dash, dash, dash}));
        QVERIFY(cells(*node->child(0)).mid(2).join(QString()).isEmpty());  // an instance has no temperature
        console.shot("nodes-warm");
        for (client::NodeSample& sample : cluster.cluster.nodes.at(told.node)) sample.time -= std::chrono::minutes(1);
        Q_EMIT cluster.dataChanged();
        // such an old report does not describe the present state
        QCOMPARE(cells(*node), (QStringList{dash, dash, dash, dash}));
    }

    void only_the_visible_range_is_exported() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        cluster.play();
        console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
        console.show_dock("Telemetry");
        auto* telemetry = console.find<charts::TelemetryView>("telemetry");
        const charts::LineChart& loss = telemetry->grid().loss();
        for (int i = 0; i < 5; ++i) wheel(plot(&loss)->viewport(), in_plot(&loss, 3), 1);
        const auto [from, to] = loss.shown_range();
        const QString csv = console.folder.filePath(QStringLiteral("shown.csv"));
        QTest::mouseClick(telemetry->findChild<QPushButton*>(QStringLiteral("exportCsv")), Qt::LeftButton);
        auto* dialog = telemetry->findChild<QFileDialog*>(QStringLiteral("telemetryExport"));
        QVERIFY(dialog);
        Q_EMIT dialog->fileSelected(csv);
        dialog->close();
        const auto* saved = console.find<QLabel>("telemetrySaved");
        QTRY_VERIFY(saved->isVisible());
        QVERIFY2(saved->text().contains(QStringLiteral("shown.csv")), qPrintable(saved->text()));
        QFile file(csv);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QStringList rows = QString::fromUtf8(file.readAll()).split(u'\n', Qt::SkipEmptyParts);
        QCOMPARE(rows.front(), QStringLiteral("chart,curve,x,x_unit,value,unit"));
        int steps = 0;
        for (const QString& row : rows) {
            if (!row.startsWith(QStringLiteral("Loss,Training,"))) continue;
            const double step = row.split(u',')[2].toDouble();
            QVERIFY(from <= step && step <= to);
            QCOMPARE(row.split(u',')[3], QStringLiteral("step"));
            ++steps;
        }
        QCOMPARE(steps, static_cast<int>(std::floor(to) - std::ceil(from)) + 1);
        QVERIFY(steps < 10);
        const QString png = console.folder.filePath(QStringLiteral("shown.png"));
        QVERIFY(telemetry->exports().save_image(png).ok());
        QVERIFY(QImage(png).width() > 100);
        telemetry->exports().save_csv(QStringLiteral("/nonexistent/shown.csv"));
        const auto* problem = console.find<QLabel>("telemetryProblem");
        QTRY_VERIFY(problem->isVisible() && !saved->isVisible());
        QVERIFY2(problem->text().contains(QStringLiteral("/nonexistent")), qPrintable(problem->text()));
    }

    void recording_without_all_measurements_shows_a_notice() {
        QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("lab.divisirec"));
        {
            ScriptedClient cluster;
            cluster.connect_to(QStringLiteral("lab"));
            testing::Console console(&cluster);
            QVERIFY(console.window->recordings().record(file).isEmpty());
            cluster.play();
            client::Mail mail;
            mail.loads_left_out = 12345;
            Q_EMIT cluster.mailCame(mail);
            QTest::qWait(120);
            console.action("record")->trigger();
        }
        auto replay = client::ReplayClient::open(file.toStdString());
        QVERIFY(replay.ok());
        testing::Console console(replay->get());
        (*replay)->show((*replay)->end());
        console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
        console.show_dock("Telemetry");
        auto* left_out = console.find<QLabel>("telemetryLeftOut");
        QTRY_VERIFY(left_out->isVisible());
        QVERIFY2(left_out->text().contains(QStringLiteral("12,345")), qPrintable(left_out->text()));
        QVERIFY2(left_out->text().contains(QStringLiteral("recording")), qPrintable(left_out->text()));
    }

    void hidden_charts_show_and_export_the_followed_task() {
        ScriptedClient cluster;
        cluster.play();
        const TaskId first("gpt-text-1"), second("other-2");
        cluster.tell(control::TaskSubmitted{second, "other", "", "", "", {}, "operator", 0});
        for (int step = 1; step <= 3; ++step) cluster.tell(control::StepDone{second, {step, 1.0F, 999, 160, 1}});
        charts::TelemetryView view(&cluster);
        view.resize(600, 190);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        view.show_task(first);
        const charts::LineChart& times = view.grid().chart(charts::Chart::step_time);
        QTRY_VERIFY(times.isVisible() && times.visibleRegion().isEmpty());
        QCOMPARE(times.point_count(), 10);
        const QTemporaryDir folder;
        const QString csv = folder.filePath(QStringLiteral("shown.csv"));
        const auto step_times = [&] {
            QStringList values;
            QFile file(csv);
            view.exports().save_csv(csv);
            const bool done = QTest::qWaitFor([&] { return !view.exports().active(); });
            if (!done || !file.open(QIODevice::ReadOnly)) return values;
            for (const QString& row : QString::fromUtf8(file.readAll()).split(u'\n', Qt::SkipEmptyParts))
                if (row.startsWith(QStringLiteral("Step time,"))) values << row.split(u',')[4];
            return values;
        };
        cluster.tell(control::StepDone{first, {11, 3.0F, 111, 170, 1}});
        Q_EMIT cluster.dataChanged();
        QCOMPARE(times.point_count(), 10);  // a hidden chart is updated only when it is shown or saved
        QCOMPARE(step_times().size(), 11);
        cluster.tell(control::StepDone{first, {12, 3.0F, 111, 170, 1}});
        Q_EMIT cluster.dataChanged();
        view.resize(600, 700);
        QTRY_COMPARE(times.point_count(), 12);
        view.resize(600, 190);
        QTRY_VERIFY(times.visibleRegion().isEmpty());
        view.show_task(second);
        QCOMPARE(times.point_count(), 3);
        QCOMPARE(step_times(), QStringList(3, QStringLiteral("999")));
    }

    /// In a window 768 pixels high, the view below the task graph is low.
    void a_low_view_shows_a_row_of_charts_with_its_legends() {
        ScriptedClient cluster;
        testing::Console console;  // its theme applies to all widgets
        cluster.play();
        charts::TelemetryView view(&cluster);
        view.resize(1300, 220);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        view.show_task(TaskId("gpt-text-1"));
        const QWidget* part = view.findChild<QScrollArea*>()->viewport();
        view.resize(1300, view.height() + 170 - part->height());
        QTRY_COMPARE(part->height(), 170);
        const charts::LineLegend& legend = view.grid().loss().legend();
        QTRY_VERIFY(legend.isVisible() && legend.height() > 0);
        const auto below = [&] { return view.grid().loss().mapTo(part, QPoint(0, view.grid().loss().height())).y(); };
        QTRY_VERIFY2(below() <= part->height(), qPrintable(QString::number(below())));
        QTRY_COMPARE(legend.visibleRegion().boundingRect(), legend.rect());
        QVERIFY(legend.height() >= legend.heightForWidth(legend.width()));
        view.resize(1300, 500);
        QTRY_VERIFY(view.grid().loss().height() >= 190);  // charts are taller if there is room
    }

    void topology_shows_placed_instances_and_removes_ended_ones() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        console.show_dock("Nodes");
        cluster.play();
        auto* tree = console.find<QTreeWidget>("topologyTree");
        QCOMPARE(tree->topLevelItemCount(), 2);
        QTreeWidgetItem* node = tree->topLevelItem(0)->child(0);
        QCOMPARE(node->text(0), QStringLiteral("mic-1/node-1"));
        QCOMPARE(node->childCount(), 1);
        console.shot("topology");
        cluster.tell(control::TaskEnded{TaskId("gpt-text-1"), control::Outcome::succeeded, {}});
        Q_EMIT cluster.dataChanged();
        QCOMPARE(node->childCount(), 0);
    }

    void silent_node_is_marked_and_report_ages_differ_by_node() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        console.show_dock("Nodes");
        cluster.play();
        auto* tree = console.find<QTreeWidget>("topologyTree");
        QTreeWidgetItem *node = tree->topLevelItem(0)->child(0), *idle = tree->topLevelItem(1)->child(0);
        QVERIFY2(node->text(1).contains(QStringLiteral("ready")), qPrintable(node->text(1)));
        QVERIFY(node->text(6) != idle->text(6));  // unknown for an idle node
        for (client::LoadSample& sample : cluster.cluster.loads.begin()->second)
            sample.time -= std::chrono::seconds(16);
        Q_EMIT cluster.dataChanged();
        QVERIFY2(node->text(1).contains(QStringLiteral("silent")), qPrintable(node->text(1)));
        QVERIFY2(node->text(6).contains(QStringLiteral("s ago")), qPrintable(node->text(6)));
        QVERIFY(node->child(0)->text(1).contains(QStringLiteral("silent")));
        QVERIFY(idle->text(1).contains(QStringLiteral("ready")));
        console.shot("nodes-silent");
        // A node that reports its machine counts as present, even if no instance runs there or makes progress.
        control::NodeMachine there = warm_node();
        cluster.report(there);
        there.node = NodeId("mic-2/node-1");
        cluster.report(there, std::chrono::steady_clock::now() - std::chrono::seconds(3));
        QVERIFY(!idle->text(6).contains(QStringLiteral("ago")) && !idle->toolTip(6).isEmpty());
        Q_EMIT cluster.dataChanged();
        QVERIFY2(idle->text(6).contains(QStringLiteral("s ago")), qPrintable(idle->text(6)));
        QVERIFY(idle->toolTip(6).isEmpty());
        QVERIFY2(node->text(1).contains(QStringLiteral("ready")), qPrintable(node->text(1)));
        QVERIFY(node->child(0)->text(1).contains(QStringLiteral("silent")));
    }

    void log_follows_the_language_of_the_window() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        console.show_dock("Logs");
        cluster.play();
        auto* table = console.find<panels::RowTable>("logTable");
        QCOMPARE(table->text(0, panels::LogTable::source), QStringLiteral("cluster started"));
        const int rows = table->shown();
        console.action("chinese")->trigger();
        QCoreApplication::processEvents();
        QCOMPARE(table->shown(), rows);
        QCOMPARE(table->text(0, panels::LogTable::source), QStringLiteral("\u96c6\u7fa4\u5df2\u542f\u52a8"));
        console.shot("log-chinese");
    }

    void logs_follow_and_filter() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        console.show_dock("Logs");
        cluster.play();
        auto* table = console.find<panels::RowTable>("logTable");
        QVERIFY(table->shown() >= 6);
        const int before = table->shown();
        cluster.tell(control::Noted{Severity::info, "orchestrator", "", "a needle"});
        Q_EMIT cluster.dataChanged();
        QCOMPARE(table->shown(), before + 1);
        auto* filter = console.find<QLineEdit>("logFilter");
        const auto shown = [&] { return table->shown(); };
        QTest::mouseClick(filter, Qt::LeftButton);
        QTest::keyClicks(filter, QStringLiteral("NEEDLE"));
        QCOMPARE(shown(), 1);
        cluster.tell(control::Noted{Severity::info, "orchestrator", "", "hay"});
        cluster.tell(control::Noted{Severity::info, "orchestrator", "", "another needle"});
        Q_EMIT cluster.dataChanged();
        QCOMPARE(shown(), 2);
        QTest::keyClick(filter, Qt::Key_A, Qt::ControlModifier);
        QTest::keyClick(filter, Qt::Key_Delete);
        QCOMPARE(shown(), before + 3);
    }

    void time_cursor_pauses_and_plays_while_the_cluster_runs() {
        testing::ConnectedConsole shown;
        shown.cluster.play();
        shown.console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
        shown.console.show_dock("Telemetry");
        const auto& busy = shown.console.find<charts::TelemetryView>("telemetry")->grid().busy();
        auto* sign = shown.console.find<QToolButton>("momentSign");
        model::TimeCursor& cursor = shown.console.window->context().cursor;
        const auto take = [&](const char* name) { sign->menu()->findChild<QAction*>(QLatin1String(name))->trigger(); };
        QVERIFY(cursor.live() && sign->isVisible());
        QVERIFY2(sign->text().contains(QStringLiteral("Live")), qPrintable(sign->text()));
        auto *pause = shown.console.find<QToolButton>("momentPause"),
             *now = shown.console.find<QToolButton>("momentNow");
        QVERIFY(pause->isVisible() && !now->isEnabled());
        QTest::mouseClick(pause, Qt::LeftButton);
        QCOMPARE(cursor.mode(), model::TimeCursor::Mode::paused);
        QTest::mouseClick(now, Qt::LeftButton);
        QVERIFY(cursor.live());
        QTest::keyClick(shown.console.window.get(), Qt::Key_Space, Qt::ControlModifier);
        QCOMPARE(cursor.mode(), model::TimeCursor::Mode::paused);
        QVERIFY(sign->isVisible());
        QVERIFY2(sign->text().contains(QStringLiteral("paused")), qPrintable(sign->text()));
        QVERIFY2(sign->toolTip().contains(QStringLiteral("task graph show this moment")), qPrintable(sign->toolTip()));
        QVERIFY(busy.cursor());  // the charts show the cursor
        shown.console.shot("paused");
        const TimePoint at = cursor.at();
        take("momentBack");
        QCOMPARE(at - cursor.at(), Duration(std::chrono::seconds(10)));
        for (QAction* speed : sign->menu()->findChildren<QAction*>(QStringLiteral("momentSpeed")))
            if (speed->data().toDouble() == 4) speed->trigger();
        QCOMPARE(cursor.mode(), model::TimeCursor::Mode::playing);
        QCOMPARE(cursor.speed(), 4.0);
        QTRY_VERIFY(at - cursor.at() < std::chrono::seconds(10));
        QVERIFY2(sign->text().contains(QStringLiteral("\u00d74")), qPrintable(sign->text()));
        take("momentToggle");
        QCOMPARE(cursor.mode(), model::TimeCursor::Mode::paused);
        QTest::keyClick(shown.console.window.get(), Qt::Key_L, Qt::ControlModifier);
        QVERIFY(cursor.live() && !sign->text().contains(QStringLiteral("paused")));
    }

    void lost_connection_shows_the_seconds_until_the_next_attempt() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        cluster.state.connection = client::Connection::waiting;
        cluster.state.retry_at = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        Q_EMIT cluster.statusChanged();
        const auto* label = console.find<QAbstractButton>("connectionState");
        QVERIFY2(label->text().contains(QStringLiteral("30")), qPrintable(label->text()));
    }

    void run_submits_the_task_form_and_the_cuts() {
        testing::ConnectedConsole shown;
        QSignalSpy loaded(&shown.console.window->context().opener.loader(), &model::ModelLoader::loaded);
        shown.console.window->open_model(shown.console.window->context().draft.wanted_model());
        QVERIFY(loaded.wait(10000));
        QVERIFY(shown.console.document().split_equally(2).ok());
        QVERIFY(shown.console.action("run")->isEnabled());
        shown.console.action("run")->trigger();
        QVERIFY(shown.cluster.last<client::SubmitText>().text.contains(
            QString::fromStdString(shown.console.document().cut_names()[0])));
        Q_EMIT shown.cluster.submitted(QStringLiteral("gpt-text-1"));
        shown.cluster.play();  // the reply may arrive before the events
        QVERIFY(shown.console.action("stop")->isEnabled());
        shown.console.shot("run");
    }
};

DIVISI_WINDOW_TEST(LiveTest)

}  // namespace live_test

#include "live_test.moc"
