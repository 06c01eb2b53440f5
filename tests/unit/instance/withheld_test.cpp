// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/withheld.h"

#include "tests/support/test_program.h"

namespace withheld_test {

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
void keep(Withheld& withheld, std::int64_t step) {
    withheld.keep(operation(step), inputs(step), {content(step, 0), content(step, 1)});
}

}  // namespace

/// Operations that run only if no router has their results.
class WithheldTest : public QObject {
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

void WithheldTest::each_output_has_its_own_key() {
    Withheld withheld;
    keep(withheld, 5);
    QVERIFY(withheld.content({left, 5, 0}) == content(5, 0));
    QVERIFY(withheld.content({right, 5, 0}) == content(5, 1));
    QVERIFY(!withheld.content({left, 6, 0}) && !withheld.content({left, 5, 1}));
    QVERIFY(!withheld.content({1, 5, 0}));  // belongs to another unit of this instance
}

void WithheldTest::operation_whose_consumers_have_all_results_never_runs() {
    Withheld withheld;
    keep(withheld, 5);
    withheld.freed({left, 5, 0});
    QVERIFY(!withheld.empty() && withheld.spared() == 0);
    withheld.freed({right, 5, 0});
    QVERIFY(withheld.empty() && !withheld.due());
    QCOMPARE(withheld.spared(), 1);
}

void WithheldTest::declined_operation_runs_with_its_inputs() {
    Withheld withheld;
    keep(withheld, 5);
    withheld.declined({left, 5, 0});
    withheld.declined({right, 5, 0});
    QVERIFY(withheld.due());
    const auto due = withheld.take_due();
    QVERIFY(due && due->start.step == 5 && due->channels == (std::set{left, right}));
    QCOMPARE(due->inputs.at(0).integer_at(0), 5);
    QVERIFY(due->contents.at(1) == content(5, 1));
    QVERIFY(withheld.empty() && !withheld.due() && !withheld.take_due());
    withheld.freed({left, 5, 0});
    QCOMPARE(withheld.spared(), 0);
}

/// A router had both outputs. The second is lost in transit after the first was computed.
void WithheldTest::operation_declined_later_runs_again() {
    Withheld withheld;
    keep(withheld, 5);
    withheld.declined({left, 5, 0});
    QVERIFY(withheld.take_due()->channels == std::set{left});
    QVERIFY(!withheld.due() && !withheld.empty());
    withheld.declined({right, 5, 0});
    const auto again = withheld.take_due();
    QVERIFY(again && again->channels == std::set{right});
    QCOMPARE(again->inputs.at(0).integer_at(0), 5);
    QVERIFY(withheld.empty());
    QCOMPARE(withheld.spared(), 0);
}

void WithheldTest::operation_supplied_after_all_does_not_run() {
    Withheld withheld;
    keep(withheld, 5);
    withheld.declined({left, 5, 0});
    withheld.freed({left, 5, 0});
    QVERIFY(!withheld.due());
    withheld.freed({right, 5, 0});
    QCOMPARE(withheld.spared(), 1);
}

void WithheldTest::oldest_operation_runs_first() {
    Withheld withheld;
    for (const std::int64_t step : {5, 6, 7}) keep(withheld, step);
    withheld.declined({left, 7, 0});
    withheld.declined({left, 6, 0});
    QCOMPARE(withheld.take_due()->start.step, 6);
    QCOMPARE(withheld.take_due()->start.step, 7);
    QVERIFY(!withheld.take_due());
}

void WithheldTest::unknown_operation_changes_nothing() {
    Withheld withheld;
    keep(withheld, 5);
    withheld.declined({left, 4, 0});
    withheld.declined({9, 5, 0});
    withheld.freed({9, 5, 0});
    QVERIFY(!withheld.due() && !withheld.empty());
}

DIVISI_TEST(WithheldTest)

}  // namespace withheld_test

#include "withheld_test.moc"
