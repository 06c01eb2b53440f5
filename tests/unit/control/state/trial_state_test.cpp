// SPDX-License-Identifier: Apache-2.0
#include "backend/control/state/trial_state.h"

#include "tests/support/test_program.h"
#include "tests/unit/control/fixture.h"

namespace trial_state_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;

class TrialStateTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void trial_state_contains_prices_of_plans_but_no_tasks() {
        Fixture fixture;
        fixture.node(1, "m/a", "host", "tcp://a");
        fixture.context.append(TaskSubmitted{TaskId("t-1"), "t", "text", "/", "", {}, "me", 0});
        fixture.context.append(PolicyChanged{{7, fixture.now, "me", "a change", "", {}}});
        ClusterState state = fixture.context.state();
        state.pools.push_back({});
        const ClusterState part = state_for_trials(state);
        QCOMPARE(part.nodes.size(), std::size_t{1});
        QCOMPARE(part.pools.size(), std::size_t{1});
        QCOMPARE(part.policies.size(), std::size_t{1});
        QCOMPARE(part.links.size(), state.links.size());
        QCOMPARE(part.devices.size(), state.devices.size());
        QVERIFY(part.tasks.empty() && part.instances.empty() && part.alerts.empty());
    }

    void stages_have_the_nodes_of_their_instances() {
        Fixture fixture;
        const TaskId task("t-1");
        fixture.node(1, "m/a", "host", "tcp://a");
        fixture.node(2, "m/b", "host", "tcp://b");
        fixture.context.append(TaskSubmitted{task, "t", "text", "/", "", {}, "me", 0});
        fixture.context.append(
            InstancePlaced{task, InstanceId("t-1/stage-1/0#1"), Sid("t-1/stage-1/0"), NodeId("m/b"), 1});
        fixture.context.append(InstancePlaced{task, InstanceId("t-1/data/0#1"), Sid("t-1/data/0"), NodeId("m/a"), -1});
        QCOMPARE(stage_nodes_of(fixture.context.state(), task), (std::vector<std::string>{"", "m/b"}));
        QCOMPARE(stage_nodes_of(fixture.context.state(), task, 3), (std::vector<std::string>{"", "m/b", ""}));
    }
};

DIVISI_TEST(TrialStateTest)

}  // namespace trial_state_test

#include "trial_state_test.moc"
