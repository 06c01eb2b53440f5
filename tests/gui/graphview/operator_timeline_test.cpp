// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the score view: operators as wide as their prices, and cuts that can be moved along them.
#include <QAccessible>
#include <QComboBox>
#include <QLabel>
#include <QPainter>
#include <QScrollBar>
#include <QTableWidget>
#include <QWheelEvent>
#include <algorithm>

#include "app/graphview/diagram/landscape_strip.h"
#include "app/model/wording/text.h"
#include "tests/gui/console.h"
#include "tests/support/cpu_time.h"
#include "tests/support/test_program.h"

namespace operator_timeline_test {

using namespace divisi;
using graphview::OperatorTimeline;
using graphview::TimelineAxis;
using graphview::TimelineMeasure;
using model::Cuts;

namespace {

testing::TaskFile gpt_task() {
    return testing::TaskFile("score")
        .gpt(4, 64, 2, 32)
        .replace("data", {{"kind", "text"}, {"path", "text.txt"}})
        .set("train.microbatches", 4);
}

struct ScoreConsole : testing::Console {
    OperatorTimeline& score() { return testing::WindowParts::operator_timeline(*window); }
    graphview::LandscapeStrip& strip() { return *find<graphview::LandscapeStrip>("landscape"); }
    QComboBox& measure() { return *find<QComboBox>("scoreMeasure"); }
    QString source() { return find<QLabel>("scoreSource")->text(); }

    /// Shows twenty operators in the score, with their FLOPs as widths.
    void show_score(Cuts cuts = {4}) {
        show_chain(std::move(cuts));
        measure().setCurrentIndex(static_cast<int>(TimelineMeasure::flops));
        QTest::keyClick(window.get(), Qt::Key_S);
        score().setFocus();
        QCoreApplication::processEvents();
    }
    /// Shows ten thousand consecutive operators in the score.
    void show_long_score() {
        const auto model = std::make_shared<const model::LoadedModel>(testing::residual(3334), model::ModelSource{});
        const auto legal = static_cast<std::int32_t>(model->cuts.legal.size());
        document().set_model(model, {legal / 4, legal / 2, legal * 3 / 4});
        wait_for_layout();
        measure().setCurrentIndex(static_cast<int>(TimelineMeasure::flops));
        QTest::keyClick(window.get(), Qt::Key_S);
        QCoreApplication::processEvents();
    }
    bool open_gpt() {
        return loads([&] { window->open_path(write("task.toml", gpt_task())); });
    }
    /// Waits until the shown split is priced.
    bool settle() {
        return QTest::qWaitFor(
            [&] {
                const auto& prices = window->context().prices.prices();
                return prices && prices->ok() && !window->context().prices.busy() && !window->context().pool.busy() &&
                       prices->cuts == document().cuts() && prices->landscape;
            },
            20'000);
    }
    void drag_score(std::size_t which, std::int32_t legal, bool release = true) {
        const QPoint from = score().cut_handle(which), to(score().snap_point(legal).x(), from.y());
        QTest::mousePress(&score(), Qt::LeftButton, {}, from);
        for (int i = 1; i <= 8; ++i) QTest::mouseMove(&score(), from + (to - from) * i / 8);
        if (release) QTest::mouseRelease(&score(), Qt::LeftButton, {}, to);
    }
    void wheel(QPointF at, QPoint angle, Qt::KeyboardModifiers modifiers = {}) {
        QWheelEvent event(at, score().mapToGlobal(at), {}, angle, Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&score(), &event);
    }
    QString told() { return QAccessible::queryAccessibleInterface(&score())->text(QAccessible::Description); }
};

/// Returns the median, over five rounds, of the 95th percentile of the times of `steps` steps, each including the frame
/// that shows it.
double p95_of_steps(OperatorTimeline& score, int steps, const std::function<void(int)>& step) {
    std::vector<double> rounds;
    for (int round = 0; round < 5; ++round) {
        std::vector<double> times;
        for (int i = 0; i < steps; ++i) {
            const double before = testing::thread_cpu_ms();
            step(round * steps + i);
            score.repaint();
            times.push_back(testing::thread_cpu_ms() - before);
        }
        std::sort(times.begin(), times.end());
        rounds.push_back(times[times.size() * 95 / 100]);
    }
    std::sort(rounds.begin(), rounds.end());
    return rounds[rounds.size() / 2];
}

}  // namespace

class OperatorTimelineTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cut_position_is_the_sum_of_the_prices_before_it();
    void cut_and_its_price_are_aligned();
    void stages_are_described_with_their_totals();
    void stage_head_names_the_time_of_one_micro_batch();
    void search_matches_are_marked();
    void merged_blocks_are_shown_as_unmeasured();
    void drag_moves_the_cut_as_in_the_graph();
    void escape_restores_the_cut();
    void impossible_drop_is_refused_in_advance();
    void cuts_do_not_pass_each_other();
    void keys_move_the_cut();
    void f_centres_the_cut_and_a_second_f_fits_the_view();
    void wheel_zooms_at_the_pointer_and_scrolls();
    void click_shows_the_operator();
    void cuts_are_added_at_the_selection_and_removed();
    void widths_follow_the_chosen_measure();
    void chosen_measure_is_kept();
    void little_height_hides_brackets_but_no_operator();
    void starting_to_paint_segments_shows_the_graph();
    void ten_thousand_operators_stay_smooth();
};

void OperatorTimelineTest::cut_position_is_the_sum_of_the_prices_before_it() {
    ScoreConsole console;
    QVERIFY(console.open_gpt());
    QTest::keyClick(console.window.get(), Qt::Key_S);
    QVERIFY(console.score().isVisible());
    QVERIFY(!console.view().isVisible());
    QVERIFY(console.action("score")->isChecked());
    const std::int32_t third = console.document().legal_count() / 3;
    QVERIFY(console.document().set_cuts({third, 2 * third}, QStringLiteral("cuts")));
    QVERIFY(console.settle());
    QTRY_COMPARE(console.score().measure(), TimelineMeasure::time);
    const std::vector<double>& ms = console.window->context().prices.prices()->times->ms;
    QCOMPARE(ms.size(), static_cast<std::size_t>(console.document().model()->node_count()));
    double total = 0, before = 0;
    for (std::size_t node = 0; node < ms.size(); ++node) {
        total += ms[node];
        if (static_cast<graph::NodeIndex>(node) <= console.document().position(third)) before += ms[node];
    }
    QVERIFY(before > 0 && before < total);
    const double room = console.score().width() - 2 * TimelineAxis::margin;
    const double expected = TimelineAxis::margin + room * before / total;
    QVERIFY2(qAbs(console.score().cut_handle(0).x() - expected) <= 1.5,
             qPrintable(QStringLiteral("%1 %2").arg(console.score().cut_handle(0).x()).arg(expected)));
    // The times of a stage's operators add up to the stage's work.
    QVERIFY(qAbs(before - console.window->context().prices.prices()->prediction.stages[0].work_ms) < 1e-6 * total);
    // No times were measured on this machine, and the view says so.
    QVERIFY2(console.source().contains(QStringLiteral("unmeasured")), qPrintable(console.source()));
    console.shot("score");
    console.action("dark")->trigger();
    console.shot("score-light");
    console.action("dark")->trigger();
}

void OperatorTimelineTest::cut_and_its_price_are_aligned() {
    ScoreConsole console;
    QVERIFY(console.open_gpt());
    QTest::keyClick(console.window.get(), Qt::Key_S);
    const std::int32_t half = console.document().legal_count() / 2;
    QVERIFY(console.document().set_cuts({half}, QStringLiteral("cuts")));
    QVERIFY(console.settle());
    const auto same = [&](std::int32_t legal) {
        const int above = console.score().mapTo(console.window.get(), console.score().snap_point(legal)).x();
        const int below = console.strip().mapTo(console.window.get(), console.strip().point_of(legal)).x();
        return qAbs(above - below) <= 1;
    };
    for (const std::int32_t legal : {0, half / 2, half, 2 * half - 1}) QVERIFY(same(legal));
    console.wheel(QPointF(console.score().cut_handle(0)), {0, 360});
    QVERIFY(same(half));
    // A press at a position moves the cut there.
    const QPoint at = console.strip().point_of(half + 1);
    const std::int32_t there = console.score().legal_at(at.x());
    QTest::mouseClick(&console.strip(), Qt::LeftButton, {}, at);
    QCOMPARE(console.cuts(), Cuts{there});
    // Under the graph, the strip has its own axis again.
    QTest::keyClick(console.window.get(), Qt::Key_S);
    QVERIFY(console.view().isVisible());
    QVERIFY(console.settle());
    QVERIFY(console.strip().point_of(console.document().legal_count() - 1).x() <= console.strip().width());
    QVERIFY(console.strip().point_of(0).x() >= 0);
}

void OperatorTimelineTest::stages_are_described_with_their_totals() {
    ScoreConsole console;
    console.show_score({4, 9});
    QCOMPARE(QAccessible::queryAccessibleInterface(&console.score())->text(QAccessible::Name),
             QStringLiteral("Model score"));
    const auto segments = console.document().segments();
    for (std::size_t i = 0; i < segments.size(); ++i) {
        const QString share = model::percent(segments[i].share);
        QVERIFY2(console.told().contains(QStringLiteral("Segment %1:").arg(i + 1)), qPrintable(console.told()));
        QVERIFY2(console.told().contains(share), qPrintable(console.told()));
    }
    const QString name = QString::fromStdString(console.document().cut_names()[1]);
    QVERIFY2(console.told().contains(QStringLiteral("cut 2 after ") + name), qPrintable(console.told()));
}

/// The view Split shows the time of a whole step for the same segment.
void OperatorTimelineTest::stage_head_names_the_time_of_one_micro_batch() {
    ScoreConsole console;
    QVERIFY(console.open_gpt());
    QTest::keyClick(console.window.get(), Qt::Key_S);
    QVERIFY(console.document().set_cuts({console.document().legal_count() / 2}, QStringLiteral("cuts")));
    QVERIFY(console.settle());
    QTRY_COMPARE(console.score().measure(), TimelineMeasure::time);
    const price::PredictedStage stage = console.window->context().prices.prices()->prediction.stages[0];
    const QString head = console.score().head_text(0);
    QVERIFY2(head.contains(model::ms_text(stage.work_ms) + QStringLiteral(" a micro-batch")), qPrintable(head));
    QVERIFY2(head.contains(QChar(0x2248)), qPrintable(head));  // not measured on this machine
    const auto* table = console.find<QTableWidget>("segmentTable");
    QTRY_COMPARE(table->item(0, 2)->text(), model::ms_text(stage.busy_ms));
    QVERIFY(stage.busy_ms > 2 * stage.work_ms);  // the time for four micro-batches
    QVERIFY(console.measure().currentText().contains(QStringLiteral("one micro-batch")));
}

void OperatorTimelineTest::search_matches_are_marked() {
    ScoreConsole console;
    console.show_score({4});
    const QColor accent = model::colours_of(console.score().palette()).accent;
    const auto above = [&](graph::NodeIndex node) {
        const QRect place = console.score().part(static_cast<int>(console.cuts().size()) + node).place;
        return console.score().grab().toImage().pixelColor(place.center().x(), place.top() - 2);
    };
    QVERIFY(above(7) != accent);
    console.view().matches().set({7}, true);
    QCOMPARE(above(7), accent);
    QVERIFY(above(12) != accent);
    console.view().matches().set({}, false);
    QVERIFY(above(7) != accent);
}

void OperatorTimelineTest::merged_blocks_are_shown_as_unmeasured() {
    ScoreConsole console;
    console.show_long_score();
    OperatorTimeline& score = console.score();
    const std::vector<graph::NodeIndex> no_matches;
    const auto painted = [&](const std::vector<bool>& measured) {
        const graphview::TimelineSheet sheet{
            console.document(), score.layout(), score.axis(),          TimelineMeasure::time,
            measured,           no_matches,     model::dark_colours(), QRectF(score.rect())};
        QImage image(score.size(), QImage::Format_RGB32);
        image.fill(Qt::black);
        QPainter painter(&image);
        graphview::TimelinePainter(sheet).paint_operators(painter, -1, -1);
        painter.end();
        return image;
    };
    const auto count = static_cast<std::size_t>(score.layout().count());
    // several operators in one pixel
    QVERIFY(score.axis().scale * score.layout().total() < static_cast<double>(count));
    const QImage known = painted(std::vector<bool>(count, true));
    QVERIFY(painted({}) == known);
    QVERIFY(painted(std::vector<bool>(count, false)) != known);
}

void OperatorTimelineTest::drag_moves_the_cut_as_in_the_graph() {
    ScoreConsole console;
    console.show_chain();
    console.drag(0, 6);
    const QString step = console.document().undo_stack().undoText();
    const std::string text = console.window->context().draft.text().toStdString();
    QTest::keyClick(console.window.get(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(console.cuts(), Cuts{4});

    console.show_score();
    console.drag_score(0, 6, false);
    QVERIFY(console.document().previewing());
    QCOMPARE(console.document().shown_cuts(), Cuts{6});
    QCOMPARE(console.cuts(), Cuts{4});
    QCOMPARE(console.score().cut_handle(0).x(), console.score().snap_point(6).x());
    QTest::mouseRelease(&console.score(), Qt::LeftButton, {}, console.score().snap_point(6));
    QCOMPARE(console.cuts(), Cuts{6});
    QCOMPARE(console.document().undo_stack().count(), 1);
    QCOMPARE(console.document().undo_stack().undoText(), step);
    QCOMPARE(console.window->context().draft.text().toStdString(), text);
    QTest::keyClick(console.window.get(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(console.cuts(), Cuts{4});
    QTest::keyClick(console.window.get(), Qt::Key_Y, Qt::ControlModifier);
    QCOMPARE(console.cuts(), Cuts{6});
}

void OperatorTimelineTest::escape_restores_the_cut() {
    ScoreConsole console;
    console.show_score();
    console.drag_score(0, 7, false);
    QTest::keyClick(&console.score(), Qt::Key_Escape);
    QVERIFY(!console.document().previewing());
    QTest::mouseMove(&console.score(), console.score().snap_point(2));
    QTest::mouseRelease(&console.score(), Qt::LeftButton, {}, console.score().snap_point(7));
    QCOMPARE(console.cuts(), Cuts{4});
    QCOMPARE(console.document().undo_stack().count(), 0);
}

void OperatorTimelineTest::impossible_drop_is_refused_in_advance() {
    ScoreConsole console;
    QVERIFY(console.open_gpt());
    QTest::keyClick(console.window.get(), Qt::Key_S);
    const auto layer = console.document().find_cuts({"/layers/0/Add"});
    QVERIFY(layer.ok());
    QVERIFY(console.document().set_cuts(*layer, QStringLiteral("cuts")));
    QVERIFY(console.settle());
    QTRY_COMPARE(console.score().measure(), TimelineMeasure::time);
    // Use devices that have exactly the memory that this plan needs.
    model::PriceBoard& board = console.window->context().prices;
    Bytes largest = 0;
    for (const price::PredictedStage& stage : board.prices()->prediction.stages)
        largest = std::max(largest, stage.memory);
    price::NodePool pool = price::default_pool();
    for (price::PlannedDevice& device : pool.nodes) device.memory = largest;
    board.set_pool(std::move(pool));
    QTRY_VERIFY_WITH_TIMEOUT(!board.refusal(0, 0).isEmpty(), 20'000);
    const Cuts before = console.cuts();
    const int steps = console.document().undo_stack().count();

    console.drag_score(0, 0, false);
    QVERIFY(console.document().previewing());
    QTRY_VERIFY_WITH_TIMEOUT(console.score().refusal().contains(QStringLiteral("stage")), 20'000);
    QCOMPARE(console.score().cursor().shape(), Qt::ForbiddenCursor);
    QVERIFY2(console.score().card_lines(0).front().contains(console.score().refusal()),
             qPrintable(console.score().card_lines(0).join(u'|')));
    console.shot("score-refused");
    QTest::mouseRelease(&console.score(), Qt::LeftButton, {}, console.score().snap_point(0));
    QCOMPARE(console.cuts(), before);
    QVERIFY(!console.document().previewing());
    QCOMPARE(console.document().undo_stack().count(), steps);
    QVERIFY2(console.find<QLabel>("hint")->text().contains(QStringLiteral("stays where it was")),
             qPrintable(console.find<QLabel>("hint")->text()));
    QVERIFY(console.score().refusal().isEmpty());
    QVERIFY(console.score().cursor().shape() != Qt::ForbiddenCursor);

    // The cut's original position is allowed, so dragging the cut back to it is not refused.
    console.drag_score(0, 0, false);
    QTRY_VERIFY_WITH_TIMEOUT(!console.score().refusal().isEmpty(), 20'000);
    QTest::mouseMove(&console.score(), console.score().snap_point(before[0]));
    QVERIFY(console.score().refusal().isEmpty());
    QCOMPARE(console.score().cursor().shape(), Qt::SizeHorCursor);
    QTest::keyClick(&console.score(), Qt::Key_Escape);
    QTest::mouseRelease(&console.score(), Qt::LeftButton, {}, console.score().snap_point(before[0]));
    QCOMPARE(console.cuts(), before);
}

void OperatorTimelineTest::cuts_do_not_pass_each_other() {
    ScoreConsole console;
    console.show_score({4, 8});
    console.drag_score(0, 12);
    QCOMPARE(console.cuts(), (Cuts{7, 8}));
}

void OperatorTimelineTest::keys_move_the_cut() {
    ScoreConsole console;
    console.show_score({2, 17});
    QTest::keyClick(&console.score(), Qt::Key_Tab);
    QCOMPARE(console.view().cut_focus().cut(), 0);
    QTest::keyClick(&console.score(), Qt::Key_Right);
    QCOMPARE(console.cuts(), (Cuts{3, 17}));
    QTest::keyClick(&console.score(), Qt::Key_Left);
    QCOMPARE(console.cuts(), (Cuts{2, 17}));
    QTest::keyClick(&console.score(), Qt::Key_Right, Qt::ShiftModifier);
    QCOMPARE(console.cuts(), (Cuts{12, 17}));
    QTest::keyClick(&console.score(), Qt::Key_Right, Qt::ShiftModifier);  // as far as the next cut allows
    QCOMPARE(console.cuts(), (Cuts{16, 17}));
    QCOMPARE(console.document().undo_stack().count(), 4);
    QTest::keyClick(&console.score(), Qt::Key_Tab);
    QCOMPARE(console.view().cut_focus().cut(), 1);
    QTest::keyClick(&console.score(), Qt::Key_Tab);
    QCOMPARE(console.view().cut_focus().cut(), -1);
}

void OperatorTimelineTest::f_centres_the_cut_and_a_second_f_fits_the_view() {
    ScoreConsole console;
    console.show_score({9});
    OperatorTimeline& score = console.score();
    QCOMPARE(score.scrolled(), 0.0);
    const double fitted = score.full_width();
    QTest::keyClick(&score, Qt::Key_Tab);
    QTest::keyClick(console.window.get(), Qt::Key_F);
    QVERIFY(qAbs(score.cut_handle(0).x() - score.width() / 2) <= 2);
    QVERIFY(score.full_width() > 1.5 * fitted);
    auto* bar = console.find<QScrollBar>("scoreScroll");
    QVERIFY(qAbs(bar->value() - score.scrolled()) <= 1);
    bar->setValue(0);
    QCOMPARE(score.scrolled(), 0.0);
    QTest::keyClick(console.window.get(), Qt::Key_F);
    QVERIFY(qAbs(score.cut_handle(0).x() - score.width() / 2) <= 2);
    QTest::keyClick(console.window.get(), Qt::Key_F);
    QVERIFY(qAbs(score.full_width() - fitted) < 1);
    QCOMPARE(score.scrolled(), 0.0);
}

void OperatorTimelineTest::wheel_zooms_at_the_pointer_and_scrolls() {
    ScoreConsole console;
    console.show_score({9});
    OperatorTimeline& score = console.score();
    for (const Qt::KeyboardModifiers modifiers : {Qt::NoModifier, Qt::ControlModifier}) {
        const QPointF at(score.width() * 0.4, 100);
        const double place = score.axis().at(at.x()), scale = score.axis().scale;
        console.wheel(at, {0, 240}, modifiers);
        QVERIFY(score.axis().scale > 1.3 * scale);
        QVERIFY(qAbs(score.axis().x_of(place) - at.x()) <= 1);
    }
    const double before = score.scrolled();
    console.wheel({100, 100}, {0, -120}, Qt::ShiftModifier);
    QVERIFY(score.scrolled() > before + 50);
    const double scrolled = score.scrolled();
    const bool left = score.cut_handle(0).x() > score.width() / 2;  // a place away from the cut
    const QPoint press(left ? 40 : score.width() - 120, score.height() - 40);
    QTest::mousePress(&score, Qt::LeftButton, {}, press);
    for (const int by : {30, 60}) QTest::mouseMove(&score, press + QPoint(by, 0));
    QTest::mouseRelease(&score, Qt::LeftButton, {}, press + QPoint(60, 0));
    QVERIFY(qAbs(scrolled - 60 - score.scrolled()) <= 1);
    QCOMPARE(console.cuts(), Cuts{9});
    QTest::keyClick(&score, Qt::Key_End);
    QVERIFY(qAbs(score.axis().x_of(score.layout().total()) - (score.width() - TimelineAxis::margin)) <= 1);
    QTest::keyClick(&score, Qt::Key_Home);
    QCOMPARE(score.scrolled(), 0.0);
    QTest::keyClick(console.window.get(), Qt::Key_0);
    QVERIFY(qAbs(score.full_width() - (score.width() - 2 * TimelineAxis::margin)) < 1);
}

void OperatorTimelineTest::click_shows_the_operator() {
    ScoreConsole console;
    console.show_score({15});
    const QPoint at = console.score().operator_point(7);
    QTest::mouseClick(&console.score(), Qt::LeftButton, {}, at);
    QCOMPARE(console.score().selected(), 7);
    QCOMPARE(console.cuts(), Cuts{15});
    QTest::keyClick(&console.score(), Qt::Key_Right);
    QCOMPARE(console.score().selected(), 8);
    // The graph marks the same operator.
    const auto& tree = console.document().model()->tree;
    QCOMPARE(tree.blocks[static_cast<std::size_t>(console.view().selection().block())].first, 8);
    QTest::keyClick(&console.score(), Qt::Key_Escape);
    QCOMPARE(console.score().selected(), -1);
}

/// A re-cut bar on a screen of 768 pixels leaves little height: the brackets are dropped, and the ruler covers nothing.
void OperatorTimelineTest::little_height_hides_brackets_but_no_operator() {
    ScoreConsole console;
    QVERIFY(console.open_gpt());
    QTest::keyClick(console.window.get(), Qt::Key_S);
    QCoreApplication::processEvents();
    OperatorTimeline& score = console.score();
    const auto lowest = [&] {  // the lowest operator of the first lane
        int y = 0;
        for (graph::NodeIndex node = 0; node < score.layout().count(); ++node)
            if (score.layout().lane(node) == 0) y = std::max(y, score.operator_point(node).y());
        return y;
    };
    score.setFixedHeight(110);
    QTRY_COMPARE(score.height(), 110);
    constexpr int ruler = 24;
    const int low = lowest();
    QVERIFY2(low < score.height() - ruler, qPrintable(QString::number(low)));
    console.shot("score-low");
    score.setFixedHeight(300);
    QTRY_COMPARE(score.height(), 300);
    QVERIFY(lowest() > low + 18);  // the brackets are shown again above the operators
}

void OperatorTimelineTest::cuts_are_added_at_the_selection_and_removed() {
    ScoreConsole console;
    console.show_score({15});
    QTest::mouseClick(&console.score(), Qt::LeftButton, {}, console.score().operator_point(7));
    QTest::keyClick(console.window.get(), Qt::Key_D, Qt::ControlModifier);
    QCOMPARE(console.cuts().size(), 2u);
    QCOMPARE(console.document().position(console.cuts()[0]), 7);
    QCOMPARE(console.view().cut_focus().cut(), 0);
    QTest::keyClick(console.window.get(), Qt::Key_Delete);
    QCOMPARE(console.cuts(), Cuts{15});
}

void OperatorTimelineTest::widths_follow_the_chosen_measure() {
    ScoreConsole console;
    console.show_score({4});
    const model::LoadedModel& model = *console.document().model();
    const auto share = [&] {
        return (console.score().cut_handle(0).x() - TimelineAxis::margin) /
               (console.score().width() - 2 * TimelineAxis::margin);
    };
    const graph::NodeIndex after = console.document().position(4);
    const double slack = 2.0 / console.score().width();
    QVERIFY(qAbs(share() - model.work(0, after + 1) / model.total_work()) < slack);
    console.measure().setCurrentIndex(static_cast<int>(TimelineMeasure::memory));
    const auto held = [](const graph::NodeCost& cost) { return cost.parameter_bytes + cost.activation_bytes; };
    QVERIFY(qAbs(share() - held(model.cost.range(0, after + 1)) / held(model.cost.total())) < slack);
    console.measure().setCurrentIndex(static_cast<int>(TimelineMeasure::bytes));
    const auto moved = [](const graph::NodeCost& cost) { return cost.forward_bytes + cost.backward_bytes; };
    QVERIFY(qAbs(share() - moved(model.cost.range(0, after + 1)) / moved(model.cost.total())) < slack);
    QVERIFY(console.source().isEmpty());
}

void OperatorTimelineTest::chosen_measure_is_kept() {
    ScoreConsole console;
    console.show_score();
    console.measure().setCurrentIndex(static_cast<int>(TimelineMeasure::bytes));
    console.window.reset();
    console.open();
    console.show_chain();
    QVERIFY(console.score().isVisible());
    QVERIFY(!console.view().isVisible());
    QCOMPARE(console.score().wanted(), TimelineMeasure::bytes);
    QCOMPARE(console.measure().currentIndex(), static_cast<int>(TimelineMeasure::bytes));
    console.action("model_graph")->trigger();
    QVERIFY(console.view().isVisible());
    QVERIFY(console.action("model_graph")->isChecked());
    QVERIFY(!console.action("score")->isChecked());
    console.window.reset();
    console.open();
    console.show_chain();
    QVERIFY(console.view().isVisible());
}

void OperatorTimelineTest::starting_to_paint_segments_shows_the_graph() {
    ScoreConsole console;
    console.show_score();
    QTest::keyClick(console.window.get(), Qt::Key_P);
    QVERIFY(console.view().isVisible());
    QVERIFY(console.view().brush().painting());
    QTest::keyClick(console.window.get(), Qt::Key_S);
    QVERIFY(!console.view().brush().painting());
    QVERIFY(console.score().isVisible());
}

void OperatorTimelineTest::ten_thousand_operators_stay_smooth() {
    ScoreConsole console;
    console.show_long_score();
    OperatorTimeline& score = console.score();
    QCOMPARE(score.layout().count(), 10'002);
    console.shot("score-long");
    const double zoom = p95_of_steps(score, 40, [&](int i) { i / 40 % 2 == 0 ? score.zoomIn() : score.zoomOut(); });
    double pan = 0;
    for (const double pixels : {1.0, 20.0, 400.0}) {  // several widths of one operator, in pixels
        score.fitAll();
        for (int i = 0; i < 80 && score.full_width() < pixels * 10'002; ++i) score.zoomIn();
        pan = std::max(pan, p95_of_steps(score, 40, [&](int) { score.scroll_to(score.scrolled() + 97); }));
    }
    score.fitAll();
    const QPoint from = score.cut_handle(1);
    QTest::mousePress(&score, Qt::LeftButton, {}, from);
    QTest::mouseMove(&score, from + QPoint(12, 0));
    const double drag = p95_of_steps(score, 40, [&](int i) {
        QTest::mouseMove(&score, from + QPoint(i % 2 == 0 ? 20 + i % 40 : -(20 + i % 40), 0));
        console.strip().repaint();
    });
    QVERIFY(console.document().previewing());
    QTest::mouseRelease(&score, Qt::LeftButton, {}, from);
    qInfo("10,002 operators: zoom %.2f ms, pan %.2f ms, drag %.2f ms", zoom, pan, drag);
    QVERIFY2(zoom < 33, qPrintable(QString::number(zoom)));
    QVERIFY2(pan < 33, qPrintable(QString::number(pan)));
    QVERIFY2(drag < 16, qPrintable(QString::number(drag)));
}

DIVISI_WINDOW_TEST(OperatorTimelineTest)

}  // namespace operator_timeline_test

#include "operator_timeline_test.moc"
