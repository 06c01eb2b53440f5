// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/diagram/cut_focus.h"

#include <QSignalSpy>

#include "tests/support/test_program.h"
#include "tests/unit/app/shown_chain.h"

namespace cut_focus_test {

using namespace divisi;
using graphview::CutFocus;

namespace {

struct FocusedChain : testing::ViewedChain {
    CutFocus focus{document, canvas, camera, view};
    QSignalSpy hints{&focus, &CutFocus::hint};

    explicit FocusedChain(model::Cuts cuts) : ViewedChain(std::move(cuts)) {}
};

}  // namespace

class CutFocusTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void next_cut_action_wraps_around_at_the_ends() {
        FocusedChain chain({3, 7});
        for (const int wanted : {0, 1, 0}) {
            chain.focus.next();
            QCOMPARE(chain.focus.cut(), wanted);
        }
        chain.focus.previous();
        QCOMPARE(chain.focus.cut(), 1);
    }

    void tab_key_leaves_the_graph_at_the_last_cut() {
        FocusedChain chain({3, 7});
        QVERIFY(chain.focus.step(false));
        QCOMPARE(chain.focus.cut(), 1);
        QVERIFY(!chain.focus.step(true));
        QCOMPARE(chain.focus.cut(), -1);
    }

    void a_new_cut_gets_the_focus() {
        FocusedChain chain({3});
        chain.focus.add(chain.blocks()[8].block);
        QCOMPARE(chain.document.cuts().size(), 2u);
        QCOMPARE(chain.focus.cut(), 1);
        const auto told = chain.hints.size();
        chain.focus.add(chain.blocks()[8].block);
        QCOMPARE(chain.document.cuts().size(), 2u);
        QCOMPARE(chain.hints.size(), told + 1);  // says that there is a cut already
    }

    void the_focused_cut_moves_until_the_end() {
        FocusedChain chain({1});
        chain.focus.focus(0);
        chain.focus.move(-1);
        QCOMPARE(chain.document.cuts(), model::Cuts{0});
        const auto told = chain.hints.size();
        chain.focus.move(-1);
        QCOMPARE(chain.document.cuts(), model::Cuts{0});
        QCOMPARE(chain.hints.size(), told + 1);
    }

    void a_removed_cut_loses_the_focus() {
        FocusedChain chain({3, 7});
        chain.focus.focus(1);
        QVERIFY(chain.focus.point());
        chain.focus.remove();
        chain.focus.keep_within_cuts();
        QCOMPARE(chain.focus.cut(), 0);
        chain.focus.remove();
        chain.focus.keep_within_cuts();
        QCOMPARE(chain.focus.cut(), -1);
        QVERIFY(!chain.focus.point());
    }
};

DIVISI_WINDOW_TEST(CutFocusTest)

}  // namespace cut_focus_test

#include "cut_focus_test.moc"
