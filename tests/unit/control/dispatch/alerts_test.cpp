// SPDX-License-Identifier: Apache-2.0
#include "backend/control/dispatch/alerts.h"

#include <limits>

#include "tests/support/task_file.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/fixture.h"

namespace alerts_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

const TaskId gpt("gpt-1");
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

bool has(const std::string& whole, const std::string& part) {
    if (whole.find(part) != std::string::npos) return true;
    qWarning("'%s' is not in '%s'", part.c_str(), whole.c_str());
    return false;
}

/// A fixture that runs Alerts over a context, in simulated time.
struct Watchtower : Fixture {
    Alerts alerts{context};
    std::vector<Event> log;
    std::int64_t steps = 0;

    explicit Watchtower(std::vector<Event> before = {}) : log(std::move(before)) {
        for (const Event& event : log) context.replay(event);
        context.follow([this](const Event& event) { alerts.follow(event); });
    }
    ~Watchtower() { keep(); }
    void keep() {
        log.insert(log.end(), context.output().events.begin(), context.output().events.end());
        context.output() = {};
    }
    /// Lets time pass while the alerts are polled ten times a second.
    void watch(Duration time) {
        for (const TimePoint end = now + time; now < end;) {
            now = std::min(end, now + milliseconds(100));
            context.set_time(now);
            alerts.poll();
        }
    }
    void train(const TaskId& task = gpt, const std::string& text = "text") {
        context.append(TaskSubmitted{task, "gpt", text, "/", "", {}, "me", 0});
        TaskPlanned planned;
        planned.task = task;
        planned.steps = 1'000'000;
        context.append(planned);
        context.append(PhaseChanged{task, TaskPhase::exchange, ""});
    }
    void step(double step_ms, float loss = 1.0F) {
        now += milliseconds(static_cast<std::int64_t>(step_ms));
        context.set_time(now);
        StepRecord record{++steps, loss, step_ms};
        context.append(StepDone{gpt, record});
        alerts.settle();
        alerts.poll();
    }
    void step_for(Duration time, double step_ms) {
        for (const TimePoint end = now + time; now < end;) step(step_ms);
    }
    void lose(const std::string& name) {
        context.append(NodeEnded{NodeId(name), NodeState::away, "its connection ended"});
    }
    void queue_tasks(int from, int to) {
        for (int i = from; i < to; ++i)
            context.append(TaskSubmitted{TaskId("q-" + std::to_string(i)), "q", "text", "/", "", {}, "me", 0});
    }
    const Alert* standing(AlertRule rule) const {
        for (const auto& [number, alert] : context.state().alerts)
            if (alert.stands() && alert.rule == rule) return &alert;
        return nullptr;
    }
    std::size_t raised() { return logged<AlertRaised>().size(); }
    std::size_t cleared() { return logged<AlertCleared>().size(); }
};

}  // namespace

class AlertsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void alert_switch_has_hysteresis_and_a_delay() {
        AlertSwitch one;
        TimePoint now{};
        using Transition = AlertSwitch::Transition;
        QCOMPARE(one.update(false, AlertReading::bad, seconds(10), now), Transition::none);
        QCOMPARE(one.update(false, AlertReading::between, seconds(10), now + seconds(9)), Transition::none);
        // the waiting time has restarted
        QCOMPARE(one.update(false, AlertReading::bad, seconds(10), now + seconds(11)), Transition::none);
        QCOMPARE(one.update(false, AlertReading::bad, seconds(10), now + seconds(21)), Transition::raise);
        QCOMPARE(one.update(true, AlertReading::bad, seconds(10), now + seconds(40)), Transition::none);
        QCOMPARE(one.update(true, AlertReading::between, seconds(10), now + seconds(60)), Transition::none);
        QCOMPARE(one.update(true, AlertReading::calm, seconds(10), now + seconds(70)), Transition::none);
        QCOMPARE(one.update(true, AlertReading::calm, seconds(10), now + seconds(80)), Transition::clear);
    }

    void silent_node_raises_one_alert_that_is_cleared_once() {
        Watchtower tower;
        tower.node(1, "m/a", "host", "tcp://a");
        tower.watch(seconds(60));
        QCOMPARE(tower.raised(), std::size_t{0});
        tower.lose("m/a");
        tower.watch(seconds(9));
        QCOMPARE(tower.raised(), std::size_t{0});
        tower.watch(seconds(60));
        QCOMPARE(tower.raised(), std::size_t{1});
        const Alert* alert = tower.standing(AlertRule::node_silent);
        QVERIFY(alert && alert->number > 0 && alert->node == NodeId("m/a"));
        QVERIFY(has(alert->what, "node m/a is silent: its connection ended"));
        QVERIFY(has(alert->next, "start divisi-node there"));
        QVERIFY(alert->raised > TimePoint(seconds(1060)) && alert->raised < TimePoint(seconds(1080)));
        // The node becomes lost and ready repeatedly. This neither clears the alert nor raises another one.
        NodeInfo info;
        info.id = NodeId("m/a");
        for (int i = 0; i < 5; ++i) {
            tower.context.append(NodeJoined{info});
            tower.watch(seconds(5));
            tower.lose("m/a");
            tower.watch(seconds(5));
        }
        QCOMPARE(tower.raised(), std::size_t{1});
        QCOMPARE(tower.cleared(), std::size_t{0});
        tower.context.append(NodeJoined{info});
        tower.watch(seconds(60));
        QCOMPARE(tower.cleared(), std::size_t{1});
        QVERIFY(!tower.standing(AlertRule::node_silent));
        QCOMPARE(tower.context.state().alerts.begin()->second.why, std::string("the node is back"));
    }

    void leaving_node_clears_its_alert() {
        Watchtower tower;
        tower.node(1, "m/a", "host", "tcp://a");
        tower.lose("m/a");
        tower.watch(seconds(20));
        QVERIFY(tower.standing(AlertRule::node_silent));
        tower.context.append(NodeEnded{NodeId("m/a"), NodeState::left, "told to end"});
        tower.watch(seconds(2));
        QVERIFY(!tower.standing(AlertRule::node_silent));
        tower.watch(seconds(60));
        QCOMPARE(tower.raised(), std::size_t{1});
        QCOMPARE(tower.cleared(), std::size_t{1});
    }

    void draining_a_lost_node_clears_its_alert() {
        Watchtower tower;
        tower.node(1, "m/a", "host", "tcp://a");
        tower.context.append(NodeEnded{NodeId("m/a"), NodeState::lost, "silent"});
        tower.watch(seconds(60));
        QVERIFY(tower.standing(AlertRule::node_silent));
        QVERIFY(has(tower.standing(AlertRule::node_silent)->next, "divisictl drain m/a"));
        tower.context.append(DrainChanged{NodeId("m/a"), true, "me"});
        tower.watch(seconds(2));
        QVERIFY(!tower.standing(AlertRule::node_silent));
        tower.watch(seconds(60));
        QCOMPARE(tower.raised(), std::size_t{1});
    }

    void unusually_long_steps_raise_an_alert() {
        Watchtower tower;
        tower.train();
        tower.step_for(seconds(30), 100);
        tower.step_for(seconds(60), 250);  // 2.5 times the usual duration raises no alert
        QCOMPARE(tower.raised(), std::size_t{0});
        tower.step_for(seconds(30), 100);
        tower.step_for(seconds(20), 400);  // not for long enough
        tower.step_for(seconds(60), 100);
        QCOMPARE(tower.raised(), std::size_t{0});
        // Steps stay slow for so long that they would become the median.
        tower.step_for(seconds(600), 500);
        QCOMPARE(tower.raised(), std::size_t{1});
        QCOMPARE(tower.cleared(), std::size_t{0});
        const Alert* alert = tower.standing(AlertRule::slow_training);
        QVERIFY(alert && alert->task == gpt);
        QVERIFY(has(alert->what, "steps take 500.0 ms, more than 3.0 times the 100.0 ms before"));
        QVERIFY(has(describe(AlertRaised{*alert}), "slow training: task gpt-1: steps take"));
        tower.step_for(seconds(60), 270);  // below the threshold, but not far enough below to clear the alert
        QCOMPARE(tower.cleared(), std::size_t{0});
        tower.step_for(seconds(60), 120);
        QCOMPARE(tower.cleared(), std::size_t{1});
        QCOMPARE(tower.raised(), std::size_t{1});
    }

    void unfinished_step_counts_as_slow() {
        Watchtower tower;
        tower.train();
        tower.step_for(seconds(30), 100);
        tower.watch(seconds(40));
        QVERIFY(tower.standing(AlertRule::slow_training));
        tower.context.append(TaskEnded{gpt, Outcome::stopped, {}});
        tower.watch(seconds(2));
        QVERIFY(!tower.standing(AlertRule::slow_training));
        QCOMPARE(tower.context.state().alerts.begin()->second.why, std::string("the task has ended"));
    }

    void recovery_does_not_count_as_a_slow_step() {
        Watchtower tower;
        tower.train();
        tower.step_for(seconds(30), 100);
        tower.context.append(PhaseChanged{gpt, TaskPhase::exception, "an instance died"});
        tower.watch(seconds(120));
        tower.context.append(PhaseChanged{gpt, TaskPhase::exchange, ""});
        tower.step_for(seconds(60), 100);
        QCOMPARE(tower.raised(), std::size_t{0});
    }

    void long_queue_raises_an_alert() {
        Watchtower tower;
        tower.queue_tasks(0, 20);
        tower.watch(seconds(60));
        QCOMPARE(tower.raised(), std::size_t{0});
        tower.queue_tasks(20, 23);
        tower.watch(seconds(60));
        QCOMPARE(tower.raised(), std::size_t{1});
        QVERIFY(has(tower.standing(AlertRule::queue_long)->what, "23 tasks wait for nodes, more than 20"));
        for (int i = 0; i < 5; ++i)
            tower.context.append(TaskEnded{TaskId("q-" + std::to_string(i)), Outcome::stopped, {}});
        tower.watch(seconds(60));
        QCOMPARE(tower.cleared(), std::size_t{0});  // 18 is not far enough below 20
        for (int i = 5; i < 10; ++i)
            tower.context.append(TaskEnded{TaskId("q-" + std::to_string(i)), Outcome::stopped, {}});
        tower.watch(seconds(60));
        QCOMPARE(tower.cleared(), std::size_t{1});
    }

    void almost_full_disk_of_a_node_or_the_orchestrator_raises_an_alert() {
        Watchtower tower;
        tower.node(1, "m/a", "host", "tcp://a");
        tower.context.machines()[NodeId("m/a")].disk = 100LL << 30;
        tower.context.machines()[NodeId("m/a")].disk_free = 500LL << 20;
        tower.alerts.own_disk(100LL << 30, 2LL << 30);
        tower.watch(seconds(60));
        QCOMPARE(tower.raised(), std::size_t{1});
        QCOMPARE(tower.standing(AlertRule::disk_short)->subject, std::string("m/a"));
        QVERIFY(has(tower.standing(AlertRule::disk_short)->next, "--blob-gib"));
        tower.context.machines()[NodeId("m/a")].disk_free = 5LL << 30;
        tower.alerts.own_disk(100LL << 30, 10LL << 20);
        tower.watch(seconds(60));
        QCOMPARE(tower.raised(), std::size_t{2});
        QCOMPARE(tower.cleared(), std::size_t{1});
        QCOMPARE(tower.standing(AlertRule::disk_short)->subject, std::string(alert_orchestrator));
    }

    void alert_of_a_nonfinite_loss_lasts_as_long_as_the_exception() {
        Watchtower tower;
        tower.train();
        tower.step(100);
        tower.step(100, not_a_number);
        QCOMPARE(tower.raised(), std::size_t{1});
        const Alert alert = *tower.standing(AlertRule::loss_not_finite);
        QVERIFY(has(alert.what, "step 2: the loss is nan"));
        QVERIFY(has(alert.next, "train.lr"));
        tower.context.set_time(tower.now += seconds(2));
        tower.context.append(
            TaskEnded{gpt, Outcome::failed, Error{ErrorCode::failed, "the loss is nan", "step 2", ""}});
        tower.alerts.poll();  // the exception entry of the task is made only after the alert is raised
        QCOMPARE(tower.cleared(), std::size_t{0});
        ExceptionEntry entry;
        entry.number = tower.context.state().sequence + 1;
        entry.task = gpt;
        tower.context.append(ExceptionRaised{entry});
        tower.watch(seconds(600));
        QCOMPARE(tower.raised(), std::size_t{1});
        QCOMPARE(tower.cleared(), std::size_t{0});
        tower.context.append(ExceptionClosed{entry.number, gpt, "me", "dropped"});
        tower.watch(seconds(2));
        QCOMPARE(tower.cleared(), std::size_t{1});
    }

    void finite_losses_clear_the_alert_once() {
        Watchtower tower;
        tower.train();
        for (int i = 0; i < 100; ++i) tower.step(100, i % 7 == 0 ? not_a_number : 1.0F);
        QCOMPARE(tower.raised(), std::size_t{1});
        QCOMPARE(tower.cleared(), std::size_t{0});
        tower.step_for(seconds(40), 100);
        QCOMPARE(tower.cleared(), std::size_t{1});
        QCOMPARE(tower.context.state().alerts.begin()->second.why, std::string("its losses are numbers again"));
    }

    void a_batch_without_labels_has_no_losses() {
        Watchtower tower;
        const std::string text = testing::TaskFile().batch({"onnx", "m.onnx"}).text();
        QVERIFY(task::parse_task(text, "t"));
        tower.train(gpt, text);
        tower.step(100, not_a_number);
        tower.watch(seconds(60));
        QCOMPARE(tower.raised(), std::size_t{0});
    }

    void restart_neither_repeats_nor_clears_alerts() {
        std::vector<Event> log;
        {
            Watchtower before;
            before.node(1, "m/a", "host", "tcp://a");
            before.lose("m/a");
            before.watch(seconds(20));
            QCOMPARE(before.raised(), std::size_t{1});
            before.keep();
            log = before.log;
        }
        Watchtower after(log);
        QVERIFY(after.standing(AlertRule::node_silent));
        after.watch(seconds(60));
        QCOMPARE(after.raised(), std::size_t{0});
        NodeInfo info;
        info.id = NodeId("m/a");
        after.context.append(NodeJoined{info});
        after.watch(seconds(60));
        QCOMPARE(after.cleared(), std::size_t{1});
    }

    /// Measurements of machines are not in the log: after a restart, a disk is unknown until its node has reconnected.
    void disk_alert_is_not_repeated_after_a_restart() {
        const auto measure = [](Watchtower& tower, Bytes free) {
            tower.context.machines()[NodeId("m/a")].disk = 100LL << 30;
            tower.context.machines()[NodeId("m/a")].disk_free = free;
            tower.alerts.own_disk(100LL << 30, free);
        };
        std::vector<Event> log;
        {
            Watchtower before;
            before.node(1, "m/a", "host", "tcp://a");
            measure(before, 10LL << 20);
            before.watch(seconds(60));
            QCOMPARE(before.raised(), std::size_t{2});  // one for the node and one for the orchestrator
            before.keep();
            log = before.log;
        }
        Watchtower after(log);
        after.watch(seconds(60));
        QVERIFY(after.standing(AlertRule::disk_short));
        measure(after, 10LL << 20);
        after.watch(seconds(60));
        QCOMPARE(after.raised(), std::size_t{0});
        QCOMPARE(after.cleared(), std::size_t{0});
        measure(after, 50LL << 30);
        after.watch(seconds(60));
        QCOMPARE(after.cleared(), std::size_t{2});
        QVERIFY(!after.standing(AlertRule::disk_short));
        measure(after, 10LL << 20);
        after.watch(seconds(60));
        QCOMPARE(after.raised(), std::size_t{2});
    }

    void rule_with_limit_0_is_off() {
        Watchtower tower;
        task::AlertRules rules;
        rules.silent_s = rules.slow = 0;
        rules.queue = 0;
        rules.disk = 0;
        rules.loss = false;
        tower.alerts.set_rules(rules);
        tower.node(1, "m/a", "host", "tcp://a");
        tower.lose("m/a");
        tower.queue_tasks(0, 50);
        tower.train();
        tower.step_for(seconds(10), 100);
        tower.step_for(seconds(100), 1000);
        tower.step(100, not_a_number);
        tower.alerts.own_disk(1 << 30, 0);
        tower.watch(seconds(60));
        QCOMPARE(tower.raised(), std::size_t{0});
    }

    void state_keeps_open_alerts_and_the_newest() {
        ClusterState state;
        std::uint64_t sequence = 0;
        const auto raise = [&] {
            Alert alert;
            alert.number = ++sequence;
            alert.subject = "s";
            apply(state, {sequence, TimePoint(seconds(1)), AlertRaised{alert}});
            return alert.number;
        };
        const std::uint64_t first = raise();
        for (std::size_t i = 0; i < 2 * most_alerts; ++i) {
            const std::uint64_t number = raise();
            ++sequence;
            apply(state, {sequence, TimePoint(seconds(2)), AlertCleared{number, {}, "over"}});
        }
        QCOMPARE(state.alerts.size(), most_alerts);
        QVERIFY(state.alerts.contains(first) && state.alerts.at(first).stands());
        QVERIFY(!state.alerts.rbegin()->second.stands());
        QCOMPARE(state.alerts.rbegin()->second.why, std::string("over"));
    }
};

DIVISI_TEST(AlertsTest)

}  // namespace alerts_test

#include "alerts_test.moc"
