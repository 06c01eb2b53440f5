// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the screen reader's view of painted elements: cuts, blocks, elements of the mesh and curves.
#include <QAccessible>
#include <QComboBox>
#include <algorithm>
#include <memory>

#include "app/timeline/timeline_canvas.h"
#include "app/topology/element_details.h"
#include "tests/gui/connected_console.h"
#include "tests/gui/console.h"
#include "tests/gui/scripted_mesh.h"
#include "tests/support/test_program.h"

namespace accessible_test {

using namespace divisi;
using testing::ScriptedClient;
using topology::Element;

namespace {

using Parts = std::vector<QAccessibleInterface*>;

QAccessibleInterface& told(QWidget& widget) { return *QAccessible::queryAccessibleInterface(&widget); }

/// Returns the children with this role, in order.
Parts parts_of(QWidget& widget, QAccessible::Role role) {
    Parts found;
    for (int i = 0; i < told(widget).childCount(); ++i)
        if (QAccessibleInterface* child = told(widget).child(i); child && child->role() == role) found.push_back(child);
    return found;
}

QString name(const QAccessibleInterface* part) { return part->text(QAccessible::Name); }
QString value(const QAccessibleInterface* part) { return part->text(QAccessible::Value); }

/// Events sent to screen readers, each with the name of its element.
std::vector<std::pair<QAccessible::Event, QString>> heard;

}  // namespace

}  // namespace accessible_test

/// Replaces Qt's function for all tests of the window. Qt's own function sends nothing if no screen reader runs, as on
/// the offscreen platform.
void QAccessible::updateAccessibility(QAccessibleEvent* event) {
    if (event->object()) return;  // an event of the widget itself
    if (const QAccessibleInterface* of = event->accessibleInterface())
        accessible_test::heard.emplace_back(event->type(), accessible_test::name(of));
}

namespace accessible_test {

class AccessibleTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void screen_reader_hears_cuts_with_their_positions() {
        testing::Console console;
        console.show_chain({4, 9});
        graphview::GraphView& view = console.view();
        const Parts cuts = parts_of(view, QAccessible::Slider);
        QCOMPARE(cuts.size(), std::size_t{2});
        QVERIFY2(name(cuts[0]).startsWith(QStringLiteral("Cut 1 after")), qPrintable(name(cuts[0])));
        const int legal = console.document().legal_count();
        QCOMPARE(value(cuts[0]), QStringLiteral("Position 5 of %1").arg(legal));
        QCOMPARE(value(cuts[1]), QStringLiteral("Position 10 of %1").arg(legal));
        QVERIFY(cuts[0]->state().focusable && !cuts[0]->state().focused);
        const QPoint handle = view.viewport()->mapToGlobal(view.cut_drag().handle(0));
        QVERIFY(cuts[0]->rect().contains(handle));
        QCOMPARE(told(view).childAt(handle.x(), handle.y()), cuts[0]);
        QCOMPARE(cuts[0]->parent(), &told(view));
        QCOMPARE(told(view).child(told(view).indexOfChild(cuts[1])), cuts[1]);
        const QRect block = view.mapFromScene(view.layout().blocks()[2].rect).boundingRect();
        const QPoint inside = view.viewport()->mapToGlobal(block.center());
        QCOMPARE(told(view).childAt(inside.x(), inside.y()), parts_of(view, QAccessible::TreeItem)[2]);
        QTest::keyClick(&view, Qt::Key_Tab);
        QVERIFY(cuts[0]->state().focused && !cuts[1]->state().focused);
        QTest::keyClick(&view, Qt::Key_Down);
        QCOMPARE(value(cuts[0]), QStringLiteral("Position 6 of %1").arg(legal));
        const QAccessibleInterface* last = told(view).child(told(view).childCount() - 1);
        QVERIFY(last->isValid() && !name(last).isEmpty());
        console.action("clear_cuts")->trigger();
        QVERIFY(parts_of(view, QAccessible::Slider).empty());
        QVERIFY(!last->isValid());  // an interface that is still held becomes invalid
        QVERIFY(name(last).isEmpty());
    }

    /// On Linux, screen readers read values through the value interface, and changes through events.
    void setting_the_value_of_a_cut_moves_and_announces_it() {
        testing::Console console;
        console.show_chain({4, 9});
        graphview::GraphView& view = console.view();
        const Parts cuts = parts_of(view, QAccessible::Slider);
        QAccessibleValueInterface* number = cuts[0]->valueInterface();
        QVERIFY(number);
        QCOMPARE(number->currentValue().toInt(), 5);
        QCOMPARE(number->minimumValue().toInt(), 1);
        QCOMPARE(number->maximumValue().toInt(), console.document().legal_count());
        heard.clear();
        view.setFocus();
        QTest::keyClick(&view, Qt::Key_Tab);
        number->setCurrentValue(6);
        const auto told_of = [&](QAccessible::Event what) {
            return std::ranges::count_if(heard, [&](const auto& one) {
                return one.first == what && one.second.startsWith(QStringLiteral("Cut 1 after"));
            });
        };
        QVERIFY(told_of(QAccessible::Focus) > 0);
        QVERIFY(told_of(QAccessible::ValueChanged) > 0);
        QCOMPARE(console.cuts(), (model::Cuts{5, 9}));
        number->setCurrentValue(15);  // the other cut is in the way
        QCOMPARE(console.cuts(), (model::Cuts{8, 9}));
        QVERIFY(!parts_of(view, QAccessible::TreeItem)[0]->valueInterface());
    }

    void screen_reader_can_select_a_block() {
        testing::Console console;
        console.show_chain({4});
        graphview::GraphView& view = console.view();
        QAccessibleInterface* block = parts_of(view, QAccessible::TreeItem)[2];
        QAccessibleActionInterface* action = block->actionInterface();
        QVERIFY(action);
        QCOMPARE(action->actionNames(), QStringList{QAccessibleActionInterface::pressAction()});
        action->doAction(QAccessibleActionInterface::pressAction());
        QVERIFY(block->state().selected);
        parts_of(view, QAccessible::Slider)[0]->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
        QVERIFY(parts_of(view, QAccessible::Slider)[0]->state().focused);
    }

    void screen_reader_hears_blocks_with_their_segments() {
        testing::Console console;
        console.show_chain({4});
        graphview::GraphView& view = console.view();
        const auto& placed = view.layout().blocks();
        const Parts blocks = parts_of(view, QAccessible::TreeItem);
        QCOMPARE(blocks.size(), placed.size());
        QVERIFY(std::ranges::none_of(blocks, [](const auto* block) { return name(block).isEmpty(); }));
        QCOMPARE(value(blocks.front()), QStringLiteral("Segment 1"));
        QCOMPARE(value(blocks.back()), QStringLiteral("Segment 2"));
        QVERIFY(!blocks.front()->state().expandable);  // an operator, not a scope
        const auto chosen = [&] {
            return std::ranges::count_if(blocks, [](const auto* block) { return bool(block->state().selected); });
        };
        QCOMPARE(chosen(), 0);
        view.selection().select(placed[2].block, true);
        QCOMPARE(chosen(), 1);
        QVERIFY(blocks[2]->state().selected && blocks[2]->state().selectable);
        const QRect there = view.mapFromScene(placed[2].rect).boundingRect();
        QCOMPARE(blocks[2]->rect().topLeft(), view.viewport()->mapToGlobal(there.topLeft()));
    }

    void screen_reader_hears_the_score_with_its_cuts_and_prices() {
        testing::Console console;
        console.show_chain({4, 9});
        console.find<QComboBox>("scoreMeasure")->setCurrentIndex(static_cast<int>(graphview::TimelineMeasure::flops));
        QTest::keyClick(console.window.get(), Qt::Key_S);
        QCoreApplication::processEvents();
        graphview::OperatorTimeline& score = testing::WindowParts::operator_timeline(*console.window);
        QCOMPARE(name(&told(score)), QStringLiteral("Model score"));
        const Parts cuts = parts_of(score, QAccessible::Slider);
        QCOMPARE(cuts.size(), std::size_t{2});
        QVERIFY2(name(cuts[1]).startsWith(QStringLiteral("Cut 2 after")), qPrintable(name(cuts[1])));
        QCOMPARE(value(cuts[1]), QStringLiteral("Position 10 of %1").arg(console.document().legal_count()));
        QVERIFY(cuts[0]->rect().contains(score.mapToGlobal(score.cut_handle(0))));
        score.setFocus();
        QTest::keyClick(&score, Qt::Key_Tab);
        QVERIFY(cuts[0]->state().focused && !cuts[1]->state().focused);
        const Parts operators = parts_of(score, QAccessible::ListItem);
        const auto& layout = score.layout();
        QCOMPARE(operators.size(), static_cast<std::size_t>(layout.count()));
        QVERIFY(std::ranges::none_of(operators, [](const auto* one) { return name(one).isEmpty(); }));
        const QString price = graphview::measure_text(score.measure(), layout.end(0) - layout.start(0));
        QCOMPARE(value(operators.front()), price + QStringLiteral(", Segment 1"));
        QVERIFY2(value(operators.back()).endsWith(QStringLiteral("Segment 3")), qPrintable(value(operators.back())));
        const auto wide = std::ranges::find_if(operators, [](const auto* one) { return one->rect().width() > 4; });
        QVERIFY(wide != operators.end());
        const auto node = static_cast<graph::NodeIndex>(wide - operators.begin());
        QVERIFY((*wide)->rect().contains(score.mapToGlobal(score.operator_point(node))));
        score.show_operators(2, 3);
        const auto chosen = [&] {
            return std::ranges::count_if(operators, [](const auto* one) { return bool(one->state().selected); });
        };
        QCOMPARE(chosen(), 2);
        QVERIFY(operators[2]->state().selected && operators[3]->state().selected);
        score.show_block(-1);
        QCOMPARE(chosen(), 0);
        console.action("clear_cuts")->trigger();
        QVERIFY(parts_of(score, QAccessible::Slider).empty());
        QCOMPARE(parts_of(score, QAccessible::ListItem).size(), static_cast<std::size_t>(layout.count()));
    }

    void screen_reader_hears_timeline_lanes_with_their_sums() {
        const auto played = std::make_shared<model::Timeline>();
        const auto add = [&](std::int32_t stage, model::SpanKind kind, std::int64_t from_ms, std::int64_t to_ms) {
            model::Span span;
            span.instance = stage;
            span.kind = kind;
            span.begin_ns = from_ms * 1'000'000;
            span.end_ns = to_ms * 1'000'000;
            played->spans.push_back(span);
        };
        played->instances = {0, 1};
        add(0, model::SpanKind::forward, 0, 3);
        add(0, model::SpanKind::idle, 3, 10);
        add(1, model::SpanKind::backward, 0, 10);
        timeline::TimelineCanvas canvas;
        canvas.resize(800, 200);
        canvas.show_tracks({{QStringLiteral("measured"), played, 0}}, {0, 10e6});
        canvas.show();
        const Parts lanes = parts_of(canvas, QAccessible::ListItem);
        QCOMPARE(lanes.size(), std::size_t{2});
        QCOMPARE(name(lanes[0]), QStringLiteral("Stage 1, measured"));
        QVERIFY2(value(lanes[0]).startsWith(QStringLiteral("Forward 3")), qPrintable(value(lanes[0])));
        QVERIFY2(value(lanes[0]).contains(QStringLiteral("bubble 70")), qPrintable(value(lanes[0])));
        QVERIFY2(value(lanes[1]).startsWith(QStringLiteral("Backward 10")), qPrintable(value(lanes[1])));
        canvas.select(timeline::Range{0, 3e6});
        QVERIFY2(value(lanes[0]).contains(QStringLiteral("bubble 0")), qPrintable(value(lanes[0])));
        QVERIFY(!lanes[1]->state().selected);
        canvas.mark(1);
        QVERIFY(lanes[1]->state().selected && !lanes[0]->state().selected);
        QVERIFY(lanes[1]->rect().contains(canvas.mapToGlobal(QPoint(300, *canvas.lane_at(1, 0)))));
        canvas.show_tracks({}, {0, 1});
        QVERIFY(!lanes[0]->isValid());
    }

    void screen_reader_hears_mesh_elements_with_their_states() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        testing::ScriptedMesh mesh(cluster);
        cluster.connect_to(QStringLiteral("lab"));
        cluster.play();
        console.action("topology")->trigger();
        mesh.tell();
        QCoreApplication::processEvents();
        auto& map = *console.find<topology::MeshMap>("meshMap");
        const Element link{Element::Kind::link, "mg-1", "sr-1"};
        const auto part_of = [&](const Element& element) -> QAccessibleInterface* {
            for (QAccessibleInterface* part : parts_of(map, QAccessible::ListItem))
                if (name(part) == topology::title_of(element, map.picture())) return part;
            return nullptr;
        };
        for (const Element& element :
             {link, Element{Element::Kind::device, "sr-2", {}}, Element{Element::Kind::node, "mic-1/node-1", {}}}) {
            const QAccessibleInterface* part = part_of(element);
            QVERIFY2(part, element.name.c_str());
            QCOMPARE(value(part), map.state_text(element));
            QVERIFY(!part->state().selected);
        }
        map.select(link, true);
        QVERIFY(part_of(link)->state().selected);
        mesh.at(1).neighbours[0].usable = mesh.at(3).neighbours[0].usable = false;
        const QString before = value(part_of(link));
        mesh.tell();
        QVERIFY(value(part_of(link)) != before);
    }

    void screen_reader_hears_units_with_their_states() {
        testing::ConnectedConsole shown("Tasks");
        shown.console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
        shown.console.action("task_graph")->trigger();
        QCoreApplication::processEvents();
        auto& view = *shown.console.find<graphview::UnitView>("unitView");
        const Parts units = parts_of(view, QAccessible::ListItem);
        QCOMPARE(units.size(), std::size_t{2});
        QCOMPARE(name(units[0]), QStringLiteral("Stage 1, Forward"));
        QCOMPARE(value(units[0]), QStringLiteral("running"));
        QCOMPARE(value(units[1]), QStringLiteral("running"));
        shown.console.window->context().selection.select(
            model::Selected::of_unit(Sid("gpt-text-1/stage-0/backward/0")));
        QVERIFY(units[1]->state().selected && !units[0]->state().selected);
    }

    void screen_reader_hears_curves_with_their_newest_values() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        cluster.play();
        console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
        console.show_dock("Telemetry");
        const auto charts = console.find<charts::TelemetryView>("telemetry")->findChildren<charts::LineChart*>();
        const auto chart = [&](const char* title) -> charts::LineChart& {
            return **std::ranges::find(charts, QString::fromLatin1(title), &charts::LineChart::title);
        };
        QCOMPARE(name(&told(chart("Loss"))), QStringLiteral("Loss"));
        QCOMPARE(told(chart("Loss")).role(), QAccessible::Chart);
        Parts curves = parts_of(chart("Loss"), QAccessible::Graphic);
        QCOMPARE(curves.size(), std::size_t{2});
        QCOMPARE(name(curves[0]), QStringLiteral("Training"));
        QCOMPARE(value(curves[0]), QStringLiteral("3.5000"));
        QCOMPARE(curves[0]->text(QAccessible::Description), QStringLiteral("Step: 10, 3.5000"));
        QCOMPARE(name(curves[1]), QStringLiteral("Validation"));
        curves = parts_of(chart("Throughput"), QAccessible::Graphic);
        QCOMPARE(curves.size(), std::size_t{1});
        QCOMPARE(value(curves[0]), QStringLiteral("170.0000 samples/s"));
        cluster.tell(control::StepDone{TaskId("gpt-text-1"), {11, 3.0F, 100, 180, 1}});
        Q_EMIT cluster.dataChanged();
        QCOMPARE(value(parts_of(chart("Loss"), QAccessible::Graphic)[0]), QStringLiteral("3.0000"));
    }
};

DIVISI_WINDOW_TEST(AccessibleTest)

}  // namespace accessible_test

#include "accessible_test.moc"
