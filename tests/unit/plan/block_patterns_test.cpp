// SPDX-License-Identifier: Apache-2.0
#include "backend/plan/blocks.h"

#include <random>

#include "tests/support/test_program.h"
#include "tests/unit/plan/graphs.h"

namespace block_patterns_test {

using namespace divisi;
using namespace divisi::plan;
using divisi::plan::test::GraphBuilder;

namespace {

using Lists = std::vector<std::vector<std::string>>;

/// Returns a chain of operators with these names.
graph::Graph chain_of(const std::vector<std::string>& names) {
    GraphBuilder b;
    auto at = b.input("x");
    for (const std::string& name : names) at = b.op("Relu", name, {at});
    return b.finish({at});
}

const std::vector<std::string> residual_names{
    "/conv1/Conv",         "/layer1/0/Conv",           "/layer1/0/Relu", "/layer1/1/Conv", "/layer2/0/Conv",
    "/layer2/0/down/Conv", "/layer2/0/down/BatchNorm", "/layer2/1/Conv", "/Flatten",       "/fc/Gemm"};

}  // namespace

class BlockPatternsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void single_block_is_named_by_a_star() {
        const graph::Graph graph = chain_of(residual_names);
        QCOMPARE(name_operators(graph, std::vector<std::int32_t>(10, 0), 1), (Lists{{"*"}}));
    }

    void scope_is_named_once_with_its_exceptions() {
        const graph::Graph graph = chain_of(residual_names);
        QCOMPARE(name_operators(graph, {0, 0, 0, 0, 1, 2, 2, 1, 1, 1}, 3),
                 (Lists{{"/conv1/Conv", "/layer1/*"}, {"*"}, {"/layer2/0/down/*"}}));
    }

    void operators_that_fit_anywhere_need_no_name() {
        const graph::Graph graph = chain_of(residual_names);
        QCOMPARE(name_operators(graph, {0, 0, 0, 0, 1, -1, 1, 1, -1, 1}, 2), (Lists{{"*"}, {"/layer2/*", "/fc/Gemm"}}));
    }

    void empty_block_has_no_names() {
        const graph::Graph graph = chain_of({"/a", "/b"});
        QCOMPARE(name_operators(graph, {0, 2}, 3), (Lists{{"*"}, {}, {"/b"}}));
    }

    void names_are_read_back_as_the_same_blocks() {
        std::mt19937 random(7);
        for (int round = 0; round < 200; ++round) {
            std::vector<std::string> names;
            for (int i = 0; i < 40; ++i) {
                std::string name;
                for (std::size_t depth = 0; depth < random() % 4; ++depth)
                    name += (depth == 0 && i % 5 == 0 ? "s" : "/s") + std::to_string(random() % 3);
                names.push_back(name + "/n" + std::to_string(i));
            }
            const graph::Graph graph = chain_of(names);
            const std::int32_t blocks = 1 + static_cast<std::int32_t>(random() % 5);
            std::vector<std::int32_t> block_of(names.size());
            std::int32_t now = 0;
            for (std::int32_t& block : block_of) {
                if (random() % 4 == 0) now = static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(blocks));
                block = now;
            }
            const Lists lists = name_operators(graph, block_of, blocks);
            std::size_t named = 0;
            for (const auto& list : lists) named += list.size();
            QVERIFY(named <= names.size());
            const auto read = match_operators(graph, static_cast<graph::NodeIndex>(names.size()), lists);
            QVERIFY2(read.ok(), read.ok() ? "" : read.error().message().c_str());
            QCOMPARE(*read, block_of);
        }
    }
};

DIVISI_TEST(BlockPatternsTest)

}  // namespace block_patterns_test

#include "block_patterns_test.moc"
