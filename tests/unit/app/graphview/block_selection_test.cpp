// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/diagram/block_selection.h"

#include <QSignalSpy>

#include "tests/support/test_program.h"
#include "tests/unit/app/shown_chain.h"

namespace block_selection_test {

using namespace divisi;
using graphview::BlockSelection;
using Blocks = std::vector<std::int32_t>;

class BlockSelectionTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void one_block_is_selected() {
        testing::ViewedChain chain;
        BlockSelection selection(chain.canvas, chain.camera);
        const QSignalSpy changed(&selection, &BlockSelection::changed);
        selection.select(chain.blocks()[3].block, true);
        QCOMPARE(selection.block(), chain.blocks()[3].block);
        QVERIFY(selection.contains(chain.blocks()[3].block));
        selection.select(-1, false);
        QCOMPARE(selection.block(), -1);
        QCOMPARE(changed.size(), 2);
        QCOMPARE(selection.choices(), 2);
    }

    void shift_extends_from_the_anchor_and_ctrl_toggles() {
        testing::ViewedChain chain;
        BlockSelection selection(chain.canvas, chain.camera);
        const QSignalSpy hints(&selection, &BlockSelection::hint);
        selection.click(3, {});
        selection.click(6, Qt::ShiftModifier);
        QCOMPARE(chain.canvas.all_selected(), (Blocks{3, 4, 5, 6}));
        QCOMPARE(hints.size(), 1);
        selection.click(5, Qt::ControlModifier);
        QCOMPARE(chain.canvas.all_selected(), (Blocks{3, 4, 6}));
        selection.click(-1, Qt::ControlModifier);  // the background
        QCOMPARE(selection.block(), -1);
    }

    void keys_move_to_the_ends() {
        testing::ViewedChain chain;
        BlockSelection selection(chain.canvas, chain.camera);
        selection.move(-1, false);  // nothing is selected: starts at the other end
        QCOMPARE(selection.block(), chain.blocks()[19].block);
        selection.move(1, false);
        QCOMPARE(selection.block(), chain.blocks()[19].block);
        selection.move(-1, true);
        QCOMPARE(chain.canvas.all_selected(), (Blocks{18, 19}));
    }

    void marking_operators_selects_no_block() {
        testing::ViewedChain chain;
        BlockSelection selection(chain.canvas, chain.camera);
        selection.mark_operators(2, 4);
        QCOMPARE(selection.block(), -1);
        QVERIFY(selection.contains(chain.blocks()[3].block));
        QVERIFY(!selection.contains(chain.blocks()[5].block));
    }

    void all_blocks_of_a_segment_are_selected() {
        testing::ViewedChain chain({4});
        const model::Painting painting = chain.document.start_painting();
        chain.canvas.set_painting(&painting, {});
        BlockSelection selection(chain.canvas, chain.camera);
        selection.select_segment(0);
        QVERIFY(selection.contains(chain.blocks().front().block));
        QVERIFY(!selection.contains(chain.blocks().back().block));
        selection.select_segment(7);  // has no blocks
        QCOMPARE(selection.block(), -1);
    }
};

DIVISI_WINDOW_TEST(BlockSelectionTest)

}  // namespace block_selection_test

#include "block_selection_test.moc"
