// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/placing/layout.h"

#include <QElapsedTimer>

#include "tests/support/test_program.h"
#include "tests/unit/app/sample_graphs.h"

namespace layout_test {

using namespace divisi;

namespace {

model::LoadedModel pairs(int count) { return model::LoadedModel(testing::scoped_chain(count, 2), {}); }

/// Opens every shown scope, one at a time. The blocks above the scope must stay. All blocks below must move straight
/// down by the same distance.
void check_that_opening_moves_nothing_else(const model::LoadedModel& model, const std::vector<bool>& open) {
    const graphview::Layout before(model, open);
    for (const graphview::PlacedBlock& scope : before.blocks()) {
        if (scope.first == scope.last) continue;
        std::vector<bool> more = open;
        more[static_cast<std::size_t>(scope.block)] = true;
        const graphview::Layout after(model, more);
        std::optional<double> down;
        for (const graphview::PlacedBlock& placed : before.blocks()) {
            if (placed.block == scope.block) continue;
            const QRectF& moved = after.blocks()[static_cast<std::size_t>(after.placed_at(placed.first))].rect;
            QCOMPARE(moved.left(), placed.rect.left());
            const double by = moved.top() - placed.rect.top();
            if (placed.first < scope.first) QCOMPARE(by, 0.0);
            else QCOMPARE(by, *(down ? down : down = by));
        }
        QVERIFY(!down || *down > 0);
    }
}

}  // namespace

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

    void operators_before_a_cut_are_above_its_line() {
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

    void long_chain_is_folded_into_rows() {
        const model::LoadedModel model(testing::chain(3000), {});
        const graphview::Layout layout(model, std::vector<bool>(model.tree.blocks.size(), true));
        QVERIFY(layout.folded());
        const QRectF& bounds = layout.bounds();
        QVERIFY2(bounds.width() > bounds.height() / 3 && bounds.width() < bounds.height() * 3,
                 qPrintable(QStringLiteral("%1 x %2").arg(bounds.width()).arg(bounds.height())));
        std::int32_t next = 0;
        for (const graphview::Row& row : layout.rows()) {  // covers all blocks in canonical order
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
        const model::LoadedModel model = pairs(300);
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

    void cut_divides_folded_rows_at_its_place() {
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
            // A pointer at this position of the row finds the cut, even slightly above or below the row.
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

    void legal_cuts_between_two_y_positions_are_found() {
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

    void opening_a_scope_moves_nothing_else() {
        model::ModelSource gpt;
        gpt.zoo = "gpt";
        const auto loaded = model::load_model(gpt);
        QVERIFY(loaded.ok());
        const model::LoadedModel& model = **loaded;
        for (const std::size_t shown : {1u, 30u, 100u})
            check_that_opening_moves_nothing_else(model, model::initially_open(model.tree, shown));
    }

    void opening_a_scope_of_folded_rows_moves_nothing_else() {
        const model::LoadedModel model = pairs(300);
        const std::vector<bool> closed(model.tree.blocks.size(), false);
        check_that_opening_moves_nothing_else(model, closed);
        std::vector<bool> open = closed;
        open[static_cast<std::size_t>(model.tree.blocks[0].children[100])] = true;
        check_that_opening_moves_nothing_else(model, open);
    }

    void a_long_column_of_open_scopes_is_not_folded() {
        const model::LoadedModel model = pairs(300);
        const graphview::Layout layout(model, std::vector<bool>(model.tree.blocks.size(), true));
        QVERIFY(!layout.folded());
        QCOMPARE(layout.scopes().size(), 300u);
    }

    void cancelled_layout_ends_soon() {
        const model::LoadedModel model(testing::residual(3334), {});
        const std::vector<bool> open(model.tree.blocks.size(), true);
        int looks = 0;
        const auto whole = graphview::Layout::made(model, open, [&looks] { return ++looks < 0; });
        QVERIFY(whole.has_value());
        QCOMPARE(whole->blocks().size(), 10'002u);
        QVERIFY2(looks > 5 * 10'002 / 1024, qPrintable(QString::number(looks)));
        for (int last = 1; last <= looks; ++last) {
            int asked = 0;
            QVERIFY(!graphview::Layout::made(model, open, [&] { return ++asked >= last; }));
            QCOMPARE(asked, last);  // no further check: the work ended immediately
        }
    }

    void a_layout_outlives_its_model() {
        graphview::Layout layout;
        std::vector<graph::NodeIndex> legal;
        {
            const model::LoadedModel model = pairs(20);
            layout = graphview::Layout(model, std::vector<bool>(model.tree.blocks.size(), false));
            legal = model.cuts.legal;
        }
        QCOMPARE(layout.nearest_cut(layout.cut_line(legal[3]).anchor_y) >= 0, true);
        QCOMPARE(layout.cuts_between(-1e9, 1e9), std::pair(0, static_cast<std::int32_t>(legal.size()) - 1));
    }

    void batch_size_does_not_change_the_model_structure() {
        model::ModelSource source;
        source.zoo = "gpt";
        const auto one = model::load_model(source);
        source.batch = 4;
        const auto batched = model::load_model(source);
        QVERIFY(one.ok() && batched.ok());
        QCOMPARE((*one)->structure, (*batched)->structure);
        QVERIFY(pairs(20).structure != pairs(21).structure);
        QVERIFY(pairs(20).structure != model::LoadedModel(testing::chain(40), {}).structure);  // different scopes
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

DIVISI_TEST(LayoutTest)

}  // namespace layout_test

#include "layout_test.moc"
