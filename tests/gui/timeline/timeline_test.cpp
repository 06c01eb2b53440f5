// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the timeline of a plan: predicted lanes, sums of a range, a measured trace beside the prediction, and export.
#include <QClipboard>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QDir>
#include <QFileDialog>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPushButton>
#include <QRegularExpression>
#include <QTableWidget>
#include <QWheelEvent>
#include <cmath>

#include "app/shell/docks/workbench.h"
#include "app/timeline/timeline_view.h"
#include "tests/gui/console.h"
#include "tests/gui/headers.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"

namespace timeline_test {

using namespace divisi;
using testing::ScriptedClient;

namespace {

testing::TaskFile gpt_task(int stages = 2) {
    return testing::TaskFile("two-stages")
        .gpt(4, 64, 4, 32)
        .set("data.samples", 256)
        .section("train", {{"steps", 60}, {"microbatches", 4}})
        .set("split.stages", stages);
}

constexpr const char* trace_head =
    "unit,operation,step,microbatch,ready,arrived,begin,end,worked,thread_cpu,process_cpu\n";

/// A fixture with a window that shows a task of two stages, and the timeline of its simulated plan.
struct TimelineConsole {
    ScriptedClient cluster;
    testing::Console console{&cluster};
    timeline::TimelineView& view = *console.find<timeline::TimelineView>("timeline");
    QTableWidget& table = *console.find<QTableWidget>("timelineTable");

    bool play() {
        const QString file = console.write("gpt.toml", gpt_task());
        if (!console.loads([&] { console.window->open_path(file); })) return false;
        if (!QTest::qWaitFor([&] { return console.cuts().size() == 1; }, 60000)) return false;
        console.show_dock("Timeline");
        return QTest::qWaitFor([&] { return table.rowCount() > 0; }, 60000);
    }
    /// A running task, its first instance, and a unit of that instance.
    struct {
        TaskId task{"two-stages-1"};
        InstanceId instance{"two-stages-1/stage-0/0"};
        Sid unit{"two-stages-1/stage-0/forward/0"};
    } running;
    /// Runs the stages of a task with this file on separate machines.
    void run_task(const testing::TaskFile& file = gpt_task(), int stages = 2) {
        const auto& [task, instance, unit] = running;
        cluster.connect_to(QStringLiteral("lab"));
        cluster.tell(control::ClusterStarted{"lab", "0.1.0"});
        for (const char* name : {"mic-1/node-1", "mic-2/node-1"}) {
            control::NodeInfo node;
            node.id = NodeId(name);
            node.mic = MicId(std::string(name).substr(0, 5));
            node.host = name;
            node.devices = {{"cpu", "x86_64", 4, Bytes{8} << 30}};
            cluster.tell(control::NodeJoined{node});
        }
        cluster.tell(control::TaskSubmitted{task, "two-stages", file.text(), "/", "", {}, "operator", 0});
        cluster.tell(control::TaskPlanned{
            task, 1, {}, 60, 8, "zoo:gpt", "00", {{unit, "forward", instance, {}, control::UnitState::running}}});
        for (int stage = 0; stage < stages; ++stage) {
            const std::string sid = "two-stages-1/stage-" + std::to_string(stage) + "/0";
            cluster.tell(control::InstancePlaced{task, InstanceId(sid), Sid(sid),
                                                 NodeId(stage % 2 == 0 ? "mic-1/node-1" : "mic-2/node-1"), stage});
        }
    }
    void follow_task() {
        Q_EMIT cluster.dataChanged();
        console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
    }
    /// Re-cuts the task to a plan of two stages.
    void recut_task() {
        const auto& [task, instance, unit] = running;
        cluster.tell(control::TaskPlanned{
            task, 2, {}, 60, 8, "zoo:gpt", "01", {{unit, "forward", instance, {}, control::UnitState::running}}});
        control::TaskRecut recut;
        recut.task = task;
        recut.generation = 2;
        recut.step = 20;
        recut.text = gpt_task().text();
        recut.origins = {{NodeId("mic-1/node-1"), {0}}, {NodeId("mic-2/node-1"), {1}}};
        cluster.tell(recut);
        Q_EMIT cluster.dataChanged();
    }
    /// Reports a step with one micro-batch from both stages, starting at `begin`. The forward takes `forward` and
    /// starts 2 ms later on the second stage; each backward takes 5 ms.
    void measure(std::int64_t step, TimePoint begin, Duration forward) {
        using plan::OperationKind;
        using std::chrono::milliseconds;
        for (const int stage : {0, 1}) {
            control::SpanPush push;
            push.clock = "laptop";
            push.spans.task = running.task;
            push.spans.instance = InstanceId("two-stages-1/stage-" + std::to_string(stage) + "/0");
            push.spans.step = step;
            push.spans.begin = begin;
            const Duration first = stage * (forward + milliseconds(2)), made = 2 * forward + milliseconds(2);
            const Duration back = made + (1 - stage) * milliseconds(5);
            push.spans.spans = {{stage, OperationKind::forward, 0, first, forward},
                                {stage, OperationKind::backward, 0, back, milliseconds(5)}};
            push.spans.length = back + milliseconds(5);
            cluster.measure(push);
        }
        Q_EMIT cluster.dataChanged();
    }
    timeline::TimelineCanvas& canvas() { return view.canvas(); }
    /// Opens a trace and waits until it is shown.
    bool open(const QString& folder) {
        view.open_trace(folder);
        return QTest::qWaitFor([&] { return title().contains(QStringLiteral("(trace)")); }, 20'000);
    }
    QString notice() { return console.find<QLabel>("timelineProblem")->text(); }
    QString title() { return console.find<QLabel>("timelineTitle")->text(); }
    QString cell(int row, const char* column) {
        for (int i = 0; i < table.columnCount(); ++i)
            if (table.horizontalHeaderItem(i)->text() == QString::fromLatin1(column)) return table.item(row, i)->text();
        qFatal("the table has no column %s", column);
        return {};
    }
    void wheel(QPoint at, int notches) {
        QWheelEvent event(at, canvas().mapToGlobal(at), {}, {0, 120 * notches}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&canvas(), &event);
    }
    void drag(double from_ns, double to_ns) {
        const int y = *canvas().lane_at(0, 0);
        const QPoint from(static_cast<int>(canvas().pixel_of(from_ns)), y);
        const QPoint to(static_cast<int>(canvas().pixel_of(to_ns)), y);
        QTest::mousePress(&canvas(), Qt::LeftButton, {}, from);
        for (int i = 1; i <= 10; ++i) QTest::mouseMove(&canvas(), from + (to - from) * i / 10);
        QTest::mouseRelease(&canvas(), Qt::LeftButton, {}, to);
    }
    /// Writes a trace of two stages with two steps each, as instances do. Stage 1 waits 2 ms for a tensor that has
    /// already been made. `first` is the number of the first stage.
    QString trace(int first = 0) {
        const auto rows = [](int stage, int shift_ms) {
            QByteArray text = trace_head;
            for (int step = 3; step <= 4; ++step) {
                const auto row = [&](const char* kind, int from_ms, int to_ms) {
                    const long long base = 1000000LL * (20 * step + shift_ms);
                    text += QByteArray::number(stage) + ',' + kind + ',' + QByteArray::number(step) + ",0,0,0," +
                            QByteArray::number(base + from_ms * 1000000LL) + ',' +
                            QByteArray::number(base + to_ms * 1000000LL) + ",1,1,1\n";
                };
                row("forward", 0, 3);
                row("backward", stage == 0 ? 13 : 3, stage == 0 ? 18 : 8);
            }
            return text;
        };
        const QString folder = console.folder.filePath(QStringLiteral("trace"));
        QDir().mkpath(folder);
        for (const auto& [stage, shift] : {std::pair{first, 0}, {first + 1, 5}}) {
            QFile file(folder + QStringLiteral("/stage-%1.csv").arg(stage));
            if (!file.open(QIODevice::WriteOnly) || file.write(rows(stage, shift)) < 0) qFatal("no trace");
        }
        return folder;
    }
};

}  // namespace

class TimelineTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void timeline_without_a_model_shows_a_hint() {
        testing::Console console;
        console.show_dock("Timeline");
        const auto* title = console.find<QLabel>("timelineTitle");
        QVERIFY2(QTest::qWaitFor([&] { return title->text().contains(QStringLiteral("Open a model")); }, 10000),
                 qPrintable(title->text()));
        QVERIFY(!console.find<QPushButton>("exportTrace")->isEnabled());
        QVERIFY(!console.find<QWidget>("timelineCanvas")->isVisible());
    }

    void escape_clears_the_range_before_it_leaves_presenter_mode() {
        TimelineConsole at;
        QVERIFY(at.play());
        timeline::TimelineCanvas* canvas = &at.canvas();
        at.console.action("presenter")->trigger();
        at.console.show_dock("Timeline");
        QTRY_VERIFY(canvas->isVisible());
        canvas->setFocus();
        canvas->select(timeline::Range{1, 2});
        QTest::keyClick(canvas, Qt::Key_Escape);
        QVERIFY(testing::WindowParts::presenter(*at.console.window).on());
        QVERIFY(!canvas->selected());
        QTest::keyClick(canvas, Qt::Key_Escape);
        QVERIFY(!testing::WindowParts::presenter(*at.console.window).on());
    }

    void plan_on_screen_is_simulated_and_marked_as_predicted() {
        TimelineConsole at;
        QVERIFY(at.play());
        QVERIFY2(at.title().contains(QStringLiteral("Predicted by the simulator, not measured")),
                 qPrintable(at.title()));
        QCOMPARE(at.cell(0, "Instance"), QStringLiteral("Stage 1"));
        QCOMPARE(at.cell(1, "Instance"), QStringLiteral("Stage 2"));
        QCOMPARE(at.cell(at.table.rowCount() - 1, "Instance"), QStringLiteral("All stages"));
        for (const char* column : {"Forward", "Backward", "Optimizer", "Bubble"})
            QVERIFY2(at.cell(0, column).contains(QRegularExpression(QStringLiteral("[1-9]"))), column);
        QVERIFY(at.cell(0, "Computes (reported)").isEmpty());  // empty, since no task runs
        at.console.shot("timeline-predicted");
        const QString before = at.title();
        const std::int32_t cut = at.console.cuts().front();
        at.console.document().set_split({{cut > 3 ? cut - 3 : cut + 3}, {}}, QStringLiteral("Move"));
        QVERIFY(QTest::qWaitFor([&] { return at.title() != before && at.table.rowCount() > 0; }, 30000));
    }

    void sums_cover_the_selected_range() {
        TimelineConsole at;
        QVERIFY(at.play());
        const auto [from, to] = at.canvas().shown();
        const QString whole = at.cell(0, "Forward"), bubble = at.cell(0, "Bubble");
        at.drag(from + (to - from) * 0.1, from + (to - from) * 0.6);
        QVERIFY(at.canvas().selected());
        const auto [left, right] = *at.canvas().selected();
        QVERIFY(std::abs(left - from - (to - from) * 0.1) < (to - from) * 0.03);
        QVERIFY(std::abs(right - from - (to - from) * 0.6) < (to - from) * 0.03);
        QVERIFY(at.cell(0, "Forward") != whole);
        at.console.shot("timeline-selected");
        QTest::keyClick(&at.canvas(), Qt::Key_Escape);
        QVERIFY(!at.canvas().selected());
        QCOMPARE(at.cell(0, "Forward"), whole);
        QCOMPARE(at.cell(0, "Bubble"), bubble);
    }

    void the_wheel_zooms_at_the_pointer_and_0_shows_the_step() {
        TimelineConsole at;
        QVERIFY(at.play());
        const timeline::Range whole = at.canvas().shown();
        const double left = at.canvas().pixel_of(whole.first), right = at.canvas().pixel_of(whole.second);
        const QPoint point(static_cast<int>(left + (right - left) * 0.3), *at.canvas().lane_at(1, 0));
        const double there = whole.first + (point.x() - left) / (right - left) * (whole.second - whole.first);
        for (int i = 0; i < 10; ++i) at.wheel(point, 1);
        const auto [from, to] = at.canvas().shown();
        QVERIFY(to - from < (whole.second - whole.first) / 5);
        QVERIFY(std::abs(at.canvas().pixel_of(there) - point.x()) < 2);
        at.console.shot("timeline-zoomed");
        at.canvas().setFocus();
        QTest::keyClick(&at.canvas(), Qt::Key_Right);
        QVERIFY(at.canvas().shown().first > from);
        QTest::keyClick(&at.canvas(), Qt::Key_0);
        QCOMPARE(at.canvas().shown(), whole);
    }

    void measured_trace_is_shown_beside_the_prediction() {
        TimelineConsole at;
        QVERIFY(at.play());
        QVERIFY(!at.canvas().lane_at(0, 1));
        at.view.open_trace(at.console.folder.filePath(QStringLiteral("nothing")));
        QTRY_VERIFY2(at.notice().contains(QStringLiteral("no instance trace")), qPrintable(at.notice()));
        QTest::mouseClick(at.console.find<QPushButton>("openTrace"), Qt::LeftButton);
        auto* dialog = at.view.findChild<QFileDialog*>(QStringLiteral("traceDialog"));
        QVERIFY(dialog);
        Q_EMIT dialog->fileSelected(at.trace());
        dialog->close();
        QVERIFY2(at.notice().startsWith(QStringLiteral("Reading the trace")), qPrintable(at.notice()));
        QTRY_VERIFY2(at.title().contains(QStringLiteral("step 4 took")), qPrintable(at.title()));
        QVERIFY(!at.console.find<QLabel>("timelineProblem")->isVisible());
        QVERIFY(at.canvas().lane_at(0, 0) && at.canvas().lane_at(0, 1) && at.canvas().lane_at(1, 1));
        QVERIFY(*at.canvas().lane_at(0, 0) < *at.canvas().lane_at(0, 1));  // measured lanes are below predicted ones
        const QString forward = at.cell(0, "Forward");
        QVERIFY2(forward.contains(QChar(0x2192)) && forward.endsWith(QStringLiteral("\u2192 3\u202fms")),
                 qPrintable(forward));
        // Stage 2 receives its tensor 2 ms after stage 1 has made it.
        const QString wire = at.cell(1, "Wire");
        QVERIFY2(wire.endsWith(QStringLiteral("\u2192 2\u202fms")), qPrintable(wire));
        at.console.shot("timeline-measured");
        at.console.find<QSpinBox>("timelineStep")->setValue(3);
        QVERIFY2(at.title().contains(QStringLiteral("step 3 took")), qPrintable(at.title()));
    }

    void stages_are_sorted_by_measured_time() {
        TimelineConsole at;
        QVERIFY(at.play());
        QVERIFY(at.open(at.trace()));
        const auto instance = [&](int row) { return at.cell(row, "Instance"); };
        const int last = at.table.rowCount() - 1;
        at.table.selectRow(0);
        constexpr int idle = 7;
        testing::press_header(at.table, idle);  // sorts by idle time: 8 ms for the second stage, 10 for the first
        QCOMPARE(instance(0), QStringLiteral("Stage 2"));
        QCOMPARE(instance(1), QStringLiteral("Stage 1"));
        QCOMPARE(instance(last), QStringLiteral("All stages"));
        QCOMPARE(at.table.currentRow(), 1);  // the same stage as before the sorting
        at.console.shot("timeline-sorted");
        for (int i = 0; i < 2; ++i) testing::press_header(at.table, idle);
        QCOMPARE(instance(0), QStringLiteral("Stage 1"));
        QCOMPARE(at.table.currentRow(), 0);
    }

    void measurements_are_matched_to_the_predicted_stage() {
        TimelineConsole at;
        QVERIFY(at.play());
        QVERIFY(at.open(at.trace(1)));  // contains the second stage, and another one that the plan lacks
        const auto forward = [&](int row) { return at.cell(row, "Forward"); };
        QCOMPARE(at.cell(0, "Instance"), QStringLiteral("Stage 1"));
        QVERIFY2(forward(0).endsWith(QStringLiteral("\u2192 \u2013")), qPrintable(forward(0)));
        QCOMPARE(at.cell(1, "Instance"), QStringLiteral("Stage 2"));
        QVERIFY2(forward(1).endsWith(QStringLiteral("\u2192 3\u202fms")), qPrintable(forward(1)));
        QVERIFY2(!forward(1).startsWith(QChar(0x2013)), qPrintable(forward(1)));
        QCOMPARE(at.cell(2, "Instance"), QStringLiteral("Stage 3"));
        QCOMPARE(forward(2), QStringLiteral("\u2013 \u2192 3\u202fms"));
        QVERIFY(at.cell(2, "Bubble").startsWith(QStringLiteral("\u2013 \u2192 ")));
    }

    void timeline_is_exported_as_a_chrome_trace() {
        TimelineConsole at;
        QVERIFY(at.play());
        const QString path = at.console.folder.filePath(QStringLiteral("trace.json"));
        QTest::mouseClick(at.console.find<QPushButton>("exportTrace"), Qt::LeftButton);
        auto* dialog = at.view.findChild<QFileDialog*>(QStringLiteral("traceExport"));
        QVERIFY(dialog);
        Q_EMIT dialog->fileSelected(path);
        dialog->close();
        QTRY_VERIFY2(at.notice().endsWith(QStringLiteral("was written. Open it in Perfetto.")),
                     qPrintable(at.notice()));
        QVERIFY(at.console.find<QPushButton>("exportTrace")->isEnabled());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonArray events =
            QJsonDocument::fromJson(file.readAll()).object()[QStringLiteral("traceEvents")].toArray();
        int complete = 0;
        for (const QJsonValue& event : events) complete += event[QStringLiteral("ph")] == QStringLiteral("X");
        QVERIFY(complete > 2 * 2 * 4);  // a forward and a backward for each micro-batch and stage
    }

    void a_followed_task_shows_what_its_instances_report() {
        TimelineConsole at;
        QVERIFY(at.play());
        at.run_task();
        const auto& [task, instance, unit] = at.running;
        for (int step = 3; step <= 6; ++step) {
            control::InstanceLoad load;
            load.instance = instance;
            load.step = step;
            load.busy_share = 0.75;
            load.wait_share = 0.25;
            load.bytes_sent = 1024 * step;
            at.cluster.report(load);
        }
        Q_EMIT at.cluster.dataChanged();
        at.console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
        QCOMPARE(at.console.find<QComboBox>("timelineWhose")->currentIndex(), 1);
        QVERIFY(QTest::qWaitFor([&] { return at.table.rowCount() > 0 && !at.cell(0, "Computes (reported)").isEmpty(); },
                                60000));
        QVERIFY2(at.cell(0, "Computes (reported)").startsWith(QStringLiteral("75")),
                 qPrintable(at.cell(0, "Computes (reported)")));
        QVERIFY(at.cell(0, "Waits (reported)").startsWith(QStringLiteral("25")));
        QVERIFY(at.cell(0, "Sends a step (reported)").startsWith(QStringLiteral("1")));
        QVERIFY(at.cell(1, "Computes (reported)").isEmpty());
        at.console.shot("timeline-task");
        model::Selection& selection = at.console.window->context().selection;
        selection.select(model::Selected::of_unit(unit));
        QVERIFY(at.canvas().marked() == 0);
        selection.select(model::Selected::of_instance(InstanceId("two-stages-1/stage-1/0"), task));
        QVERIFY(at.canvas().marked() == 1);
        selection.select(model::Selected::of_device("sr-77"));
        QVERIFY(!at.canvas().marked());
    }

    /// No spans are requested while another task's plan or a trace is shown.
    void a_running_task_shows_what_its_instances_measure() {
        using std::chrono::milliseconds, std::chrono::seconds;
        TimelineConsole at;
        QVERIFY(at.play());
        at.run_task();
        Q_EMIT at.cluster.dataChanged();
        QVERIFY(at.cluster.all<control::WatchSpans>().empty());
        at.console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
        QVERIFY(QTest::qWaitFor([&] { return !at.cluster.all<control::WatchSpans>().empty(); }, 10000));
        QCOMPARE(at.cluster.all<control::WatchSpans>().front().task, at.running.task);
        QVERIFY(QTest::qWaitFor([&] { return at.canvas().lane_at(0, 0).has_value(); }, 60000));
        QVERIFY(!at.canvas().lane_at(0, 1));
        QVERIFY2(at.title().contains(QStringLiteral("no step has been measured yet")), qPrintable(at.title()));
        const TimePoint begin = at.console.window->context().cursor.now() - seconds(20);
        at.measure(16, begin, milliseconds(3));
        QVERIFY(at.canvas().lane_at(0, 1) && at.canvas().lane_at(1, 1));
        QVERIFY2(at.title().contains(QStringLiteral("while it runs: step 16 took 18\u202fms")), qPrintable(at.title()));
        const QString forward = at.cell(0, "Forward"), wire = at.cell(1, "Wire");
        QVERIFY2(forward.endsWith(QStringLiteral("\u2192 3\u202fms")), qPrintable(forward));
        QVERIFY2(wire.endsWith(QStringLiteral("\u2192 2\u202fms")), qPrintable(wire));
        QVERIFY(at.cell(0, "Bubble").contains(QChar(0x2192)));
        at.console.shot("timeline-live");
        at.measure(32, begin + seconds(2), milliseconds(4));
        QVERIFY2(at.title().contains(QStringLiteral("step 32 took")), qPrintable(at.title()));
        // The sums of a range cover both prediction and measurement.
        const auto [from, to] = at.canvas().shown();
        at.drag(from, from + (to - from) * 0.5);
        QVERIFY(at.cell(0, "Forward").contains(QChar(0x2192)));
        QTest::keyClick(&at.canvas(), Qt::Key_Escape);
        // The time cursor selects the step that is shown.
        at.console.window->context().cursor.set(begin + seconds(1));
        QVERIFY2(at.title().contains(QStringLiteral("step 16 took")), qPrintable(at.title()));
        at.console.window->context().cursor.go_live();
        QVERIFY2(at.title().contains(QStringLiteral("step 32 took")), qPrintable(at.title()));
        // A trace replaces the measured steps until it is closed.
        QVERIFY(at.open(at.trace()));
        QVERIFY2(at.title().contains(QStringLiteral("(trace): step 4 took")), qPrintable(at.title()));
        at.cluster.forget<control::WatchSpans>();
        QTest::qWait(2500);
        QVERIFY(at.cluster.all<control::WatchSpans>().empty());
        auto* live = at.console.find<QPushButton>("closeTrace");
        QVERIFY(live->isVisible());
        QTest::mouseClick(live, Qt::LeftButton);
        QVERIFY2(at.title().contains(QStringLiteral("step 32 took")), qPrintable(at.title()));
        QVERIFY(!live->isVisible());
        QVERIFY(!at.cluster.all<control::WatchSpans>().empty());
    }

    /// Stages that were removed by a re-cut are remembered, but do not belong to the plan.
    void plan_after_a_recut_is_simulated() {
        TimelineConsole at;
        at.console.show_dock("Timeline");
        at.run_task(gpt_task(3), 3);
        at.follow_task();
        QVERIFY2(QTest::qWaitFor([&] { return at.canvas().lane_at(2, 0).has_value(); }, 60000), qPrintable(at.title()));
        at.recut_task();
        const auto of_two = [&] { return at.canvas().lane_at(1, 0) && !at.canvas().lane_at(2, 0); };
        QVERIFY2(
            QTest::qWaitFor([&] { return of_two() && at.title().contains(QStringLiteral("Predicted by")); }, 60000),
            qPrintable(at.title()));
        at.console.show_dock("Plans");  // prediction and measurement for each stage
        const auto* stages = at.console.find<QTableWidget>("runTable");
        const auto two_rows = [&] { return stages->isVisible() && stages->rowCount() == 2; };
        QVERIFY2(QTest::qWaitFor(two_rows, 60000), qPrintable(at.console.find<QLabel>("runTitle")->text()));
    }

    void step_before_a_recut_is_marked() {
        using std::chrono::milliseconds, std::chrono::seconds;
        TimelineConsole at;
        at.console.show_dock("Timeline");
        at.run_task();
        at.follow_task();
        QVERIFY2(QTest::qWaitFor([&] { return at.canvas().lane_at(1, 0).has_value(); }, 60000), qPrintable(at.title()));
        at.measure(16, at.console.window->context().cursor.now() - seconds(20), milliseconds(3));
        QTRY_VERIFY2(at.cell(1, "Wire").endsWith(QStringLiteral("\u2192 2\u202fms")), qPrintable(at.cell(1, "Wire")));
        QVERIFY(!at.title().contains(QStringLiteral("not split")));
        at.recut_task();  // to the same number of stages
        const auto said = [&] {
            return at.title().contains(QStringLiteral("in generation 1, before the re-cut")) &&
                   at.title().contains(QStringLiteral("Predicted by"));
        };
        QVERIFY2(QTest::qWaitFor(said, 60000), qPrintable(at.title()));
        const QString wire = at.cell(1, "Wire");
        QVERIFY2(wire.endsWith(QStringLiteral("\u2192 \u2013")), qPrintable(wire));
        QVERIFY2(at.title().contains(QStringLiteral("not split into wire and idle")), qPrintable(at.title()));
    }

    void without_a_plan_wait_times_are_not_broken_down() {
        using std::chrono::milliseconds, std::chrono::seconds;
        TimelineConsole at;
        at.console.show_dock("Timeline");
        at.run_task(testing::TaskFile()
                        .replace("model", {{"onnx", "/not/there.onnx"}})
                        .drop_section("data")
                        .drop_section("train"));
        at.follow_task();
        at.measure(16, at.console.window->context().cursor.now() - seconds(20), milliseconds(3));
        QTRY_VERIFY(at.table.rowCount() > 0);
        QCOMPARE(at.cell(1, "Wire"), QStringLiteral("\u2013"));
        QCOMPARE(at.cell(at.table.rowCount() - 1, "Wire"), QStringLiteral("\u2013"));
        QCOMPARE(at.cell(1, "Forward"), QStringLiteral("3\u202fms"));
        QVERIFY2(at.title().contains(QStringLiteral("not split into wire and idle")), qPrintable(at.title()));
    }

    void sums_of_a_row_add_up_to_the_range() {
        TimelineConsole at;
        QVERIFY(at.play());
        const QString folder = at.trace();
        QFile more(folder + QStringLiteral("/more.csv"));
        QVERIFY(more.open(QIODevice::WriteOnly));
        more.write(trace_head);
        more.write("-1,load,4,0,0,0,80000000,84000000,1,1,1\n1,evaluate,4,0,0,0,93000000,96000000,1,1,1\n");
        more.close();
        QVERIFY(at.open(folder));
        QVERIFY2(at.title().contains(QStringLiteral("step 4 took 20\u202fms")), qPrintable(at.title()));
        QCOMPARE(at.cell(2, "Instance"), QStringLiteral("Data"));
        QVERIFY2(at.cell(2, "Data, evaluation").endsWith(QStringLiteral("\u2192 4\u202fms")),
                 qPrintable(at.cell(2, "Data, evaluation")));
        for (const char* column : {"Forward", "Optimizer", "Wire", "Idle", "Bubble"})
            QCOMPARE(at.cell(2, column), QStringLiteral("\u2013"));
        for (const auto& [column, ms] : {std::pair{"Forward", 3},
                                         {"Backward", 5},
                                         {"Data, evaluation", 3},
                                         {"Wire", 2},
                                         {"Idle", 7}}) {  // 20 ms in total
            const QString cell = at.cell(1, column);
            QVERIFY2(cell.endsWith(QStringLiteral("\u2192 %1\u202fms").arg(ms)), qPrintable(cell));
        }
    }

    void task_without_a_plan_shows_the_reason() {
        TimelineConsole at;
        at.console.show_dock("Timeline");
        at.cluster.connect_to(QStringLiteral("lab"));
        at.cluster.tell(control::ClusterStarted{"lab", "0.1.0"});
        const TaskId& task = at.running.task;
        at.cluster.tell(control::TaskSubmitted{task, "two-stages", gpt_task().text(), "/", "", {}, "operator", 0});
        at.follow_task();
        QTRY_VERIFY2(at.title().contains(QStringLiteral("waits in the queue")), qPrintable(at.title()));
        at.cluster.tell(control::TaskHeld{task, true});
        Q_EMIT at.cluster.dataChanged();
        QTRY_VERIFY2(at.title().contains(QStringLiteral("Use Release in Tasks to start it")), qPrintable(at.title()));
        at.cluster.tell(control::TaskEnded{task, control::Outcome::failed,
                                           Error{ErrorCode::not_found, "no node has a GPU", "place", ""}});
        Q_EMIT at.cluster.dataChanged();
        QTRY_VERIFY2(at.title().contains(QStringLiteral("failed before it had a plan: place: no node has a GPU")),
                     qPrintable(at.title()));
        QVERIFY2(at.title().contains(QStringLiteral("run it again")), qPrintable(at.title()));
        at.console.action("chinese")->trigger();
        QCoreApplication::processEvents();
        Q_EMIT at.cluster.dataChanged();
        QTRY_VERIFY2(at.title().contains(QStringLiteral("\u201cplace: no node has a GPU\u201d")),
                     qPrintable(at.title()));
        at.console.action("english")->trigger();
    }

    void hidden_timeline_computes_no_sums() {
        TimelineConsole at;
        QVERIFY(at.play());
        at.run_task();
        at.follow_task();
        const auto played = [&] {
            return at.table.rowCount() > 0 && at.title().contains(QStringLiteral("Predicted by"));
        };
        QVERIFY2(QTest::qWaitFor(played, 60000), qPrintable(at.title()));
        at.console.show_dock("Telemetry");
        QTRY_VERIFY(at.view.visibleRegion().isEmpty());
        at.table.setRowCount(0);
        Q_EMIT at.cluster.dataChanged();
        QCOMPARE(at.table.rowCount(), 0);
        at.console.show_dock("Timeline");
        QTRY_VERIFY(at.table.rowCount() > 0);
    }

    void a_selected_step_is_shown_while_the_task_runs() {
        using std::chrono::milliseconds, std::chrono::seconds;
        TimelineConsole at;
        at.console.show_dock("Timeline");
        at.run_task();
        at.follow_task();
        const TimePoint begin = at.console.window->context().cursor.now() - seconds(20);
        for (const int step : {16, 32}) at.measure(step, begin + seconds(step / 16), milliseconds(3));
        QTRY_VERIFY2(at.title().contains(QStringLiteral("step 32 took")), qPrintable(at.title()));
        model::Selection& selection = at.console.window->context().selection;
        auto* box = at.console.find<QSpinBox>("timelineStep");
        auto* live = at.console.find<QPushButton>("closeTrace");
        QVERIFY(box->isVisible() && !live->isVisible());
        QCOMPARE(box->value(), 32);
        selection.select(model::Selected::of_step(at.running.task, 16));
        QVERIFY2(at.title().contains(QStringLiteral("step 16 took")), qPrintable(at.title()));
        QCOMPARE(box->value(), 16);
        at.measure(48, begin + seconds(3), milliseconds(3));
        QVERIFY2(at.title().contains(QStringLiteral("step 16 took")), qPrintable(at.title()));
        box->stepUp();  // to the next measured step
        QVERIFY2(at.title().contains(QStringLiteral("step 32 took")), qPrintable(at.title()));
        QCOMPARE(selection.current(), model::Selected::of_step(at.running.task, 32));
        selection.select(model::Selected::of_step(at.running.task, 33));
        QVERIFY2(at.title().contains(QStringLiteral("step 33 was not measured")), qPrintable(at.title()));
        QVERIFY(live->isVisible());
        QTest::mouseClick(live, Qt::LeftButton);
        QVERIFY2(!at.title().contains(QStringLiteral("was not measured")), qPrintable(at.title()));
        QVERIFY2(at.title().contains(QStringLiteral("step 48 took")), qPrintable(at.title()));
        QVERIFY(!live->isVisible());
    }

    void keys_choose_a_range() {
        TimelineConsole at;
        QVERIFY(at.play());
        const auto [from, to] = at.canvas().shown();
        const double step = (to - from) / 20;
        const auto press = [&](Qt::Key key) { QTest::keyClick(&at.canvas(), key, Qt::ShiftModifier); };
        const QString whole = at.cell(0, "Forward");
        press(Qt::Key_Right);
        QVERIFY(at.cell(0, "Forward") != whole);
        for (int i = 0; i < 4; ++i) press(Qt::Key_Right);
        QVERIFY(at.canvas().selected());
        QCOMPARE(at.canvas().selected()->first, from);
        QVERIFY(std::abs(at.canvas().selected()->second - from - 5 * step) < step / 10);
        QCOMPARE(at.canvas().shown(), timeline::Range(from, to));  // the shown range has not moved
        for (int i = 0; i < 5; ++i) press(Qt::Key_Left);
        QVERIFY(!at.canvas().selected());
        QCOMPARE(at.cell(0, "Forward"), whole);
        const auto& keys = shell::Actions::view_keys();
        QVERIFY(std::ranges::any_of(keys, [](const shell::ViewKey& key) {
            return QString::fromLatin1(key.text).startsWith(QStringLiteral("In the timeline: select a range to sum"));
        }));
    }

    void a_menu_selects_copies_and_exports() {
        TimelineConsole at;
        at.console.show_dock("Timeline");
        at.run_task();
        at.follow_task();
        QVERIFY2(QTest::qWaitFor([&] { return at.canvas().lane_at(1, 0).has_value(); }, 60000), qPrintable(at.title()));
        const QPoint lane(static_cast<int>(at.canvas().pixel_of(at.canvas().shown().first)) + 20,
                          *at.canvas().lane_at(1, 0));
        const auto take = [&](const char* text) {
            QContextMenuEvent event(QContextMenuEvent::Mouse, lane, at.canvas().mapToGlobal(lane));
            QCoreApplication::sendEvent(&at.canvas(), &event);
            const QPointer<QMenu> menu = at.view.findChild<QMenu*>(QStringLiteral("timelineMenu"));
            if (!menu) return false;
            const QList<QAction*> actions = menu->actions();
            const auto found = std::ranges::find_if(
                actions, [&](const QAction* one) { return one->isVisible() && one->text() == QLatin1String(text); });
            const bool there = found != actions.end() && (*found)->isEnabled();
            if (there) (*found)->trigger();
            delete menu.data();
            return there;
        };
        QVERIFY(take("Select Stage 2"));
        QCOMPARE(at.console.window->context().selection.current(),
                 model::Selected::of_instance(InstanceId("two-stages-1/stage-1/0"), at.running.task));
        QVERIFY(take("Sum the visible range"));
        QVERIFY(at.canvas().selected() == at.canvas().shown());
        QVERIFY(take("Copy the sums"));
        QVERIFY2(QGuiApplication::clipboard()->text().startsWith(QStringLiteral("Instance\tForward\t")),
                 qPrintable(QGuiApplication::clipboard()->text()));
        QVERIFY(take("Export..."));
        auto* dialog = at.view.findChild<QFileDialog*>(QStringLiteral("traceExport"));
        QVERIFY(dialog);
        dialog->close();
        QVERIFY(take("Show the selection in Topology"));  // comes last, since it leaves the view
        QCOMPARE(at.console.window->workbench().workspace(), shell::Workspace::mesh);
    }

    void missing_measurements_of_a_step_are_named() {
        using std::chrono::milliseconds;
        TimelineConsole at;
        QVERIFY(at.play());
        at.run_task();
        Q_EMIT at.cluster.dataChanged();
        at.console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
        control::SpanPush push;
        push.clock = "laptop";
        push.replaced = 3;
        push.spans.task = at.running.task;
        push.spans.instance = at.running.instance;
        push.spans.step = 16;
        push.spans.spans = {{0, plan::OperationKind::forward, 0, {}, milliseconds(3)}};
        push.spans.length = milliseconds(3);
        push.spans.left_out = 12;
        at.cluster.measure(push);
        push.spans.instance = InstanceId("two-stages-1/stage-1/0");
        push.spans.spans[0].unit = 1;
        push.clock = "another";
        at.cluster.measure(push);
        Q_EMIT at.cluster.dataChanged();
        for (const char* part : {"clocks of 2 machines", "24 operations did not fit", "dropped in transit: 6"})
            QVERIFY2(at.title().contains(QString::fromLatin1(part)), qPrintable(at.title()));
    }
};

DIVISI_WINDOW_TEST(TimelineTest)

}  // namespace timeline_test

#include "timeline_test.moc"
