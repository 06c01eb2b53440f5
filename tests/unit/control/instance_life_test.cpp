// SPDX-License-Identifier: Apache-2.0
#include <QTest>

#include "backend/control/instance_life.h"

using namespace divisi;
using namespace divisi::control;

/// When an instance ends by itself: only when it has no orchestrator for the whole time of grace. And what it says.
class InstanceLifeTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void runs_on_while_its_orchestrator_is_there();
    void ends_when_nobody_answers_at_the_start();
    void ends_after_its_orchestrator_is_gone();
    void trouble_that_repeats_is_counted();

private:
    static constexpr Duration before_the_end = orchestrator_grace - std::chrono::milliseconds(1);
    static InstanceLife fresh() {
        return InstanceLife(RegisterInstance{InstanceId("task/stage-0/0"), {}, {}, {}, {}, 1});
    }
    const TimePoint start_{std::chrono::seconds(100)};
};

void InstanceLifeTest::runs_on_while_its_orchestrator_is_there() {
    InstanceLife life = fresh();
    (void)life.step(instance::Connected{}, start_);
    (void)life.step(instance::Tick{}, start_);
    (void)life.step(instance::FromOrchestrator{0, Deploy{}}, start_);
    QCOMPARE(life.state(), InstanceState::registered);
    QVERIFY(!life.step(instance::Tick{}, start_ + 100 * orchestrator_grace).exit);
}

void InstanceLifeTest::ends_when_nobody_answers_at_the_start() {
    InstanceLife life = fresh();
    (void)life.step(instance::Tick{}, start_);
    (void)life.step(instance::Disconnected{}, start_ + before_the_end);
    QVERIFY(!life.step(instance::Tick{}, start_ + before_the_end).exit);
    QCOMPARE(life.step(instance::Tick{}, start_ + orchestrator_grace).exit, std::optional<int>(1));
}

void InstanceLifeTest::ends_after_its_orchestrator_is_gone() {
    InstanceLife life = fresh();
    (void)life.step(instance::Connected{}, start_);
    (void)life.step(instance::FromOrchestrator{0, Deploy{}}, start_);
    const TimePoint gone = start_ + 10 * orchestrator_grace;
    (void)life.step(instance::Disconnected{}, gone);
    QVERIFY(!life.step(instance::Tick{}, gone + before_the_end).exit);
    QCOMPARE(life.step(instance::Tick{}, gone + orchestrator_grace).exit, std::optional<int>(1));
}

void InstanceLifeTest::trouble_that_repeats_is_counted() {
    InstanceLife life = fresh();
    (void)life.step(instance::Connected{}, start_);
    const instance::Trouble trouble{{ErrorCode::corrupt, "a damaged frame", "peer", "look at the network"}};
    std::size_t lines = 0;
    for (int i = 0; i < 300; ++i) lines += life.step(trouble, start_).sends.size();
    QCOMPARE(lines, static_cast<std::size_t>(note_burst));
    QVERIFY(life.step(instance::Tick{}, start_ + note_interval / 2).sends.empty());
    const auto later = life.step(instance::Tick{}, start_ + note_interval);
    QCOMPARE(later.sends.size(), std::size_t(1));
    const std::string text = std::get<Note>(later.sends.front().message).note.text;
    QVERIFY2(text.find("295") != std::string::npos && text.find("damaged frame") != std::string::npos, text.c_str());
    QVERIFY(life.step(instance::Tick{}, start_ + 3 * note_interval).sends.empty());
    QCOMPARE(life.step(trouble, start_ + 3 * note_interval).sends.size(), std::size_t(1));
}

QTEST_GUILESS_MAIN(InstanceLifeTest)
#include "instance_life_test.moc"
