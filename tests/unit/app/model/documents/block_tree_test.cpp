// SPDX-License-Identifier: GPL-3.0-or-later

#include "tests/unit/app/sample_graphs.h"

#include "tests/support/test_program.h"

namespace block_tree_test {

using namespace divisi;

class BlockTreeTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void blocks_tile_the_graph_at_every_depth() {
        const graph::Graph graph = testing::chain(12);
        const model::BlockTree tree = model::build_block_tree(graph);
        for (std::size_t limit : {1u, 5u, 100u}) {
            graph::NodeIndex next = 0;
            for (const std::int32_t index : model::visible_blocks(tree, model::initially_open(tree, limit))) {
                QCOMPARE(tree.blocks[index].first, next);
                next = tree.blocks[index].last + 1;
            }
            QCOMPARE(next, 12);
        }
    }

    void every_operator_maps_to_its_block() {
        const graph::Graph graph = testing::residual(4);
        const model::BlockTree tree = model::build_block_tree(graph);
        for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
            const model::Block& block = tree.blocks[tree.operator_block[node]];
            QVERIFY(block.is_operator());
            QCOMPARE(block.path, graph.nodes[node].name);
        }
    }

    void scattered_scope_becomes_several_convex_blocks() {
        graph::Graph graph;
        graph::ValueIndex at = graph.add_value("x", graph::DType::float32);
        graph.inputs = {at};
        int number = 0;
        for (const char* scope : {"/a", "/a", "/b", "/b", "/a", "/a"}) {
            const std::string name = std::string(scope) + "/Relu_" + std::to_string(number++);
            const graph::ValueIndex y = graph.add_value(name + "_y", graph::DType::float32);
            graph.add_node({name, "Relu", "", {at}, {y}, {}});
            at = y;
        }
        graph.outputs = {at};
        QVERIFY(graph.canonicalize().ok());
        const model::BlockTree tree = model::build_block_tree(graph);
        std::vector<bool> closed(tree.blocks.size(), false);
        const std::vector<std::int32_t> visible = model::visible_blocks(tree, closed);
        QCOMPARE(visible.size(), 3u);
        QCOMPARE(tree.blocks[visible[0]].path, std::string("/a"));
        QCOMPARE(tree.blocks[visible[1]].path, std::string("/b"));
        QCOMPARE(tree.blocks[visible[2]].first, 4);
    }
};

DIVISI_TEST(BlockTreeTest)

}  // namespace block_tree_test

#include "block_tree_test.moc"
