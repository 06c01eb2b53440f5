// SPDX-License-Identifier: Apache-2.0

#include "backend/plan/blocks.h"
#include "tests/support/test_program.h"
#include "tests/unit/plan/graphs.h"

namespace blocks_test {

using namespace divisi;
using namespace divisi::plan;
using divisi::plan::test::GraphBuilder;

namespace {

using Lists = std::vector<std::vector<std::string>>;

/// Returns stem -> left_0 -> left_1 -> join; stem -> right_0 -> right_1 -> join; then the target and a loss behind it.
TrainingGraph diamond() {
    GraphBuilder b;
    const auto stem = b.op("MatMul", "/stem", {b.input("x"), b.weight("w0")});
    const auto right = b.op("MatMul", "/right/0", {stem, b.weight("w2")});
    const auto left = b.op("Relu", "/left/1", {b.op("MatMul", "/left/0", {stem, b.weight("w1")})});
    const auto turned = b.op("Transpose", "/turned", {b.weight("w3")});
    const auto join = b.op("Add", "/join", {left, b.op("MatMul", "/right/1", {right, turned})});
    const auto loss = b.op("Sub", "/loss/Sub", {join, b.input("target")});
    TrainingGraph training;
    training.graph = b.finish({join, loss});
    training.model_nodes = static_cast<graph::NodeIndex>(training.graph.nodes.size()) - 1;
    training.heads.push_back({"/join_out", Loss::mse, 1.0, join});
    training.loss = loss;
    training.anchors = {graph::no_node};
    return training;
}

Result<Blocks> blocks_of(const TrainingGraph& training, const Lists& lists) {
    DIVISI_ASSIGN(const auto matched, match_operators(training.graph, training.model_nodes, lists));
    return make_blocks(training, matched, static_cast<std::int32_t>(lists.size()));
}

std::vector<std::string> names(const graph::Graph& graph, const Segment& segment) {
    std::vector<std::string> result;
    for (const auto node : segment.nodes) result.push_back(graph.nodes[node].name);
    std::sort(result.begin(), result.end());
    return result;
}

}  // namespace

class BlocksTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void most_specific_name_wins();
    void segments_are_sorted_and_constants_follow_consumers();
    void cycle_is_printed_with_its_values();
    void shortest_cycle_is_found();
    void error_names_the_wrong_segment_data();
    void error_names_the_wrong_segment();
};

void BlocksTest::most_specific_name_wins() {
    const TrainingGraph training = diamond();
    const auto matched =
        match_operators(training.graph, training.model_nodes, {{"*"}, {"/right/*"}, {"/left/*", "/right/1"}});
    QVERIFY2(matched.ok(), matched.ok() ? "" : matched.error().message().c_str());
    for (std::size_t node = 0; node < matched->size(); ++node) {
        const std::string& name = training.graph.nodes[node].name;
        const std::int32_t expected = name.starts_with("/left") || name == "/right/1" ? 2 : name == "/right/0" ? 1 : 0;
        QCOMPARE((*matched)[node], expected);
    }
}

void BlocksTest::segments_are_sorted_and_constants_follow_consumers() {
    const TrainingGraph training = diamond();
    // The segments are listed in reverse order. The constant is listed with the stem but moves to its consumer.
    const auto blocks = blocks_of(training, {{"/join"}, {"/right/*"}, {"/left/*"}, {"/stem", "/turned"}});
    QVERIFY2(blocks.ok(), blocks.ok() ? "" : blocks.error().message().c_str());
    QCOMPARE(blocks->given, (std::vector<std::int32_t>{3, 1, 2, 0}));
    using Names = std::vector<std::string>;
    QCOMPARE(names(training.graph, blocks->segments[0]), (Names{"/stem"}));
    QCOMPARE(names(training.graph, blocks->segments[1]), (Names{"/right/0", "/right/1", "/turned"}));
    QCOMPARE(names(training.graph, blocks->segments[2]), (Names{"/left/0", "/left/1"}));
    QCOMPARE(names(training.graph, blocks->segments[3]), (Names{"/join", "/loss/Sub"}));
    const auto partition = make_partition(training.graph, blocks->segments);
    QVERIFY(partition.ok());
    QCOMPARE(depths(*partition), (std::vector<std::int32_t>{3, 2, 1, 0}));  // the stem's value is relayed
}

void BlocksTest::cycle_is_printed_with_its_values() {
    const auto blocks = blocks_of(diamond(), {{"/stem"}, {"/left/0", "/right/1"}, {"/left/1", "/right/0", "/join"}});
    QVERIFY(!blocks.ok());
    const std::string message = blocks.error().message();
    QVERIFY2(message.find("segment 2 gives '/right/0_out' of operator '/right/0' to segment 1") != std::string::npos,
             message.c_str());
    QVERIFY2(message.find("segment 1 gives '/left/0_out' of operator '/left/0' to segment 2") != std::string::npos,
             message.c_str());
    QVERIFY2(message.find("segment 0") == std::string::npos, message.c_str());
}

void BlocksTest::shortest_cycle_is_found() {
    const graph::Graph graph = diamond().graph;
    const auto of = [&](const std::string& name) {
        for (std::size_t node = 0; node < graph.nodes.size(); ++node)
            if (graph.nodes[node].name == name) return static_cast<graph::NodeIndex>(node);
        return graph::no_node;
    };
    std::vector<std::int32_t> block_of(graph.nodes.size(), -1);
    block_of[of("/stem")] = 0;
    block_of[of("/left/0")] = block_of[of("/join")] = 1;
    block_of[of("/left/1")] = block_of[of("/right/0")] = 2;
    block_of[of("/right/1")] = 3;
    // The shortest cycle is 1 -> 2 -> 1 by the left path; 1 -> 2 -> 3 -> 1 is longer.
    const std::vector<BlockLink> circle = find_cycle(graph, block_of, 4);
    QCOMPARE(circle.size(), 2u);
    for (const BlockLink& link : circle) {
        QCOMPARE(block_of[graph.values[link.value].producer], link.from);
        QCOMPARE(block_of[link.consumer], link.to);
    }
    QCOMPARE(circle[0].to, circle[1].from);
    QCOMPARE(circle[1].to, circle[0].from);
    block_of[of("/left/1")] = 1;
    QCOMPARE(find_cycle(graph, block_of, 4), std::vector<BlockLink>{});
}

void BlocksTest::error_names_the_wrong_segment_data() {
    QTest::addColumn<Lists>("lists");
    QTest::addColumn<QString>("expected");
    QTest::newRow("missing") << Lists{{"/stem", "/left/*", "/right/*"}} << "'/join' is in no segment";
    QTest::newRow("twice") << Lists{{"*"}, {"/left/*"}, {"/left/*"}} << "'/left/0' is also in segment 1";
    QTest::newRow("unknown") << Lists{{"*"}, {"/left/9"}} << "a name in this scope is '/left/0'";
    QTest::newRow("empty") << Lists{{"*"}, {"/turned"}} << "contains no operator that works on data";
}

void BlocksTest::error_names_the_wrong_segment() {
    QFETCH(Lists, lists);
    QFETCH(QString, expected);
    const auto blocks = blocks_of(diamond(), lists);
    QVERIFY(!blocks.ok());
    QVERIFY2(blocks.error().message().find(expected.toStdString()) != std::string::npos,
             blocks.error().message().c_str());
}

DIVISI_TEST(BlocksTest)

}  // namespace blocks_test

#include "blocks_test.moc"
