// SPDX-License-Identifier: GPL-3.0-or-later
// Tests segments painted by hand: brush, frame and keys, the price of a painting, and its form in a task file.
#include <QElapsedTimer>
#include <QFile>
#include <QMenu>
#include <QPushButton>
#include <QTableWidget>
#include <QToolButton>

#include "app/graphview/diagram/paint_bar.h"
#include "backend/task/compile.h"
#include "backend/task/predict_step.h"
#include "tests/gui/console.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"

namespace paint_test {

using namespace divisi;
using model::Cuts;

namespace {

struct PaintConsole : testing::Console {
    using Console::Console;

    /// Shows twenty operators in two stages, all in view, with the brush chosen.
    void show_stages(Cuts cuts = {4}) {
        show_chain(std::move(cuts));
        view().camera().fit_all();
        QTest::keyClick(window.get(), Qt::Key_P);
        if (!view().brush().painting()) qFatal("not painting");
    }
    QPoint point_of(graph::NodeIndex node) {
        const auto& layout = view().layout();
        const QRectF rect = layout.blocks()[static_cast<std::size_t>(layout.placed_at(node))].rect;
        return view().mapFromScene(rect.center());
    }
    void stroke(QPoint from, QPoint to, bool release = true) {
        QWidget* target = view().viewport();
        QTest::mousePress(target, Qt::LeftButton, {}, from);
        for (int i = 1; i <= 4; ++i) QTest::mouseMove(target, from + (to - from) * i / 4);
        if (release) QTest::mouseRelease(target, Qt::LeftButton, {}, to);
    }
    /// Returns the segment of each operator, from 1, as digits.
    QString painted() {
        QString text;
        const model::Painting* painting = document().shown_painting();
        if (!painting) return text;
        for (const std::int32_t segment : painting->segment_of) text += QString::number(segment + 1);
        return text;
    }
    bool open_task(const QString& path) {
        QSignalSpy loaded(&window->context().opener.loader(), &model::ModelLoader::loaded);
        window->open_path(path);
        return loaded.wait(20'000);
    }
    /// Sets the test's own node pool, once the pool of this machine is known.
    void set_pool(price::NodePool pool) {
        if (!QTest::qWaitFor([&] { return !window->context().pool.busy(); }, 20'000)) qFatal("no pool");
        window->context().prices.set_pool(std::move(pool));
    }
    bool settle() {
        return QTest::qWaitFor(
            [&] {
                const auto& prices = window->context().prices.prices();
                return prices && !window->context().prices.busy() && !window->context().pool.busy() &&
                       prices->are_of(document().shown_split());
            },
            20'000);
    }
    QLabel& message() { return *find<QLabel>("paintMessage"); }
};

QString block_task() { return QStringLiteral(DIVISI_SOURCE_DIR "/resources/tasks/resnet18-blocks.toml"); }

}  // namespace

class PaintTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void stroke_paints_crossed_operators_in_one_step();
    void viewing_stages_paints_nothing();
    void graph_does_not_move_when_the_paint_bar_appears();
    void many_segments_do_not_widen_the_window();
    void frame_dragged_from_the_background_paints_touched_blocks();
    void digit_paints_the_selection();
    void closed_scope_is_painted_as_a_whole();
    void double_click_opens_a_scope_and_paints_nothing();
    void escape_drops_the_stroke_then_leaves_painting();
    void brush_can_be_picked_from_the_graph_or_chosen();
    void cycle_is_reported_refused_and_repaired();
    void painting_is_priced_at_once();
    void sample_task_opens_painted_and_has_the_price_of_divisictl();
    void painted_task_is_saved_compactly_and_reopens();
    void segments_chosen_by_divisi_open_painted();
    void painted_segments_are_converted_to_cuts_if_possible();
    void segment_can_be_placed_on_a_node();
    void block_menu_marks_the_block_sensitive_and_paints_it();
    void prices_of_several_heads_match_the_compiled_plan();
    void strokes_stay_smooth_with_ten_thousand_operators();
};

void PaintTest::stroke_paints_crossed_operators_in_one_step() {
    PaintConsole console;
    console.show_stages();
    QTest::keyClick(&console.view(), Qt::Key_1);
    console.stroke(console.point_of(5), console.point_of(8));
    QCOMPARE(console.painted(), QStringLiteral("11111111122222222222"));
    QCOMPARE(console.document().undo_stack().count(), 1);
    QCOMPARE(console.cuts(), Cuts{});
    // If the pointer moves in a large jump, the operators in between are painted, too.
    QTest::keyClick(&console.view(), Qt::Key_N);
    QTest::mousePress(console.view().viewport(), Qt::LeftButton, {}, console.point_of(14));
    QTest::mouseMove(console.view().viewport(), console.point_of(19));
    QTest::mouseRelease(console.view().viewport(), Qt::LeftButton, {}, console.point_of(19));
    QCOMPARE(console.painted(), QStringLiteral("11111111122222333333"));
    QCOMPARE(console.document().undo_stack().count(), 2);
    QTest::keyClick(console.window.get(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(console.painted(), QStringLiteral("11111111122222222222"));
    QTest::keyClick(console.window.get(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(console.cuts(), Cuts{4});
    QTest::keyClick(console.window.get(), Qt::Key_Y, Qt::ControlModifier);
    QCOMPARE(console.painted(), QStringLiteral("11111111122222222222"));
}

void PaintTest::viewing_stages_paints_nothing() {
    PaintConsole console;
    console.show_stages();
    QVERIFY(console.find<graphview::PaintBar>("paintBar")->isVisible());
    QCOMPARE(console.view().colours().segment(0), 0);
    QCOMPARE(console.view().colours().segment(19), 1);
    QTest::keyClick(&console.view(), Qt::Key_Escape);
    QVERIFY(!console.view().brush().painting());
    QVERIFY(!console.find<graphview::PaintBar>("paintBar")->isVisible());
    QCOMPARE(console.cuts(), Cuts{4});
    QCOMPARE(console.document().undo_stack().count(), 0);
}

/// The brushes scroll, and the selected one is visible.
void PaintTest::many_segments_do_not_widen_the_window() {
    PaintConsole console;
    const model::ModelPtr chain = testing::chain_model(240);
    Cuts cuts;
    for (std::int32_t at = 3; at < 236; at += 4) cuts.push_back(at);
    console.document().set_model(chain);
    model::Split split;
    split.painting = model::painting_of(*chain, cuts, {});
    model::paint(*split.painting, 101, 103, 0);  // this segment and the first one now depend on each other
    QVERIFY(console.document().set_split(std::move(split), QStringLiteral("paint")));
    QVERIFY(!console.document().shown_cycle().empty());
    auto* bar = console.find<graphview::PaintBar>("paintBar");
    QTRY_VERIFY(bar->isVisible());
    QTRY_VERIFY(console.find<QToolButton>("brush51")->visibleRegion().isEmpty());
    QVERIFY(console.find<QPushButton>("backToCuts")->visibleRegion().boundingRect().width() > 20);
    QCOMPARE(console.window->width(), 1440);
    console.view().brush().set_painting(true);
    console.view().brush().choose(50);
    QTRY_VERIFY(!console.find<QToolButton>("brush51")->visibleRegion().isEmpty());
    console.shot("many-brushes");
    console.document().undo_stack().undo();
    console.document().undo_stack().redo();
    QTest::qWait(50);
    QCOMPARE(console.window->width(), 1440);
}

void PaintTest::graph_does_not_move_when_the_paint_bar_appears() {
    PaintConsole console;
    console.show_chain();
    const auto place = [&] { return console.view().viewport()->mapTo(console.window.get(), console.point_of(0)); };
    const QPoint before = place();
    QTest::keyClick(console.window.get(), Qt::Key_P);
    QVERIFY(console.view().brush().painting());
    QTRY_VERIFY(console.find<graphview::PaintBar>("paintBar")->isVisible());
    QCoreApplication::processEvents();
    QCOMPARE(place(), before);
    QTest::keyClick(console.window.get(), Qt::Key_P);
    QTRY_VERIFY(!console.find<graphview::PaintBar>("paintBar")->isVisible());
    QCOMPARE(place(), before);
}

void PaintTest::frame_dragged_from_the_background_paints_touched_blocks() {
    PaintConsole console;
    console.show_stages();
    QTest::keyClick(&console.view(), Qt::Key_2);
    const QPoint left(-(console.point_of(3).x() - 8), 0);
    console.stroke(console.point_of(3) + left, console.point_of(6));
    QCOMPARE(console.painted(), QStringLiteral("11122222222222222222"));
    QCOMPARE(console.document().undo_stack().count(), 1);
    // A frame that is dragged back to nothing paints nothing.
    const QPoint corner = console.point_of(10) + left;
    QTest::mousePress(console.view().viewport(), Qt::LeftButton, {}, corner);
    QTest::mouseMove(console.view().viewport(), console.point_of(12));
    QTest::mouseMove(console.view().viewport(), corner + QPoint(1, 1));
    QTest::mouseRelease(console.view().viewport(), Qt::LeftButton, {}, corner + QPoint(1, 1));
    QCOMPARE(console.document().undo_stack().count(), 1);
}

void PaintTest::digit_paints_the_selection() {
    PaintConsole console;
    console.show_chain();
    QTest::mouseClick(console.view().viewport(), Qt::LeftButton, {}, console.point_of(2));
    QTest::keyClick(&console.view(), Qt::Key_Down, Qt::ShiftModifier);
    QTest::keyClick(&console.view(), Qt::Key_Down, Qt::ShiftModifier);
    QTest::keyClick(&console.view(), Qt::Key_2);
    QCOMPARE(console.painted(), QStringLiteral("11222222222222222222"));
    QTest::keyClick(&console.view(), Qt::Key_9);  // no such segment exists
    QCOMPARE(console.document().undo_stack().count(), 1);
    QTest::keyClick(&console.view(), Qt::Key_3);  // the number of the next new segment
    QCOMPARE(console.painted(), QStringLiteral("11333222222222222222"));
}

void PaintTest::closed_scope_is_painted_as_a_whole() {
    PaintConsole console;
    model::ModelSource gpt;
    gpt.zoo = "gpt";
    const auto model = model::load_model(gpt);
    QVERIFY(model.ok());
    console.document().set_model(*model);
    console.view().scopes().close_all();
    console.view().camera().zoom_reset();
    console.action("paint")->trigger();
    QTest::keyClick(&console.view(), Qt::Key_2);
    const auto& tree = (*model)->tree;
    const model::Block* scope = nullptr;
    for (const auto& placed : console.view().layout().blocks())
        if (!scope || tree.blocks[placed.block].operator_count() > scope->operator_count())
            scope = &tree.blocks[placed.block];
    QVERIFY(scope && scope->operator_count() > 3);
    QTest::mouseClick(console.view().viewport(), Qt::LeftButton, {}, console.point_of(scope->first));
    QVERIFY(console.document().painting());
    for (graph::NodeIndex node = 0; node < (*model)->node_count(); ++node)
        if ((*model)->roles[node] != graph::Role::constant)
            QCOMPARE(console.document().painting()->segment_of[node],
                     node >= scope->first && node <= scope->last ? 1 : 0);
}

void PaintTest::double_click_opens_a_scope_and_paints_nothing() {
    PaintConsole console;
    model::ModelSource gpt;
    gpt.zoo = "gpt";
    const auto model = model::load_model(gpt);
    QVERIFY(model.ok());
    console.document().set_model(*model);
    console.view().scopes().close_all();
    console.view().camera().zoom_reset();
    console.action("paint")->trigger();
    QTest::keyClick(&console.view(), Qt::Key_2);
    const std::size_t before = console.view().layout().blocks().size();
    const QPoint at = console.point_of(0);
    QTest::mouseClick(console.view().viewport(), Qt::LeftButton, {}, at);
    QTest::mouseDClick(console.view().viewport(), Qt::LeftButton, {}, at);
    QVERIFY(console.view().layout().blocks().size() > before);
    QVERIFY(!console.document().painting());
}

void PaintTest::escape_drops_the_stroke_then_leaves_painting() {
    PaintConsole console;
    console.show_stages();
    QTest::keyClick(&console.view(), Qt::Key_1);
    console.stroke(console.point_of(5), console.point_of(8), false);
    QVERIFY(console.document().previewing());
    QTest::keyClick(&console.view(), Qt::Key_Escape);
    QVERIFY(!console.document().previewing());
    QTest::mouseMove(console.view().viewport(), console.point_of(12));
    QTest::mouseRelease(console.view().viewport(), Qt::LeftButton, {}, console.point_of(12));
    QCOMPARE(console.cuts(), Cuts{4});
    QCOMPARE(console.document().undo_stack().count(), 0);
    QVERIFY(console.view().brush().painting());
    QTest::keyClick(&console.view(), Qt::Key_Escape);
    QVERIFY(!console.view().brush().painting());
}

void PaintTest::brush_can_be_picked_from_the_graph_or_chosen() {
    PaintConsole console;
    console.show_stages();
    QTest::mouseClick(console.view().viewport(), Qt::LeftButton, Qt::ControlModifier, console.point_of(12));
    QCOMPARE(console.view().brush().segment(), 1);
    QTest::mouseClick(console.find<QToolButton>("brush1"), Qt::LeftButton);
    QCOMPARE(console.view().brush().segment(), 0);
    QTest::mouseClick(console.find<QToolButton>("brush3"), Qt::LeftButton);  // creates a new segment
    QTest::mouseClick(console.view().viewport(), Qt::LeftButton, {}, console.point_of(19));
    QCOMPARE(console.painted(), QStringLiteral("11111222222222222223"));
    QTRY_VERIFY(console.find<QToolButton>("brush4")->isVisible());
    QCOMPARE(console.find<QToolButton>("brush3")->text(), QStringLiteral("3"));
}

void PaintTest::cycle_is_reported_refused_and_repaired() {
    PaintConsole console;
    QVERIFY(console.open_task(block_task()));
    QVERIFY(testing::WindowParts::task_form(*console.window).valid());
    console.view().scopes().open_all();
    console.view().camera().zoom_reset();
    console.action("paint")->trigger();
    const auto& graph = console.document().model()->graph;
    // This operator is in the middle of segment 3. If segment 1 paints it, the two segments wait for each other.
    const graph::NodeIndex node = graph.find_node("/layer3/1/conv1/Conv");
    QVERIFY(node >= 0);
    console.view().scopes().reveal(node);
    QTest::keyClick(&console.view(), Qt::Key_Escape);  // clears the selection made by revealing the node
    QTest::keyClick(&console.view(), Qt::Key_1);
    QTest::mouseClick(console.view().viewport(), Qt::LeftButton, {}, console.point_of(node));
    QCOMPARE(console.document().painting()->segment_of[static_cast<std::size_t>(node)], 0);
    QVERIFY(console.message().isVisible());
    QVERIFY2(console.message().text().contains(QStringLiteral("/layer3/1/conv1/Conv")),
             qPrintable(console.message().text()));
    QVERIFY(console.settle());
    QVERIFY(console.find<QLabel>("price")->text().contains(QStringLiteral("No price: segments 1, 3 wait")));
    QVERIFY(!testing::WindowParts::task_form(*console.window).valid());
    QVERIFY(!console.action("save")->isEnabled());
    console.shot("paint-circle");
    QTest::mouseClick(console.find<QPushButton>("mendSegments"), Qt::LeftButton);
    // the user's painting stays
    QCOMPARE(console.document().painting()->segment_of[static_cast<std::size_t>(node)], 0);
    QVERIFY(!console.message().isVisible());
    QVERIFY(testing::WindowParts::task_form(*console.window).valid());
    QVERIFY(console.settle());
    QVERIFY(console.window->context().prices.prices()->ok());
    console.document().undo_stack().undo();
    QVERIFY(console.message().isVisible());
    console.document().undo_stack().undo();
    QVERIFY(!console.message().isVisible());
    QVERIFY(testing::WindowParts::task_form(*console.window).valid());
}

void PaintTest::painting_is_priced_at_once() {
    PaintConsole console;
    QVERIFY(console.open_task(block_task()));
    QVERIFY(console.settle());
    auto* table = console.find<QTableWidget>("segmentTable");
    QCOMPARE(table->rowCount(), 4);
    const double before = console.window->context().prices.prices()->prediction.step_ms;
    const QString first = table->item(0, 2)->text();
    for (int row = 0; row < 4; ++row)
        for (const int column : {2, 3, 4}) QVERIFY(!table->item(row, column)->text().isEmpty());
    console.view().scopes().open_all();
    console.action("paint")->trigger();
    const auto node = console.document().model()->graph.find_node("/layer2/0/conv1/Conv");
    QVERIFY(node >= 0);
    console.view().scopes().reveal(node);
    QTest::keyClick(&console.view(), Qt::Key_Escape);
    QTest::keyClick(&console.view(), Qt::Key_1);
    QTest::mousePress(console.view().viewport(), Qt::LeftButton, {}, console.point_of(node));
    QVERIFY(console.document().previewing());
    QVERIFY(console.settle());
    QVERIFY2(console.window->context().prices.prices()->ok(),
             qPrintable(console.window->context().prices.prices()->problem));
    QVERIFY(console.window->context().prices.prices()->prediction.step_ms != before);
    QVERIFY(table->item(0, 2)->text() != first);
    QTest::keyClick(&console.view(), Qt::Key_Escape);
    QVERIFY(console.settle());
    QCOMPARE(console.window->context().prices.prices()->prediction.step_ms, before);
    QCOMPARE(table->item(0, 2)->text(), first);
    QTest::mouseRelease(console.view().viewport(), Qt::LeftButton, {}, console.point_of(node));
}

void PaintTest::sample_task_opens_painted_and_has_the_price_of_divisictl() {
    PaintConsole console;
    QVERIFY(console.open_task(block_task()));
    const model::Painting* painting = console.document().painting();
    QVERIFY(painting);
    QCOMPARE(painting->segments(), 4);
    const auto& graph = console.document().model()->graph;
    QCOMPARE(painting->segment_of[static_cast<std::size_t>(graph.find_node("/layer2/0/downsample/0/Conv"))], 1);
    QCOMPARE(painting->segment_of[static_cast<std::size_t>(graph.find_node("/layer4/0/downsample/0/Conv"))], 2);
    QCOMPARE(console.document().undo_stack().count(), 0);
    console.set_pool(price::default_pool());
    QVERIFY(console.settle());
    const auto compiled = task::compile(console.window->context().draft.spec(), graph);
    QVERIFY2(compiled.ok(), compiled.ok() ? "" : compiled.error().message().c_str());
    const auto expected = task::predict_step(*compiled, task::default_placement(*compiled));
    QVERIFY(expected.ok());
    const auto& prices = *console.window->context().prices.prices();
    QVERIFY2(prices.ok(), qPrintable(prices.problem));
    QCOMPARE(prices.prediction.step_ms, expected->step_ms);
    for (std::size_t stage = 0; stage < expected->stages.size(); ++stage)
        QCOMPARE(prices.prediction.stages[stage].busy_ms, expected->stages[stage].busy_ms);
    console.shot("paint-blocks");
}

void PaintTest::painted_task_is_saved_compactly_and_reopens() {
    PaintConsole console;
    const QString path = console.folder.filePath(QStringLiteral("painted.toml"));
    QVERIFY(QFile::copy(block_task(), path) && QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner));
    QVERIFY(console.open_task(path));
    console.view().scopes().open_all();
    console.action("paint")->trigger();
    const auto node = console.document().model()->graph.find_node("/layer2/0/conv1/Conv");
    console.view().scopes().reveal(node);
    QTest::keyClick(&console.view(), Qt::Key_Escape);
    QTest::keyClick(&console.view(), Qt::Key_1);
    QTest::mouseClick(console.view().viewport(), Qt::LeftButton, {}, console.point_of(node));
    const model::Painting painting = *console.document().painting();
    QTest::keyClick(&console.view(), Qt::Key_S, Qt::ControlModifier);
    QVERIFY(!console.window->isWindowModified());
    const QString text = console.window->context().draft.text();
    QVERIFY(text.contains(QStringLiteral("strategy = \"block\"")));
    QVERIFY(text.contains(QStringLiteral("nodes = [\"/layer2/0/downsample/*\"]")));
    QVERIFY(text.contains(QStringLiteral("\"*\"")));
    std::size_t names = 0;
    for (const auto& segment : console.window->context().draft.spec().split.segments) names += segment.nodes.size();
    QVERIFY2(names < 12, qPrintable(text));
    PaintConsole other;
    QVERIFY(other.open_task(path));
    QVERIFY(other.document().painting());
    QCOMPARE(*other.document().painting(), painting);
    QCOMPARE(other.window->context().draft.text(), text);
}

void PaintTest::segments_chosen_by_divisi_open_painted() {
    PaintConsole console;
    QFile sample(block_task());
    QVERIFY(sample.open(QIODevice::ReadOnly));
    QString text = QString::fromUtf8(sample.readAll()).section(QStringLiteral("[[split.segment]]"), 0, 0);
    text += QStringLiteral("stages = 3\n");
    QFile file(console.folder.filePath(QStringLiteral("chosen.toml")));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text.toUtf8()) > 0);
    file.close();
    QVERIFY(console.open_task(file.fileName()));
    QVERIFY(QTest::qWaitFor([&] { return console.document().painting() != nullptr; }, 20'000));
    const model::Painting* painting = console.document().painting();
    const auto compiled = task::compile(console.window->context().draft.spec(), console.document().model()->graph);
    QVERIFY(compiled.ok());
    QCOMPARE(painting->segments(), compiled->stage_count());
    for (std::size_t segment = 0; segment < compiled->partition.segments.size(); ++segment)
        for (const graph::NodeIndex node : compiled->partition.segments[segment].nodes) {
            const auto shown = console.document().model()->graph.find_node(compiled->graph().nodes[node].name);
            if (shown < 0 || console.document().model()->roles[shown] == graph::Role::constant) continue;
            QCOMPARE(painting->segment_of[shown], static_cast<std::int32_t>(segment));
        }
    QVERIFY(console.document().shown_cycle().empty());
}

void PaintTest::painted_segments_are_converted_to_cuts_if_possible() {
    PaintConsole console;
    console.show_stages({4, 9});
    QTest::keyClick(&console.view(), Qt::Key_1);
    console.stroke(console.point_of(5), console.point_of(6));
    QTest::mouseClick(console.find<QPushButton>("backToCuts"), Qt::LeftButton);
    QCOMPARE(console.cuts(), (Cuts{6, 9}));
    QVERIFY(!console.find<QFrame>("messageBar")->isVisible());
    QVERIFY(!console.view().brush().painting());
    // Segments that depend on each other are merged, with a message.
    QTest::keyClick(console.window.get(), Qt::Key_P);
    QTest::keyClick(&console.view(), Qt::Key_1);
    QTest::mouseClick(console.view().viewport(), Qt::LeftButton, {}, console.point_of(8));
    const QString painted = console.painted();
    console.action("to_cuts")->trigger();
    QCOMPARE(console.cuts(), Cuts{9});
    QVERIFY(console.find<QFrame>("messageBar")->isVisible());
    console.document().undo_stack().undo();
    QCOMPARE(console.painted(), painted);
}

void PaintTest::segment_can_be_placed_on_a_node() {
    testing::ScriptedClient cluster;
    PaintConsole console(&cluster);
    cluster.play();  // has two nodes
    QVERIFY(console.open_task(block_task()));
    console.action("paint")->trigger();
    const auto place = [&](const QString& node) {
        QCoreApplication::processEvents();  // lets the bar place its brushes
        auto* brush = console.find<QToolButton>("brush3");
        console.press_right(brush, brush->rect().center());
        auto* menu = console.window->findChild<QMenu*>(QStringLiteral("segmentMenu"));
        if (!menu) return false;
        const bool taken = menu->isVisible() && console.take(menu, node);
        QCoreApplication::sendPostedEvents(menu, QEvent::DeferredDelete);
        return taken;
    };
    QVERIFY(place(QStringLiteral("mic-2/node-1")));
    QVERIFY(console.find<QToolButton>("brush3")->text().contains(QStringLiteral("mic-2/node-1")));
    QVERIFY(console.window->context().draft.text().contains(QStringLiteral("place = \"mic-2/node-1\"")));
    QCOMPARE(console.document().painting()->places[2], std::string("mic-2/node-1"));
    QVERIFY(console.settle());
    QCOMPARE(console.find<QTableWidget>("segmentTable")->item(2, 6)->text(), QStringLiteral("mic-2/node-1"));
    QVERIFY(place(QStringLiteral("Any node")));
    QVERIFY(!console.window->context().draft.text().contains(QStringLiteral("place =")));
    QTest::keyClick(console.window.get(), Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(console.window->context().draft.text().contains(QStringLiteral("place =")));
}

void PaintTest::block_menu_marks_the_block_sensitive_and_paints_it() {
    PaintConsole console;
    QVERIFY(console.open_task(block_task()));
    console.view().scopes().close_all();
    const auto& tree = console.document().model()->tree;
    std::int32_t scope = -1;
    for (const auto& placed : console.view().layout().blocks())
        if (tree.blocks[placed.block].path == "/layer4") scope = placed.block;
    QVERIFY(scope >= 0);
    const auto choose = [&](const QString& text) {
        console.view().selection().select(scope, true);  // scrolls to the block
        console.press_right(console.view().viewport(), console.point_of(tree.blocks[scope].first));
        auto* menu = console.find<QMenu>("graphMenu");
        if (text.startsWith(QStringLiteral("Segment"))) {
            QTest::keyClick(menu, Qt::Key_Down);
            QTest::keyClick(menu, Qt::Key_Right);
            console.take(menu->actions().front()->menu(), text);
        } else {
            console.take(menu, text);
        }
        menu->close();
        QCoreApplication::sendPostedEvents(menu, QEvent::DeferredDelete);
    };
    choose(QStringLiteral("Sensitive: stays on secure nodes"));
    QVERIFY(console.window->context().draft.text().contains(QStringLiteral("sensitive = [\"/layer4/*\"]")));
    choose(QStringLiteral("Segment 3"));
    for (graph::NodeIndex node = tree.blocks[scope].first; node <= tree.blocks[scope].last; ++node)
        QCOMPARE(console.document().painting()->segment_of[node], 2);
    QVERIFY(console.window->context().draft.text().contains(QStringLiteral("sensitive = [\"/layer4/*\"]")));
    choose(QStringLiteral("Sensitive: stays on secure nodes"));
    QVERIFY(!console.window->context().draft.text().contains(QStringLiteral("sensitive")));
}

void PaintTest::prices_of_several_heads_match_the_compiled_plan() {
    PaintConsole console;
    QVERIFY(console.open_task(QStringLiteral(DIVISI_SOURCE_DIR "/resources/tasks/multitask-heads.toml")));
    QVERIFY(QTest::qWaitFor([&] { return !console.cuts().empty(); }, 20'000));
    console.set_pool(price::default_pool());
    QVERIFY(console.settle());
    const auto loaded = model::load_model({.zoo = "multitask",
                                           .sizes = console.window->context().draft.spec().model.sizes,
                                           .batch = task::microbatch_size(console.window->context().draft.spec())});
    QVERIFY(loaded.ok());
    const auto compiled = task::compile(console.window->context().draft.spec(), (*loaded)->graph);
    QVERIFY2(compiled.ok(), compiled.ok() ? "" : compiled.error().message().c_str());
    const auto expected = task::predict_step(*compiled, task::default_placement(*compiled));
    QVERIFY(expected.ok());
    QCOMPARE(console.document().cut_names(), compiled->cuts);
    QVERIFY(console.cuts().size() >= 3);
    const auto& prices = *console.window->context().prices.prices();
    QVERIFY2(prices.ok(), qPrintable(prices.problem));
    QCOMPARE(prices.prediction.step_ms, expected->step_ms);
    QVERIFY(testing::WindowParts::task_form(*console.window).valid());
    // The same holds if the segments are painted and written as training operators.
    console.action("paint")->trigger();
    QVERIFY(!console.view().brush().paint_selection(0));
    model::Painting painting = console.document().start_painting();
    QVERIFY(console.document().set_split({{}, painting}, QStringLiteral("paint")));
    QVERIFY(console.settle());
    QVERIFY2(console.window->context().prices.prices()->ok(),
             qPrintable(console.window->context().prices.prices()->problem));
    QCOMPARE(console.window->context().prices.prices()->prediction.stages.size(), expected->stages.size());
    QVERIFY2(testing::WindowParts::task_form(*console.window).valid(),
             qPrintable(console.find<QLabel>("formSummary")->text()));
}

void PaintTest::strokes_stay_smooth_with_ten_thousand_operators() {
    PaintConsole console;
    const auto model = std::make_shared<const model::LoadedModel>(testing::residual(3334), model::ModelSource{});
    console.document().set_model(model, {500, 1000, 1500});
    console.view().scopes().open_all();
    console.wait_for_layout();
    console.view().setTransform(QTransform::fromScale(0.1, 0.1));
    console.view().centerOn(console.view().layout().blocks()[5000].rect.center());
    console.action("paint")->trigger();
    QTest::keyClick(&console.view(), Qt::Key_2);
    QWidget* target = console.view().viewport();
    const QPoint start = console.point_of(5000);
    const int most = target->height() / 2 - 40;  // as far as possible without scrolling
    QTest::mousePress(target, Qt::LeftButton, {}, start);
    std::vector<double> times;
    for (int i = 1; i <= 100; ++i) {  // every move paints new operators
        QElapsedTimer timer;
        timer.start();
        QTest::mouseMove(target, start + QPoint(0, i * most / 100));
        times.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    }
    QVERIFY(console.document().previewing());
    QElapsedTimer release;
    release.start();
    QTest::mouseRelease(target, Qt::LeftButton, {}, start + QPoint(0, most));
    const double release_ms = static_cast<double>(release.nsecsElapsed()) / 1e6;
    std::sort(times.begin(), times.end());
    const double p95 = times[times.size() * 95 / 100];
    qInfo("a stroke over 10,002 operators: median %.2f ms, p95 %.2f ms a move, %.0f ms at its end",
          times[times.size() / 2], p95, release_ms);
    QVERIFY2(p95 < 16, qPrintable(QString::number(p95)));
}

DIVISI_WINDOW_TEST(PaintTest)

}  // namespace paint_test

#include "paint_test.moc"
