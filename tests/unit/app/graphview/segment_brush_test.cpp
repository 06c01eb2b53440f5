// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/diagram/segment_brush.h"

#include <QSignalSpy>

#include "tests/support/test_program.h"
#include "tests/unit/app/shown_chain.h"

namespace segment_brush_test {

using namespace divisi;
using graphview::SegmentBrush;

class SegmentBrushTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void painting_needs_a_shown_graph() {
        model::GraphDocument document;
        const graphview::GraphCanvas canvas;
        SegmentBrush brush(document, canvas);
        brush.set_painting(true);
        QVERIFY(!brush.painting());
        QCOMPARE(brush.segment_count(), 0);
    }

    void a_stroke_becomes_one_undo_step() {
        testing::ShownChain chain({4});
        SegmentBrush brush(chain.document, chain.canvas);
        brush.choose(1);
        brush.begin_stroke();
        brush.paint({0});
        brush.paint({1});
        QVERIFY(chain.document.previewing());
        brush.commit_stroke();
        QVERIFY(brush.last_stroke_painted());
        QCOMPARE(chain.document.undo_stack().index(), 1);
        QCOMPARE(chain.segment_of(0), 1);
        QCOMPARE(chain.segment_of(1), 1);
        QCOMPARE(chain.segment_of(2), 0);
    }

    void a_frame_replaces_what_it_has_painted_before() {
        testing::ShownChain chain({4});
        SegmentBrush brush(chain.document, chain.canvas);
        brush.choose(1);
        brush.begin_stroke();
        brush.repaint({0, 1});
        brush.repaint({});
        QVERIFY(!chain.document.previewing());
        brush.repaint({1});
        brush.commit_stroke();
        QCOMPARE(chain.segment_of(0), 0);
        QCOMPARE(chain.segment_of(1), 1);
    }

    void at_most_one_new_segment_can_be_chosen() {
        testing::ShownChain chain({4});
        SegmentBrush brush(chain.document, chain.canvas);
        const QSignalSpy changed(&brush, &SegmentBrush::changed);
        brush.choose(50);
        QCOMPARE(brush.segment(), 2);
        brush.choose(-1);
        QCOMPARE(brush.segment(), 0);
        brush.pick(19);
        QCOMPARE(brush.segment(), 1);
        brush.pick(-1);  // the background
        QCOMPARE(brush.segment(), 1);
        QCOMPARE(changed.size(), 4);
    }

    void digit_key_chooses_a_segment_or_paints_the_selection() {
        testing::ShownChain chain({4});
        SegmentBrush brush(chain.document, chain.canvas);
        QVERIFY(!brush.paint_key(Qt::Key_A));
        QVERIFY(!brush.paint_key(Qt::Key_2));  // the brush is off and no block is selected
        chain.canvas.set_selected(3);
        QVERIFY(brush.paint_key(Qt::Key_2));
        QCOMPARE(chain.segment_of(3), 1);
        chain.canvas.set_selected(-1, {});
        brush.set_painting(true);
        QVERIFY(brush.paint_key(Qt::Key_1));
        QCOMPARE(brush.segment(), 0);
        const QSignalSpy hints(&brush, &SegmentBrush::hint);
        QVERIFY(brush.paint_key(Qt::Key_9));  // handled, but there is no ninth segment
        QCOMPARE(hints.size(), 1);
        QCOMPARE(brush.segment(), 0);
    }

    void a_cycle_is_mended_without_the_last_stroke() {
        testing::ShownChain chain({9});
        SegmentBrush brush(chain.document, chain.canvas);
        QVERIFY(!brush.mended());
        brush.choose(1);
        brush.begin_stroke();
        brush.paint({4});
        brush.commit_stroke();
        QVERIFY(!chain.document.shown_cycle().empty());
        QVERIFY(brush.mended());
        brush.mend();
        QVERIFY(chain.document.shown_cycle().empty());
        QCOMPARE(chain.segment_of(4), 1);
    }
};

DIVISI_WINDOW_TEST(SegmentBrushTest)

}  // namespace segment_brush_test

#include "segment_brush_test.moc"
