// SPDX-License-Identifier: Apache-2.0
#include "backend/control/types/recut_advice.h"

#include "tests/support/test_program.h"

namespace recut_advice_test {

using namespace divisi;
using namespace divisi::control;

namespace {

using Cuts = std::vector<std::string>;

/// Returns the figures of a training with 100 ms a step and many steps left. Other cuts would save 30 ms a step.
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

/// Tests whether other cuts are worth the cost of the change.
class RecutAdviceTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void imbalance_is_the_busiest_stage_over_the_mean();
    void gain_is_compared_with_the_stall();
    void unprofitable_recut_says_why();
    void unmeasured_stall_is_predicted();
    void advice_is_held_back_if_too_soon_or_unconfirmed();
};

void RecutAdviceTest::imbalance_is_the_busiest_stage_over_the_mean() {
    QCOMPARE(imbalance({90, 30}), 1.5);
    QCOMPARE(imbalance({40, 40, 40}), 1.0);
    QCOMPARE(imbalance({0, 0}), 1.0);
    QCOMPARE(imbalance({}), 1.0);
}

void RecutAdviceTest::gain_is_compared_with_the_stall() {
    const RecutAdvice advice = advise(figures(), {"/a"});
    QVERIFY(std::abs(advice.gain_ms - 30) < 1e-9);
    QVERIFY(advice.payback_steps == 100 || advice.payback_steps == 101);  // may be rounded up
    QVERIFY(advice.stall_measured && advice.worth);
    QCOMPARE(advice.imbalance, 1.5);
    for (const char* part : {"150 % of the mean", "cut after /a", "30 %", "measured stall", "1000 steps", "it pays"})
        QVERIFY2(has(advice_text(advice), part), advice_text(advice).c_str());
}

void RecutAdviceTest::unprofitable_recut_says_why() {
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

void RecutAdviceTest::unmeasured_stall_is_predicted() {
    RecutFigures first = figures();
    first.stall_ms.reset();
    const RecutAdvice advice = advise(first, {"/a"});
    QVERIFY(!advice.stall_measured);
    QCOMPARE(advice.stall_ms, predicted_stall_ms(100));
    QVERIFY(has(advice_text(advice), "predicted stall"));
}

void RecutAdviceTest::advice_is_held_back_if_too_soon_or_unconfirmed() {
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
