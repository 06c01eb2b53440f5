// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/tracking/selected_instance.h"

#include "tests/support/test_program.h"

namespace selected_instance_test {

using namespace divisi;
using model::instance_of;
using model::Selected;

class SelectedInstanceTest : public QObject {
    Q_OBJECT
private:
    control::ClusterState cluster_;

private Q_SLOTS:
    void initTestCase() {
        control::TaskView task;
        task.id = TaskId("gpt-3");
        task.units = {{Sid("gpt-3/stage-0/forward/0"), "forward", InstanceId("gpt-3/stage-0/0"), {}, {}},
                      {Sid("gpt-3/stage-1/forward/0"), "forward", InstanceId("gpt-3/stage-1/0"), {}, {}}};
        cluster_.tasks[task.id] = task;
    }

    void instance_of_a_unit_is_the_one_that_runs_it() {
        QCOMPARE(instance_of(Selected::of_unit(Sid("gpt-3/stage-1/forward/0")), cluster_),
                 InstanceId("gpt-3/stage-1/0"));
    }

    void unknown_instance_is_still_selected() {
        QCOMPARE(instance_of(Selected::of_instance(InstanceId("gone/0")), cluster_), InstanceId("gone/0"));
    }

    void block_keeps_the_instance_with_which_it_was_selected() {
        QCOMPARE(instance_of(Selected::of_block("/a", InstanceId("gpt-3/stage-1/0")), cluster_),
                 InstanceId("gpt-3/stage-1/0"));
        QCOMPARE(instance_of(Selected::of_block("/a"), cluster_), InstanceId());
    }

    void unknown_element_has_no_instance() {
        QCOMPARE(instance_of(Selected::of_unit(Sid("gpt-3/stage-7/forward/0")), cluster_), InstanceId());
        QCOMPARE(instance_of(Selected::of_unit(Sid("other/stage-0/forward/0")), cluster_), InstanceId());
        QCOMPARE(instance_of(Selected::of_node(NodeId("mic-1/node-1")), cluster_), InstanceId());
        QCOMPARE(instance_of({}, cluster_), InstanceId());
    }
};

DIVISI_TEST(SelectedInstanceTest)

}  // namespace selected_instance_test

#include "selected_instance_test.moc"
