// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/deferred_operations.h"

#include "tests/support/test_program.h"

namespace deferred_operations_test {

using namespace divisi;
using namespace divisi::instance;

namespace {

constexpr std::int32_t left = 3, right = 4;

plan::Start operation(std::int64_t step) { return {{plan::OperationKind::evaluate, 0, {1}, {left, right}}, step}; }
std::vector<graph::HostTensor> inputs(std::int64_t step) {
    return {graph::HostTensor::of<std::int64_t>(graph::DType::int64, {1}, {step})};
}
frame::ContentKey content(std::int64_t step, int output) {
    return {static_cast<std::byte>(step), static_cast<std::byte>(output)};
}
void keep(DeferredOperations& deferred, std::int64_t step) {
    deferred.keep(operation(step), inputs(step), {content(step, 0), content(step, 1)});
}

}  // namespace

/// Tests operations that run only if no router has their results.
class DeferredOperationsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void each_output_has_its_own_key();
    void operation_whose_consumers_have_all_results_never_runs();
    void declined_operation_runs_with_its_inputs();
    void operation_declined_later_runs_again();
    void operation_supplied_after_all_does_not_run();
    void oldest_operation_runs_first();
    void unknown_operation_changes_nothing();
};

void DeferredOperationsTest::each_output_has_its_own_key() {
    DeferredOperations deferred;
    keep(deferred, 5);
    QVERIFY(deferred.content({left, 5, 0}) == content(5, 0));
    QVERIFY(deferred.content({right, 5, 0}) == content(5, 1));
    QVERIFY(!deferred.content({left, 6, 0}) && !deferred.content({left, 5, 1}));
    QVERIFY(!deferred.content({1, 5, 0}));  // belongs to another unit of this instance
}

void DeferredOperationsTest::operation_whose_consumers_have_all_results_never_runs() {
    DeferredOperations deferred;
    keep(deferred, 5);
    deferred.freed({left, 5, 0});
    QVERIFY(!deferred.empty() && deferred.spared() == 0);
    deferred.freed({right, 5, 0});
    QVERIFY(deferred.empty() && !deferred.due());
    QCOMPARE(deferred.spared(), 1);
}

void DeferredOperationsTest::declined_operation_runs_with_its_inputs() {
    DeferredOperations deferred;
    keep(deferred, 5);
    deferred.declined({left, 5, 0});
    deferred.declined({right, 5, 0});
    QVERIFY(deferred.due());
    const auto due = deferred.take_due();
    QVERIFY(due && due->start.step == 5 && due->channels == (std::set{left, right}));
    QCOMPARE(due->inputs.at(0).integer_at(0), 5);
    QVERIFY(due->contents.at(1) == content(5, 1));
    QVERIFY(deferred.empty() && !deferred.due() && !deferred.take_due());
    deferred.freed({left, 5, 0});
    QCOMPARE(deferred.spared(), 0);
}

/// A router had both outputs. After the first one had to be computed, the second one is lost in transit.
void DeferredOperationsTest::operation_declined_later_runs_again() {
    DeferredOperations deferred;
    keep(deferred, 5);
    deferred.declined({left, 5, 0});
    QVERIFY(deferred.take_due()->channels == std::set{left});
    QVERIFY(!deferred.due() && !deferred.empty());
    deferred.declined({right, 5, 0});
    const auto again = deferred.take_due();
    QVERIFY(again && again->channels == std::set{right});
    QCOMPARE(again->inputs.at(0).integer_at(0), 5);
    QVERIFY(deferred.empty());
    QCOMPARE(deferred.spared(), 0);
}

void DeferredOperationsTest::operation_supplied_after_all_does_not_run() {
    DeferredOperations deferred;
    keep(deferred, 5);
    deferred.declined({left, 5, 0});
    deferred.freed({left, 5, 0});
    QVERIFY(!deferred.due());
    deferred.freed({right, 5, 0});
    QCOMPARE(deferred.spared(), 1);
}

void DeferredOperationsTest::oldest_operation_runs_first() {
    DeferredOperations deferred;
    for (const std::int64_t step : {5, 6, 7}) keep(deferred, step);
    deferred.declined({left, 7, 0});
    deferred.declined({left, 6, 0});
    QCOMPARE(deferred.take_due()->start.step, 6);
    QCOMPARE(deferred.take_due()->start.step, 7);
    QVERIFY(!deferred.take_due());
}

void DeferredOperationsTest::unknown_operation_changes_nothing() {
    DeferredOperations deferred;
    keep(deferred, 5);
    deferred.declined({left, 4, 0});
    deferred.declined({9, 5, 0});
    deferred.freed({9, 5, 0});
    QVERIFY(!deferred.due() && !deferred.empty());
}

DIVISI_TEST(DeferredOperationsTest)

}  // namespace deferred_operations_test

#include "deferred_operations_test.moc"
