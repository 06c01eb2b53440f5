// SPDX-License-Identifier: Apache-2.0
#include "backend/control/state/stated_nodes.h"

#include "tests/support/test_program.h"

namespace stated_nodes_test {

using namespace divisi;
using namespace divisi::control;

/// Tests that statements of the cluster file about nodes override the reports of their agents.
class StatedNodesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cluster_file_overrides_the_report_of_the_agent();
    void node_rates_are_those_of_its_gpus_if_it_has_any();
    void plan_for_a_file_assumes_its_nodes_are_ready();
};

void StatedNodesTest::cluster_file_overrides_the_report_of_the_agent() {
    NodeInfo node;
    node.secure = true;
    node.memory = 1;
    node.devices = {{"cpu", "a processor", 8, 1 << 20, 1e9, 1e9}};
    NodeInfo told = node;
    apply_stated(told, {});
    QVERIFY(!told.secure && told.memory == 0);
    QCOMPARE(told.devices[0].flops_per_s, 0.0);
    QCOMPARE(told.devices[0].cores, 8);
    apply_stated(node, {2, 1 << 10, 5e9, 0, true});
    QVERIFY(node.secure);
    QCOMPARE(node.memory, Bytes{1 << 10});
    QCOMPARE(node.devices[0].cores, 2);
    QCOMPARE(node.devices[0].memory, Bytes{1 << 20});
    QCOMPARE(node.devices[0].flops_per_s, 5e9);
}

void StatedNodesTest::node_rates_are_those_of_its_gpus_if_it_has_any() {
    NodeInfo node;
    node.devices = {{"cpu", "a processor", 8, 0}, {"cuda:0", "a GPU", 0, 0}};
    apply_stated(node, {0, 0, 4e13, 1e12, false});
    QCOMPARE(node.devices[0].flops_per_s, 0.0);
    QCOMPARE(node.devices[1].flops_per_s, 4e13);
    QCOMPARE(node.devices[1].bytes_per_s, 1e12);
}

void StatedNodesTest::plan_for_a_file_assumes_its_nodes_are_ready() {
    task::ClusterSpec spec;
    spec.name = "lab";
    spec.mics = {{"m", {}}};
    task::ClusterNode node;
    node.name = "a";
    node.endpoint = "tcp://10.0.0.2:7610";
    node.devices = {"cpu", "cuda:0"};
    node.type = "a GPU";
    node.secure = true;
    spec.mics[0].nodes.push_back(node);
    node.name = "b";
    node.endpoint = "tcp://10.0.0.2:7611";
    spec.mics[0].nodes.push_back(node);
    const ClusterState state = assume_all_ready(spec);
    QCOMPARE(state.name, std::string("lab"));
    QCOMPARE(state.nodes.size(), std::size_t{2});
    const NodeView& view = state.nodes.at(NodeId("m/a"));
    QVERIFY(view.state == NodeState::ready && view.info.secure);
    QCOMPARE(view.info.host, state.nodes.at(NodeId("m/b")).info.host);
    QCOMPARE(view.info.devices[0].type, std::string("cpu"));
    QCOMPARE(view.info.devices[1].type, std::string("a GPU"));
}

DIVISI_TEST(StatedNodesTest)

}  // namespace stated_nodes_test

#include "stated_nodes_test.moc"
