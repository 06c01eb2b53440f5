// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/documents/stage_range.h"

#include "tests/support/test_program.h"
#include "tests/unit/app/sample_graphs.h"

namespace stage_range_test {

using namespace divisi;
using model::OperatorRange;

class StageRangeTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cuts_bound_the_operators_of_a_stage() {
        const model::ModelPtr model = testing::chain_model(10);
        QVERIFY(model->cuts.legal.size() >= 7);
        const std::vector<std::int32_t> cuts{2, 6};
        const graph::NodeIndex first = model->cuts.legal[2], second = model->cuts.legal[6];
        QCOMPARE(model::range_of_stage(*model, cuts, 0), (OperatorRange{0, first}));
        QCOMPARE(model::range_of_stage(*model, cuts, 1), (OperatorRange{first + 1, second}));
        QCOMPARE(model::range_of_stage(*model, cuts, 2), (OperatorRange{second + 1, model->node_count() - 1}));
        QVERIFY(!model::range_of_stage(*model, cuts, 3));
        QVERIFY(!model::range_of_stage(*model, cuts, -1));  // -1 is the number for data instances
        QVERIFY(!model::range_of_stage(*model, {999}, 0));  // cuts of another model
        QCOMPARE(model::range_of_stage(*model, {}, 0), (OperatorRange{0, model->node_count() - 1}));
    }

    void block_belongs_to_a_stage_that_computes_all_its_operators() {
        const model::ModelPtr model = testing::chain_model(10);
        const std::vector<std::int32_t> cuts{2, 6};
        for (graph::NodeIndex node = 0; node < model->node_count(); ++node) {
            const model::Block& block = model->tree.blocks[model->tree.operator_block[node]];
            const std::int32_t stage = model::stage_of_block(*model, cuts, block);
            const auto range = model::range_of_stage(*model, cuts, stage);
            QVERIFY(range && range->first <= node && node <= range->last);
            QCOMPARE(model::block_of_path(*model, block.path), model->tree.operator_block[node]);
        }
        QCOMPARE(model::stage_of_block(*model, cuts, model->tree.blocks[0]), -1);       // the whole graph
        QCOMPARE(model::stage_of_block(*model, {999}, model->tree.blocks.back()), -1);  // cuts of another model
        QCOMPARE(model::block_of_path(*model, "/not/there"), -1);
    }

    void a_stage_has_the_instance_that_runs_it() {
        control::ClusterState cluster;
        const TaskId task("gpt-1");
        cluster.tasks[task].id = task;
        for (const int stage : {0, 1}) {
            control::InstanceView one;
            one.id = InstanceId("gpt-1/stage-" + std::to_string(stage) + "/0");
            one.sid = Sid(one.id.value());
            one.task = task;
            one.stage = stage;
            cluster.instances[one.id] = one;
        }
        QCOMPARE(model::instance_of_stage(cluster, task, 1), InstanceId("gpt-1/stage-1/0"));
        QCOMPARE(model::instance_of_stage(cluster, task, 2), InstanceId());
        QCOMPARE(model::instance_of_stage(cluster, task, -1), InstanceId());
        QCOMPARE(model::instance_of_stage(cluster, TaskId("other-1"), 0), InstanceId());
    }
};

DIVISI_TEST(StageRangeTest)

}  // namespace stage_range_test

#include "stage_range_test.moc"
