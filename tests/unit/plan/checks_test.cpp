// SPDX-License-Identifier: Apache-2.0

#include "backend/plan/checks.h"
#include "tests/support/test_program.h"
#include "tests/unit/plan/graphs.h"

namespace checks_test {

using namespace divisi;
using namespace divisi::plan;

class ChecksTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void partition_is_checked_against_its_edges();
    void plan_beyond_the_memory_of_a_device_is_refused();
};

void ChecksTest::partition_is_checked_against_its_edges() {
    const auto graph = test::chain(2);
    Partition partition = make_partition(graph, {{{0, 1}}, {{2, 3}}}).value();
    QVERIFY(check_partition(graph, partition).ok());
    const Edge edge = partition.edges.back();
    partition.edges.pop_back();
    const auto missing = check_partition(graph, partition);
    QVERIFY(!missing.ok() && missing.error().message().find("relu_0_out") != std::string::npos);
    partition.edges.push_back(edge);
    partition.edges.push_back({0, data_unit, 1, false});
    QVERIFY(!check_partition(graph, partition).ok());
}

void ChecksTest::plan_beyond_the_memory_of_a_device_is_refused() {
    const StageMemory memory{1000, 1000, 2000, 6000};
    QVERIFY(check_memory({memory, memory}, {{"a", 10000}, {"b", std::nullopt}}).ok());
    const auto refused = check_memory({memory, memory}, {{"a", 10000}, {"mic-1/node-2 cpu", 9999}});
    QVERIFY(!refused.ok());
    QCOMPARE(refused.error().where, std::string("stage 1"));
    QVERIFY(refused.error().message().find("mic-1/node-2 cpu") != std::string::npos);
}

DIVISI_TEST(ChecksTest)

}  // namespace checks_test

#include "checks_test.moc"
