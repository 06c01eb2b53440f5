// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/diagram/block_colours.h"

#include <QSignalSpy>

#include "app/graphview/diagram/search_matches.h"
#include "tests/support/test_program.h"
#include "tests/unit/app/shown_chain.h"

namespace block_colours_test {

using namespace divisi;
using graphview::BlockColours;
using graphview::SegmentBrush;
using model::ColourBy;

class BlockColoursTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void segment_colours_change_with_the_cuts() {
        testing::ShownChain chain({4});
        const SegmentBrush brush(chain.document, chain.canvas);
        BlockColours colours(chain.document, chain.canvas, brush);
        colours.set_by(ColourBy::segment);
        const graph::NodeIndex last = chain.document.position(4);
        QCOMPARE(colours.segment(last), 0);
        QCOMPARE(colours.segment(last + 1), 1);
        const QSignalSpy changed(&colours, &BlockColours::changed);
        colours.update_segments();
        QCOMPARE(changed.size(), 0);  // the cuts have not changed
        QVERIFY(chain.document.move_cut(0, 7));
        colours.update_segments();
        QCOMPARE(changed.size(), 1);
        QCOMPARE(colours.segment(last + 1), 0);
        colours.set_by(ColourBy::nothing);
        QCOMPARE(colours.segment(last), -1);
    }

    void segments_are_shown_while_painting() {
        testing::ShownChain chain({4});
        SegmentBrush brush(chain.document, chain.canvas);
        BlockColours colours(chain.document, chain.canvas, brush);
        colours.show();
        QCOMPARE(colours.segment(0), -1);
        brush.set_painting(true);
        colours.update_segments();
        QCOMPARE(colours.segment(0), 0);
        brush.set_painting(false);
        colours.update_segments();
        QCOMPARE(colours.segment(0), -1);
    }

    void colouring_by_memory_gives_each_block_a_value() {
        testing::ShownChain chain;
        const SegmentBrush brush(chain.document, chain.canvas);
        BlockColours colours(chain.document, chain.canvas, brush);
        colours.set_by(ColourBy::memory);
        QCOMPARE(colours.figures().value.size(), chain.blocks().size());
        chain.canvas.show(nullptr, nullptr);
        const QSignalSpy changed(&colours, &BlockColours::changed);
        colours.show();
        QCOMPARE(changed.size(), 1);
        QVERIFY(colours.figures().value.empty());
    }

    void matches_are_shown_until_they_are_forgotten() {
        testing::ShownChain chain;
        graphview::SearchMatches matches(chain.canvas);
        const QSignalSpy changed(&matches, &graphview::SearchMatches::changed);
        matches.set({7}, true);
        QVERIFY(matches.contains(7));
        QVERIFY(!matches.contains(6));
        matches.set({}, false);
        QVERIFY(!matches.contains(7));
        QCOMPARE(changed.size(), 2);
        matches.set({3}, true);
        matches.forget();
        QVERIFY(matches.nodes().empty());
    }
};

DIVISI_WINDOW_TEST(BlockColoursTest)

}  // namespace block_colours_test

#include "block_colours_test.moc"
