// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/diagram/block_sweep.h"

#include "tests/support/test_program.h"
#include "tests/unit/app/sample_graphs.h"

namespace block_sweep_test {

using namespace divisi;
using graphview::BlockSweep;
using Blocks = std::vector<std::int32_t>;

namespace {

graphview::Layout chain_layout() {
    const model::ModelPtr model = testing::chain_model(20);
    return {*model, std::vector<bool>(model->tree.blocks.size(), true)};
}

}  // namespace

class BlockSweepTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void a_stroke_covers_the_blocks_on_its_path() {
        const graphview::Layout layout = chain_layout();
        const QPointF third = layout.blocks()[3].rect.center(), fourth = layout.blocks()[4].rect.center();
        BlockSweep sweep;
        sweep.begin(BlockSweep::Kind::stroke, third);
        QCOMPARE(sweep.move(layout, third, third, 1), Blocks{3});
        QCOMPARE(sweep.move(layout, third, fourth, 1), (Blocks{3, 4}));
        QCOMPARE(sweep.move(layout, fourth, fourth, 1), Blocks{4});  // returns only the blocks of the last move
    }

    void a_frame_covers_what_it_touches() {
        const graphview::Layout layout = chain_layout();
        const QRectF around = layout.blocks()[2].rect.adjusted(-4, -4, 4, 4);
        BlockSweep sweep;
        sweep.begin(BlockSweep::Kind::frame, around.bottomRight());
        QCOMPARE(sweep.move(layout, around.bottomRight(), around.topLeft(), 1), Blocks{2});
        QCOMPARE(sweep.move(layout, around.topLeft(), around.bottomRight(), 1), Blocks());  // the frame is empty
    }

    void a_lasso_covers_the_centres_inside() {
        const graphview::Layout layout = chain_layout();
        const QRectF around = layout.blocks()[5].rect.adjusted(-6, -6, 6, 6);
        BlockSweep sweep;
        sweep.begin(BlockSweep::Kind::lasso, around.topLeft());
        QCOMPARE(sweep.move(layout, around.topLeft(), around.topRight(), 1), Blocks());
        sweep.move(layout, around.topRight(), around.bottomRight(), 1);
        QCOMPARE(sweep.move(layout, around.bottomRight(), around.bottomLeft(), 1), Blocks{5});
    }

    void a_lasso_ignores_moves_of_a_few_pixels() {
        const graphview::Layout layout = chain_layout();
        const QRectF around = layout.blocks()[5].rect.adjusted(-6, -6, 6, 6);
        BlockSweep sweep;
        sweep.begin(BlockSweep::Kind::lasso, around.topLeft());
        for (const QPointF& corner : {around.topRight(), around.bottomRight(), around.bottomLeft()})
            QCOMPARE(sweep.move(layout, around.topLeft(), corner, 0.001), Blocks());
    }
};

DIVISI_TEST(BlockSweepTest)

}  // namespace block_sweep_test

#include "block_sweep_test.moc"
