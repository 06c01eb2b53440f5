// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/layout.h"

#include <QElapsedTimer>
#include <QTest>

#include "tests/unit/app/sample_graphs.h"

using namespace divisi;

class LayoutTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void data_flows_down_and_blocks_do_not_overlap() {
        const model::LoadedModel model(testing::residual(40), {});
        const graphview::Layout layout(model, std::vector<bool>(model.tree.blocks.size(), true));
        for (const graphview::PlacedEdge& edge : layout.edges())
            QVERIFY(layout.blocks()[edge.from].rect.bottom() < layout.blocks()[edge.to].rect.top());
        for (const graphview::Row& row : layout.rows())
            for (std::int32_t i = row.first + 1; i < row.first + row.count; ++i)
                QVERIFY(layout.blocks()[i - 1].rect.right() < layout.blocks()[i].rect.left());
    }

    void a_cut_has_its_segment_above_it() {
        const model::LoadedModel model(testing::residual(10), {});
        const graphview::Layout layout(model, std::vector<bool>(model.tree.blocks.size(), true));
        double before = -1e9;
        for (const graph::NodeIndex after : model.cuts.legal) {
            const graphview::CutLine line = layout.cut_line(after);
            QVERIFY(line.anchor_y > before);
            before = line.anchor_y;
            for (graph::NodeIndex node = 0; node < model.node_count(); ++node) {
                const QRectF& rect = layout.blocks()[layout.placed_at(node)].rect;
                const double y = line.straight() || rect.center().x() < line.step_x ? line.left_y : line.right_y;
                if (node <= after) QVERIFY(rect.bottom() <= y);
                else QVERIFY(rect.top() >= y);
            }
        }
    }

    void a_long_chain_is_folded_and_no_line() {
        const model::LoadedModel model(testing::chain(3000), {});
        const graphview::Layout layout(model, std::vector<bool>(model.tree.blocks.size(), true));
        QVERIFY(layout.folded());
        const QRectF& bounds = layout.bounds();
        QVERIFY2(bounds.width() > bounds.height() / 3 && bounds.width() < bounds.height() * 3,
                 qPrintable(QStringLiteral("%1 x %2").arg(bounds.width()).arg(bounds.height())));
        std::int32_t next = 0;
        for (const graphview::Row& row : layout.rows()) {  // all blocks, in canonical order
            QCOMPARE(row.first, next);
            next += row.count;
            for (std::int32_t i = row.first; i < next; ++i) {
                const QRectF& rect = layout.blocks()[i].rect;
                QCOMPARE(rect.top(), row.top);
                if (i > row.first) QVERIFY(layout.blocks()[i - 1].rect.right() < rect.left());
                else QCOMPARE(rect.left(), layout.blocks()[0].rect.left());
            }
        }
        QCOMPARE(next, 3000);
    }

    void a_long_chain_of_closed_scopes_is_folded() {
        graph::Graph graph = testing::chain(600);  // two operators a scope
        for (std::size_t i = 0; i < graph.nodes.size(); ++i)
            graph.nodes[i].name = "/stack/" + std::to_string(i / 2) + "/Gemm" + std::to_string(i % 2);
        const model::LoadedModel model(std::move(graph), {});
        const graphview::Layout layout(model, std::vector<bool>(model.tree.blocks.size(), false));
        QCOMPARE(layout.blocks().size(), 300u);
        QVERIFY(layout.folded());
        double before = -1e9;
        for (const graph::NodeIndex after : model.cuts.legal) {
            const graphview::CutLine line = layout.cut_line(after);
            QVERIFY(line.anchor_y > before);
            before = line.anchor_y;
            const QRectF& rect = layout.blocks()[layout.placed_at(after)].rect;
            if (line.inside_block) QVERIFY(rect.left() < line.step_x && line.step_x < rect.right());
        }
    }

    void a_short_chain_is_not_folded() {
        const model::LoadedModel model(testing::residual(40), {});
        const graphview::Layout layout(model, std::vector<bool>(model.tree.blocks.size(), true));
        QVERIFY(!layout.folded());
    }

    void a_cut_of_folded_rows_divides_them_at_its_place() {
        const model::LoadedModel model(testing::chain(300), {});
        const graphview::Layout layout(model, std::vector<bool>(model.tree.blocks.size(), true));
        QVERIFY(layout.folded());
        double before = -1e9;
        const auto count = static_cast<std::int32_t>(model.cuts.legal.size());
        for (std::int32_t i = 0; i < count; ++i) {
            const graph::NodeIndex after = model.cuts.legal[static_cast<std::size_t>(i)];
            const graphview::CutLine line = layout.cut_line(after);
            QVERIFY(line.anchor_y > before);
            before = line.anchor_y;
            for (graph::NodeIndex node = 0; node < model.node_count(); ++node) {
                const QRectF& rect = layout.blocks()[layout.placed_at(node)].rect;
                const double y = line.straight() || rect.center().x() < line.step_x ? line.left_y : line.right_y;
                if (node <= after ? rect.bottom() > y : rect.top() < y) QFAIL("a block on the wrong side of a cut");
            }
            // A pointer at that place of the row finds it again, a little above or below, too.
            QVERIFY(line.snap_x.has_value());
            const graphview::Row& row = layout.rows()[layout.blocks()[layout.placed_at(after)].row];
            for (const double y : {row.top - 10, (row.top + row.bottom) / 2, row.bottom + 10})
                QCOMPARE(layout.nearest_cut(QPointF(*line.snap_x, y)), i);
        }
        QCOMPARE(layout.nearest_cut(QPointF(0, -1e6)), 0);
        QCOMPARE(layout.nearest_cut(QPointF(0, 1e6)), count - 1);
    }

    void a_pointer_snaps_to_the_nearest_legal_cut() {
        const model::LoadedModel model(testing::chain(20), {});
        const graphview::Layout layout(model, std::vector<bool>(model.tree.blocks.size(), true));
        const auto count = static_cast<std::int32_t>(model.cuts.legal.size());
        QVERIFY(count > 3);
        for (std::int32_t i = 0; i < count; ++i)
            QCOMPARE(layout.nearest_cut(layout.cut_line(model.cuts.legal[i]).anchor_y + 3), i);
        QCOMPARE(layout.nearest_cut(-1e6), 0);
        QCOMPARE(layout.nearest_cut(1e6), count - 1);
    }

    void cuts_of_a_part_are_those_that_lie_in_it() {
        const model::LoadedModel model(testing::residual(30), {});
        for (const bool open : {true, false}) {
            const graphview::Layout layout(model, std::vector<bool>(model.tree.blocks.size(), open));
            for (const auto& [top, bottom] : {std::pair(-100.0, 1e9), {300.0, 900.0}, {1000.0, 1001.0}, {1e8, 1e9}}) {
                const auto [first, last] = layout.cuts_between(top, bottom);
                for (std::int32_t i = 0; i < static_cast<std::int32_t>(model.cuts.legal.size()); ++i) {
                    const double y = layout.cut_line(model.cuts.legal[i]).anchor_y;
                    QCOMPARE(i >= first && i <= last, y >= top && y <= bottom);
                }
            }
        }
    }

    void a_cut_inside_a_closed_block_runs_through_it() {
        const model::LoadedModel model(testing::chain(20), {});
        const graphview::Layout layout(model, std::vector<bool>(model.tree.blocks.size(), false));
        for (const graph::NodeIndex after : model.cuts.legal) {
            const graphview::CutLine line = layout.cut_line(after);
            if (line.inside_block)
                QVERIFY(layout.blocks()[layout.placed_at(after)].rect.contains(
                    QPointF(layout.blocks()[layout.placed_at(after)].rect.center().x(), line.left_y)));
        }
    }
};

QTEST_GUILESS_MAIN(LayoutTest)
#include "layout_test.moc"
