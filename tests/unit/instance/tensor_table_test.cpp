// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/tensor_table.h"

#include "tests/support/test_program.h"

namespace tensor_table_test {

using namespace divisi;
using namespace divisi::instance;

namespace {

graph::HostTensor number(std::int64_t value) {
    return graph::HostTensor::of<std::int64_t>(graph::DType::int64, {1}, {value});
}
TimePoint at(std::int64_t ns) { return TimePoint(Duration(ns)); }

const plan::Start start{{plan::OperationKind::forward, 1, {4, 2}, {6, 7}}, 3};

}  // namespace

class TensorTableTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void inputs_have_the_order_of_the_operation_and_the_latest_arrival();
    void outputs_are_taken_once_under_their_keys();
    void slots_are_counted_by_key();
};

void TensorTableTest::inputs_have_the_order_of_the_operation_and_the_latest_arrival() {
    TensorTable table;
    table.keep({2, 3, 1}, {number(20), at(9)});
    table.keep({4, 3, 1}, {number(40), at(5)});
    table.keep({4, 4, 1}, {number(41), at(50)});
    QCOMPARE(table.held(), 3);
    const TensorTable::Inputs inputs = table.inputs(start);
    QCOMPARE(inputs.tensors.size(), std::size_t{2});
    QCOMPARE(inputs.tensors[0].integer_at(0), 40);
    QCOMPARE(inputs.tensors[1].integer_at(0), 20);
    QVERIFY(inputs.arrived == at(9));
    table.release({4, 3, 1});
    QCOMPARE(table.held(), 2);
}

void TensorTableTest::outputs_are_taken_once_under_their_keys() {
    TensorTable table;
    table.add_made(start, {number(60), number(70)});
    QCOMPARE(table.take_made({7, 3, 1}).integer_at(0), 70);
    QCOMPARE(table.take_made({6, 3, 1}).integer_at(0), 60);
    QCOMPARE(table.held(), 0);
}

void TensorTableTest::slots_are_counted_by_key() {
    TensorTable table;
    table.take_slot({6, 3, 1});
    table.take_slot({6, 3, 1});
    table.take_slot({7, 3, 1});
    QCOMPARE(table.taken_slots(), 2);
    table.free_slot({6, 3, 1});
    table.free_slot({6, 3, 0});
    QCOMPARE(table.taken_slots(), 1);
}

DIVISI_TEST(TensorTableTest)

}  // namespace tensor_table_test

#include "tensor_table_test.moc"
