// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/selection_mark.h"

#include <QSignalSpy>

#include "tests/support/test_program.h"
#include "tests/unit/app/timed_steps.h"

namespace selection_mark_test {

using namespace divisi;
using namespace divisi::charts;
using model::Selected;

namespace {

struct Marked {
    testing::TimedSteps steps;
    ChartGrid grid;
    SelectionMark mark{grid, steps.axes};
    model::Selection selection;

    Marked() { mark.follow(selection); }
};

}  // namespace

class SelectionMarkTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void the_selected_step_is_marked_on_both_axes() {
        Marked marked;
        const QSignalSpy changed(&marked.mark, &SelectionMark::changed);
        marked.selection.select(Selected::of_step(marked.steps.task, 2));
        QCOMPARE(changed.size(), 1);
        QVERIFY(!marked.grid.loss().mark());  // not before show() is called
        marked.mark.show();
        QCOMPARE(marked.grid.loss().mark(), std::optional(2.0));
        QCOMPARE(marked.grid.busy().mark(), std::optional(marked.steps.at(200)));
        marked.selection.clear();
        marked.mark.show();
        QVERIFY(!marked.grid.loss().mark() && !marked.grid.busy().mark());
    }

    void other_things_and_steps_of_other_tasks_are_not_marked() {
        Marked marked;
        for (const Selected& what : {Selected::of_step(TaskId("mlp-2"), 2), Selected::of_task(marked.steps.task),
                                     Selected::of_node(NodeId())}) {
            marked.selection.select(what);
            marked.mark.show();
            QVERIFY(marked.mark.selected() == what && !marked.mark.step());
            QVERIFY(!marked.grid.loss().mark());
        }
    }

    void a_click_selects_the_nearest_step() {
        Marked marked;
        Q_EMIT marked.grid.chart(Chart::loss).clicked(2.4);
        QCOMPARE(marked.mark.step(), std::optional(2.0));
        Q_EMIT marked.grid.chart(Chart::speed).clicked(-3);
        QCOMPARE(marked.mark.step(), std::optional(1.0));
        marked.selection.clear();
        Q_EMIT marked.grid.chart(Chart::busy).clicked(2);  // the axis of this chart is time
        QVERIFY(!marked.mark.step());
    }
};

DIVISI_WINDOW_TEST(SelectionMarkTest)

}  // namespace selection_mark_test

#include "selection_mark_test.moc"
