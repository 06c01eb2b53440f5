// SPDX-License-Identifier: Apache-2.0
#include "backend/control/types/recut_advice.h"

#include "tests/support/test_program.h"

namespace recut_advice_test {

using namespace divisi;
using namespace divisi::control;

namespace {

using Cuts = std::vector<std::string>;

/// A step of 100 ms, of which other cuts would save 30, with many steps left.
RecutFigures figures() {
    RecutFigures all;
    all.step_ms = 100;
    all.busy_ms = {90, 30};
    all.before_ms = 50;
    all.after_ms = 35;
    all.stall_ms = 3000;
    all.steps_left = 1000;
    return all;
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

/// Whether other cuts are worth what the change to them costs.
class RecutAdviceTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void the_busiest_stage_is_held_against_the_mean();
    void a_gain_is_held_against_the_stall();
    void what_does_not_pay_says_why();
    void a_stall_that_was_never_measured_is_predicted();
    void it_is_not_followed_too_often();
};

void RecutAdviceTest::the_busiest_stage_is_held_against_the_mean() {
    QCOMPARE(imbalance({90, 30}), 1.5);
    QCOMPARE(imbalance({40, 40, 40}), 1.0);
    QCOMPARE(imbalance({0, 0}), 1.0);
    QCOMPARE(imbalance({}), 1.0);
}

void RecutAdviceTest::a_gain_is_held_against_the_stall() {
    const RecutAdvice advice = advise(figures(), {"/a"});
    QVERIFY(std::abs(advice.gain_ms - 30) < 1e-9);
    QVERIFY(advice.payback_steps == 100 || advice.payback_steps == 101);  // rounded up
    QVERIFY(advice.stall_measured && advice.worth);
    QCOMPARE(advice.imbalance, 1.5);
    for (const char* part : {"150 % of the mean", "cut after /a", "30 %", "measured stall", "1000 steps", "it pays"})
        QVERIFY2(has(advice_text(advice), part), advice_text(advice).c_str());
}

void RecutAdviceTest::what_does_not_pay_says_why() {
    RecutFigures small = figures();
    small.after_ms = 46;
    QVERIFY(has(advise(small, {"/a"}).why, "below 10 %"));
    RecutFigures late = figures();
    late.steps_left = 50;
    QVERIFY(has(advise(late, {"/a"}).why, "too few steps are left"));
    const RecutAdvice best = advise(figures(), {});
    QVERIFY(!best.worth && has(best.why, "the best that were found"));
    RecutFigures worse = figures();
    worse.after_ms = 60;
    QCOMPARE(advise(worse, {"/a"}).gain_ms, 0.0);
    QCOMPARE(advise(worse, {"/a"}).payback_steps, std::int64_t(0));
    QVERIFY(!advise(worse, {"/a"}).worth);
}

void RecutAdviceTest::a_stall_that_was_never_measured_is_predicted() {
    RecutFigures first = figures();
    first.stall_ms.reset();
    const RecutAdvice advice = advise(first, {"/a"});
    QVERIFY(!advice.stall_measured);
    QCOMPARE(advice.stall_ms, predicted_stall_ms(100));
    QVERIFY(has(advice_text(advice), "predicted stall"));
}

void RecutAdviceTest::it_is_not_followed_too_often() {
    const RecutAdvice advice = advise(figures(), {"/a"});
    QVERIFY(!held_back(advice, recut_pause, agreeing_advices));
    QVERIFY(has(held_back(advice, recut_pause / 2, agreeing_advices).value(), "younger than"));
    QVERIFY(has(held_back(advice, recut_pause, agreeing_advices - 1).value(), "twice"));
    const RecutAdvice none = advise(figures(), {});
    QCOMPARE(held_back(none, recut_pause, agreeing_advices).value(), none.why);
}

DIVISI_TEST(RecutAdviceTest)

}  // namespace recut_advice_test

#include "recut_advice_test.moc"
