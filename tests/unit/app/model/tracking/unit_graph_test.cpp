// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/tracking/unit_graph.h"

#include <QSignalSpy>

#include "tests/support/test_program.h"

namespace unit_graph_test {

using namespace divisi;
using control::UnitState;

class UnitGraphTest : public QObject {
    Q_OBJECT
    std::vector<control::UnitView> units(UnitState forward) {
        const Sid load("t/data/load/0"), stage0("t/stage-0/forward/0"), stage1("t/stage-1/forward/0");
        return {{load, "load", {}, {}, UnitState::done},
                {stage0, "forward", {}, {load}, forward},
                {stage1, "forward", {}, {stage0}, UnitState::waiting}};
    }
    /// Returns two stages, each with an instance that runs its forward and backward units.
    std::vector<control::UnitView> stages() {
        const Sid forward0("t/stage-0/forward/0"), forward1("t/stage-1/forward/0"), backward1("t/stage-1/backward/0"),
            backward0("t/stage-0/backward/0");
        const InstanceId first("t/stage-0/0"), second("t/stage-1/0");
        return {{forward0, "forward", first, {}, UnitState::running},
                {backward0, "backward", first, {forward0, backward1}, UnitState::running},
                {forward1, "forward", second, {forward0}, UnitState::running},
                {backward1, "backward", second, {forward1}, UnitState::running}};
    }
    static control::InstanceLoad working(const char* operation, std::int64_t ms) {
        control::InstanceLoad load;
        load.operation = operation;
        load.operation_ms = ms;
        return load;
    }
    static control::InstanceLoad waiting(const char* for_whom, std::int64_t ms) {
        control::InstanceLoad load;
        load.waits_for = {InstanceId(for_whom)};
        load.waits_ms = ms;
        return load;
    }
private Q_SLOTS:
    void only_one_unit_of_an_instance_works_or_waits() {
        using Kind = model::UnitWork::Kind;
        using Edges = std::vector<std::pair<std::size_t, std::size_t>>;
        const InstanceId first("t/stage-0/0"), second("t/stage-1/0");
        model::UnitGraph graph;
        graph.show_live(stages());
        QCOMPARE(graph.units()[0].work.kind, Kind::untold);
        QSignalSpy states(&graph, &model::UnitGraph::statesChanged);
        graph.show_live(stages(), {{first, working("forward of micro-batch 3, step 12", 7)},
                                   {second, waiting("t/stage-0/0", 300)}});
        QCOMPARE(states.count(), 1);
        QCOMPARE(graph.units()[0].work.kind, Kind::works);
        QCOMPARE(graph.units()[0].work.ms, 7);
        QCOMPARE(graph.units()[1].work.kind, Kind::idle);
        QCOMPARE(graph.units()[2].work.kind, Kind::waits);
        QCOMPARE(graph.units()[2].work.ms, 300);
        QCOMPARE(graph.units()[2].work.waits_for, std::vector<InstanceId>{first});
        QCOMPARE(graph.units()[3].work.kind, Kind::idle);
        QCOMPARE(graph.awaited(), (Edges{{0, 2}}));
        // A tensor that travels backward is on the other edge. An unknown operation counts for all units of its
        // instance.
        graph.show_live(stages(), {{first, waiting("t/stage-1/0", 20)}, {second, working("odd", 1)}});
        QCOMPARE(graph.units()[0].work.kind, Kind::idle);
        QCOMPARE(graph.units()[1].work.kind, Kind::waits);
        QCOMPARE(graph.units()[2].work.kind, Kind::works);
        QCOMPARE(graph.units()[3].work.operation, std::string("odd"));
        QCOMPARE(graph.awaited(), (Edges{{3, 1}}));
        graph.show_live(stages());
        QVERIFY(graph.awaited().empty());
    }

    /// The first stage also reads the data. The second stage waits for the first one's tensors, not for the data.
    void waiting_for_a_stage_that_reads_data_means_waiting_for_its_tensors() {
        std::vector<control::UnitView> views = stages();
        const Sid load("t/data/load/0");
        const InstanceId first("t/stage-0/0"), second("t/stage-1/0");
        views.push_back({load, "load", first, {}, UnitState::running});
        views[2].depends_on.push_back(load);
        model::UnitGraph graph;
        graph.show_live(views, {{second, waiting("t/stage-0/0", 300)}});
        QCOMPARE(graph.name_of(first), QStringLiteral("Stage 1"));
        QCOMPARE(graph.awaited(), (std::vector<std::pair<std::size_t, std::size_t>>{{0, 2}}));
    }

    void units_of_a_stopped_task_are_marked_as_stopped() {
        model::UnitGraph graph;
        graph.show_live(units(UnitState::done));
        QVERIFY(!graph.units()[1].stopped);
        QSignalSpy states(&graph, &model::UnitGraph::statesChanged);
        graph.show_live(units(UnitState::done), {}, true);
        QCOMPARE(states.count(), 1);
        QVERIFY(graph.units()[1].stopped && !graph.units()[2].stopped);  // unit 2 never started
    }

    void operation_text_is_short_and_unknown_text_unchanged() {
        QCOMPARE(model::operation_text("backward of micro-batch 3, step 12"), QStringLiteral("backward 3 of step 12"));
        QCOMPARE(model::operation_text("finish gradients, step 12"), QStringLiteral("finish gradients of step 12"));
        QCOMPARE(model::operation_text("forward 3 of step 12"), QStringLiteral("forward 3 of step 12"));
    }

    void an_instance_is_named_by_its_place() {
        model::UnitGraph graph;
        graph.show_live(stages());
        QCOMPARE(graph.name_of(InstanceId("t/stage-1/0")), QStringLiteral("Stage 2"));
        QCOMPARE(graph.name_of(InstanceId("t/data/0")), QStringLiteral("t/data/0"));
    }

    void stages_are_columns_and_kinds_are_rows() {
        model::UnitGraph graph;
        graph.show_live(units(UnitState::waiting));
        QCOMPARE(graph.units().size(), 3u);
        QCOMPARE(graph.units()[0].column, 0);
        QCOMPARE(graph.units()[2].column, 2);
        QVERIFY(graph.units()[0].row < graph.units()[1].row);
        QCOMPARE(graph.units()[1].row, graph.units()[2].row);
        QCOMPARE(graph.units()[2].depends_on, std::vector<std::size_t>{1});
    }

    void state_change_without_new_units_has_its_own_signal() {
        model::UnitGraph graph;
        graph.show_live(units(UnitState::waiting));
        QSignalSpy anew(&graph, &model::UnitGraph::unitsChanged), states(&graph, &model::UnitGraph::statesChanged);
        graph.show_live(units(UnitState::running));
        graph.show_live(units(UnitState::running));
        QCOMPARE(anew.count(), 0);
        QCOMPARE(states.count(), 1);
        QCOMPARE(graph.units()[1].state, UnitState::running);
    }

    void reason_is_shown_while_there_are_no_units() {
        model::UnitGraph graph;
        graph.show_live(units(UnitState::running));
        graph.clear(QStringLiteral("kept from 12:03 on"));
        QVERIFY(graph.units().empty());
        QCOMPARE(graph.why_none(), QStringLiteral("kept from 12:03 on"));
        QSignalSpy anew(&graph, &model::UnitGraph::unitsChanged);
        graph.show_live({});  // of a task without units yet
        QCOMPARE(anew.count(), 1);
        QVERIFY(graph.why_none().isEmpty());
        graph.clear(QStringLiteral("kept from 12:03 on"));
        graph.show_live(units(UnitState::running));
        QCOMPARE(graph.units().size(), 3u);
        QVERIFY(graph.why_none().isEmpty());
    }
};

DIVISI_TEST(UnitGraphTest)

}  // namespace unit_graph_test

#include "unit_graph_test.moc"
