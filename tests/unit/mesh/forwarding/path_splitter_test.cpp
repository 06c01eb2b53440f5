// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/path_splitter.h"

#include "tests/support/test_program.h"

namespace path_splitter_test {

using namespace divisi;
using namespace divisi::mesh;

namespace {

const FlowKey flow{1, 2, 3};

frame::FrameHeader chunk_of(std::int64_t step, std::uint32_t index, std::uint32_t count = 3) {
    frame::FrameHeader header;
    header.key.step = step;
    header.chunk_index = index;
    header.chunk_count = count;
    return header;
}

std::uint8_t first() { return 0; }
std::uint8_t second() { return 1; }

}  // namespace

/// Tests that all chunks of a tensor take one path.
class PathSplitterTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void tensor_stays_on_its_path_when_the_policy_changes();
    void tensor_of_one_chunk_follows_the_policy();
    void flows_are_independent();
    void forgotten_flow_starts_again();
};

void PathSplitterTest::tensor_stays_on_its_path_when_the_policy_changes() {
    PathSplitter splitter;
    QCOMPARE(splitter.path_index(flow, chunk_of(1, 0), second), std::uint8_t{1});
    QCOMPARE(splitter.path_index(flow, chunk_of(1, 1), first), std::uint8_t{1});
    QCOMPARE(splitter.path_index(with_other_path(flow), chunk_of(1, 2), first), std::uint8_t{1});
    QCOMPARE(splitter.path_index(flow, chunk_of(2, 0), first), std::uint8_t{0});
    QCOMPARE(splitter.path_index(flow, chunk_of(2, 0), second), std::uint8_t{1});  // the tensor is sent again
}

void PathSplitterTest::tensor_of_one_chunk_follows_the_policy() {
    PathSplitter splitter;
    QCOMPARE(splitter.path_index(flow, chunk_of(1, 0), second), std::uint8_t{1});
    QCOMPARE(splitter.path_index(flow, chunk_of(2, 0, 1), first), std::uint8_t{0});
    QCOMPARE(splitter.path_index(flow, chunk_of(1, 1), first), std::uint8_t{1});  // the longer tensor keeps its path
}

void PathSplitterTest::flows_are_independent() {
    PathSplitter splitter;
    FlowKey other = flow;
    other.destination = 9;
    QCOMPARE(splitter.path_index(flow, chunk_of(1, 0), second), std::uint8_t{1});
    QCOMPARE(splitter.path_index(other, chunk_of(1, 1), first), std::uint8_t{0});
}

void PathSplitterTest::forgotten_flow_starts_again() {
    PathSplitter splitter;
    QCOMPARE(splitter.path_index(flow, chunk_of(1, 0), second), std::uint8_t{1});
    splitter.forget(with_other_path(flow));
    QCOMPARE(splitter.path_index(flow, chunk_of(1, 1), first), std::uint8_t{0});
}

DIVISI_TEST(PathSplitterTest)

}  // namespace path_splitter_test

#include "path_splitter_test.moc"
