// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/unit_graph.h"

#include <QSignalSpy>
#include <QTest>

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
private Q_SLOTS:
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

    void a_change_of_state_alone_is_told_as_such() {
        model::UnitGraph graph;
        graph.show_live(units(UnitState::waiting));
        QSignalSpy anew(&graph, &model::UnitGraph::unitsChanged), states(&graph, &model::UnitGraph::statesChanged);
        graph.show_live(units(UnitState::running));
        graph.show_live(units(UnitState::running));
        QCOMPARE(anew.count(), 0);
        QCOMPARE(states.count(), 1);
        QCOMPARE(graph.units()[1].state, UnitState::running);
    }

    void why_there_are_none_is_said_until_there_are_some() {
        model::UnitGraph graph;
        graph.show_live(units(UnitState::running));
        graph.clear(QStringLiteral("kept from 12:03 on"));
        QVERIFY(graph.units().empty());
        QCOMPARE(graph.why_none(), QStringLiteral("kept from 12:03 on"));
        QSignalSpy anew(&graph, &model::UnitGraph::unitsChanged);
        graph.show_live({});  // of a task that has none yet
        QCOMPARE(anew.count(), 1);
        QVERIFY(graph.why_none().isEmpty());
        graph.clear(QStringLiteral("kept from 12:03 on"));
        graph.show_live(units(UnitState::running));
        QCOMPARE(graph.units().size(), 3u);
        QVERIFY(graph.why_none().isEmpty());
    }
};

QTEST_GUILESS_MAIN(UnitGraphTest)
#include "unit_graph_test.moc"
