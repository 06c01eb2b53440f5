// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/diagram/cut_drag.h"

#include <QSignalSpy>

#include "tests/support/test_program.h"
#include "tests/unit/app/shown_chain.h"

namespace cut_drag_test {

using namespace divisi;
using graphview::CutDrag;

namespace {

struct DraggedChain : testing::ViewedChain {
    CutDrag drag{document, canvas, view};

    DraggedChain() : ViewedChain({4}) { drag.press(0); }
};

}  // namespace

class CutDragTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void dragged_cut_snaps_to_a_legal_position_and_is_dropped_there() {
        DraggedChain chain;
        QVERIFY(!chain.drag.dragging());
        chain.drag.drag_to(chain.drag.snap_point(7), true);
        QVERIFY(chain.drag.dragging() && chain.drag.snapped());
        QCOMPARE(chain.document.shown_cuts(), model::Cuts{7});
        QCOMPARE(chain.document.cuts(), model::Cuts{4});
        chain.drag.drop();
        chain.drag.release();
        QCOMPARE(chain.document.cuts(), model::Cuts{7});
        QCOMPARE(chain.drag.pressed(), -1);
        QVERIFY(!chain.drag.dragging() && !chain.drag.snapped());
    }

    void a_key_switches_snapping_off_without_moving_the_cut() {
        DraggedChain chain;
        chain.drag.set_snapping(false);  // before the drag, it has no effect
        chain.drag.drag_to(chain.drag.snap_point(7), true);
        chain.drag.set_snapping(false);
        QVERIFY(!chain.drag.snaps() && !chain.drag.snapped());
        QCOMPARE(chain.document.shown_cuts(), model::Cuts{7});
        chain.drag.set_snapping(true);
        QVERIFY(chain.drag.snapped());
    }

    void a_refused_drop_returns_the_cut() {
        DraggedChain chain;
        QString reason;
        chain.drag.set_judge([&reason](int, std::int32_t) { return reason; });
        const QSignalSpy hints(&chain.drag, &CutDrag::hint);
        chain.drag.drag_to(chain.drag.snap_point(7), true);
        QVERIFY(chain.drag.refusal().isEmpty());
        reason = QStringLiteral("no memory");
        chain.drag.judge_again();
        QCOMPARE(chain.drag.refusal(), reason);
        chain.drag.drop();
        QCOMPARE(chain.document.shown_cuts(), model::Cuts{4});
        QCOMPARE(hints.size(), 1);
    }

    void card_signals_only_changed_texts() {
        graphview::CutCard card;
        const QSignalSpy changed(&card, &graphview::CutCard::changed);
        card.set_price(QStringLiteral("2 ms"));
        card.set_price(QStringLiteral("2 ms"));
        card.set_notes({QStringLiteral("note")});
        QCOMPARE(changed.size(), 2);
        QCOMPARE(card.price(), QStringLiteral("2 ms"));
    }
};

DIVISI_WINDOW_TEST(CutDragTest)

}  // namespace cut_drag_test

#include "cut_drag_test.moc"
