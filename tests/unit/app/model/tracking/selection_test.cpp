// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/tracking/selection.h"

#include <QSignalSpy>

#include "tests/support/test_program.h"

namespace selection_test {

using namespace divisi;
using model::Selected;
using model::Selection;

class SelectionTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nothing_is_selected_at_first() {
        const Selection selection;
        QVERIFY(!selection.current());
        QCOMPARE(selection.current(), Selected());
    }

    void change_is_signalled_once() {
        Selection selection;
        QSignalSpy changed(&selection, &Selection::changed);
        selection.select(Selected::of_node(NodeId("mic-1/node-2")));
        selection.select(Selected::of_node(NodeId("mic-1/node-2")));
        QCOMPARE(changed.count(), 1);
        QCOMPARE(selection.current().id, std::string("mic-1/node-2"));
        selection.clear();
        QCOMPARE(changed.count(), 2);
        QVERIFY(!selection.current());
    }

    void elements_with_equal_names_are_distinguished() {
        QVERIFY(Selected::of_device("a") != Selected::of_node(NodeId("a")));
        QVERIFY(Selected::of_step(TaskId("t"), 3) != Selected::of_step(TaskId("t"), 4));
        QVERIFY(Selected::of_step(TaskId("t"), 3) != Selected::of_step(TaskId("u"), 3));
        QVERIFY(Selected::of_block("/a") != Selected::of_block("/b"));
    }

    void a_link_has_no_direction() { QCOMPARE(Selected::of_link("b", "a"), Selected::of_link("a", "b")); }

    void unit_belongs_to_the_task_of_its_sid() {
        const Selected unit = Selected::of_unit(Sid("gpt-3/forward-1/0"));
        QCOMPARE(unit.task, TaskId("gpt-3"));
        QCOMPARE(unit.id, std::string("gpt-3/forward-1/0"));
    }

    void listener_cannot_change_the_selection_while_notified() {
        Selection selection;
        const Selected wanted = Selected::of_task(TaskId("gpt-3"));
        connect(&selection, &Selection::changed, &selection,
                [&selection] { selection.select(Selected::of_device("router-1")); });
        QSignalSpy changed(&selection, &Selection::changed);
        selection.select(wanted);
        QCOMPARE(selection.current(), wanted);
        QCOMPARE(changed.count(), 1);
    }

    void subjects_are_listed_from_the_most_specific_on() {
        const TaskId task("gpt-1");
        const InstanceId instance("gpt-1/stage-0/0#1");
        const NodeId node("mic-1/node-1");
        QCOMPARE(model::things_of(instance, node, task),
                 (std::vector<Selected>{Selected::of_instance(instance, task), Selected::of_node(node),
                                        Selected::of_task(task)}));
        QCOMPARE(model::things_of({}, {}, task), std::vector<Selected>{Selected::of_task(task)});
        QVERIFY(model::things_of({}, {}, {}).empty());
    }
};

DIVISI_TEST(SelectionTest)

}  // namespace selection_test

#include "selection_test.moc"
