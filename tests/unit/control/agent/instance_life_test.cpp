// SPDX-License-Identifier: Apache-2.0

#include "backend/control/agent/instance_life.h"
#include "backend/control/protocol/connection_messages.h"
#include "backend/control/protocol/log_messages.h"
#include "backend/control/types/service_types.h"

#include "tests/support/test_program.h"

namespace instance_life_test {

using namespace divisi;
using namespace divisi::control;

/// Tests the reports of an instance, and that an instance ends by itself only after the whole grace time without an
/// orchestrator.
class InstanceLifeTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void runs_while_connected_to_its_orchestrator();
    void ends_if_no_orchestrator_answers_at_the_start();
    void ends_after_losing_its_orchestrator();
    void unacknowledged_reports_are_repeated_in_order();
    void final_report_is_repeated_after_a_reconnect();
    void repeated_errors_are_counted();
    void errors_before_the_deployment_are_reported_after_it();
    void registry_is_notified_of_the_instances_health();
    void snapshot_is_taken_only_by_a_training_instance();
    void snapshot_is_reported_until_acknowledged();
    void standby_warms_up_and_prepares_nothing();
    void spans_are_measured_while_someone_watches();
    void load_report_has_its_time_of_measurement();
    void hold_order_is_followed_and_ends_at_a_disconnect();
    void next_plan_is_prepared_while_the_instance_trains();

private:
    static InstanceLife fresh() {
        return InstanceLife(RegisterInstance{InstanceId("task/stage-0/0#1"), Sid("task/stage-0/0"), {}, {}, {}, 1});
    }
    /// Returns the life of an instance that trains.
    InstanceLife running() {
        InstanceLife life = fresh();
        (void)life.step(instance::Connected{}, now_);
        Deploy deploy;
        deploy.task = TaskId("task");
        deploy.instance = InstanceId("task/stage-0/0#1");
        (void)life.step(instance::FromOrchestrator{1, deploy}, now_);
        (void)life.step(instance::FromOrchestrator{0, Peers{}}, now_);
        (void)life.step(instance::Prepared{"hash", 4}, now_);
        (void)life.step(instance::FromOrchestrator{0, Begin{}}, now_);
        return life;
    }
    /// Returns whether an instance that already has a deployment follows an order to stand by.
    bool warms_up_with_a_part() {
        InstanceLife life = fresh();
        (void)life.step(instance::Connected{}, now_);
        Deploy deploy;
        deploy.task = TaskId("task");
        deploy.instance = InstanceId("task/stage-0/0#1");
        return life.step(instance::FromOrchestrator{1, deploy}, now_).warm_up.has_value();
    }
    /// Ticks until the instance exits or `time` has passed. Returns the exit status.
    std::optional<int> pass(InstanceLife& life, Duration time) {
        for (const TimePoint until = now_ + time; now_ < until;)
            if (const auto output = life.step(instance::Tick{}, now_ += std::chrono::milliseconds(500)); output.exit)
                return output.exit;
        return std::nullopt;
    }
    template <typename M>
    static std::vector<M> said(const instance::Output& output) {
        std::vector<M> found;
        for (const instance::SendUp& up : output.sends)
            if (const auto* message = get_if<M>(&up.message)) found.push_back(*message);
        return found;
    }
    const TimePoint start_{std::chrono::seconds(100)};
    TimePoint now_ = start_;
};

void InstanceLifeTest::runs_while_connected_to_its_orchestrator() {
    InstanceLife life = running();
    QCOMPARE(life.state(), InstanceState::running);
    QVERIFY(!pass(life, 10 * orchestrator_grace));
}

void InstanceLifeTest::ends_if_no_orchestrator_answers_at_the_start() {
    InstanceLife life = fresh();
    (void)life.step(instance::Tick{}, now_);
    QVERIFY(!pass(life, orchestrator_grace - std::chrono::seconds(1)));
    (void)life.step(instance::Disconnected{}, now_);
    QCOMPARE(pass(life, std::chrono::seconds(1)), std::optional<int>(1));
}

void InstanceLifeTest::ends_after_losing_its_orchestrator() {
    for (const bool farewell : {false, true}) {
        InstanceLife life = running();
        if (farewell) (void)life.step(instance::FromOrchestrator{0, Goodbye{"for good"}}, now_);
        (void)life.step(instance::Disconnected{}, now_);
        const Duration grace = farewell ? last_word_grace : orchestrator_grace;
        QVERIFY(!pass(life, grace - std::chrono::seconds(1)));
        QCOMPARE(pass(life, std::chrono::seconds(1)), std::optional<int>(1));
    }
}

void InstanceLifeTest::load_report_has_its_time_of_measurement() {
    InstanceLife life = running();
    now_ += std::chrono::milliseconds(500);
    const auto reports = said<LoadReport>(life.step(instance::LoadMeasured{}, now_));
    QCOMPARE(reports.size(), std::size_t{1});
    QCOMPARE(reports[0].load.measured, now_);
}

void InstanceLifeTest::spans_are_measured_while_someone_watches() {
    InstanceLife begins = fresh();
    QVERIFY(said<RegisterInstance>(begins.step(instance::Connected{}, now_)).at(0).reports_spans);
    InstanceLife life = running();
    const auto told = [&](const char* task, Generation generation, std::int64_t every) {
        return life.step(instance::FromOrchestrator{0, ReportSpans{TaskId(task), generation, every}}, now_)
            .measure_spans;
    };
    QCOMPARE(told("task", 1, 16)->every, std::int64_t{16});
    QVERIFY(!told("task", 2, 16) && !told("other", 1, 16) && !told("task", 1, 0));
    const auto measured = [&] {
        instance::SpansMeasured input;
        input.spans.step = 16;
        return said<SpanReport>(life.step(input, now_));
    };
    const auto first = measured();
    QCOMPARE(first.size(), std::size_t{1});
    QCOMPARE(first[0].spans.instance, InstanceId("task/stage-0/0#1"));
    QCOMPARE(first[0].spans.task, TaskId("task"));
    QCOMPARE(first[0].spans.sent, now_);
    // Spans measured while disconnected are counted as dropped, not kept.
    (void)life.step(instance::Disconnected{}, now_);
    QVERIFY(measured().empty() && measured().empty());
    (void)life.step(instance::Connected{}, now_);
    (void)life.step(instance::FromOrchestrator{1, ResumeInstance{TaskId("task"), 1, 0, 0}}, now_);
    QCOMPARE(measured().at(0).spans.dropped, std::uint64_t{2});
    QCOMPARE(measured().at(0).spans.dropped, std::uint64_t{0});
}

/// After a reconnect, reports that did not arrive are repeated in their order. Reports that did arrive are not
/// repeated.
void InstanceLifeTest::unacknowledged_reports_are_repeated_in_order() {
    InstanceLife life = running();
    const auto step_done = [&](std::int64_t number) {
        StepRecord record;
        record.step = number;
        return life.step(instance::StepFinished{record}, now_);
    };
    for (std::int64_t number = 1; number <= 5; ++number) (void)step_done(number);
    (void)life.step(instance::EvalFinished{{5, 0.5f, {}, {}}}, now_);
    (void)life.step(instance::Disconnected{}, now_);
    for (std::int64_t number = 6; number <= 1200; ++number) (void)step_done(number);
    QVERIFY(!pass(life, std::chrono::seconds(20)));
    const auto back = said<RegisterInstance>(life.step(instance::Connected{}, now_));
    QCOMPARE(back.size(), std::size_t(1));
    QCOMPARE(back[0].state, InstanceState::running);
    QVERIFY(said<StepReport>(step_done(1201)).empty());  // older reports must be sent first
    const instance::Output output =
        life.step(instance::FromOrchestrator{1, ResumeInstance{TaskId("task"), 1, 3, 0}}, now_);
    QVERIFY(!output.exit);
    std::int64_t next = 4;
    std::size_t evaluations = 0;
    for (const MissedReports& missed : said<MissedReports>(output)) {
        QVERIFY(missed.steps.size() + missed.evaluations.size() <= missed_reports_limit);
        for (const StepRecord& record : missed.steps) QCOMPARE(record.step, next++);
        evaluations += missed.evaluations.size();
    }
    QCOMPARE(next, std::int64_t{1202});
    QCOMPARE(said<StepReport>(step_done(1202)).size(), std::size_t(1));
    QCOMPARE(evaluations, std::size_t(1));
    // The orchestrator repeats messages that the instance may have missed. This instance has not missed them.
    const auto moved = life.step(
        instance::FromOrchestrator{0, Peers{{}, 1, {{InstanceId("b#1"), {}, 1, "tcp://b", ""}}, {}, {}}}, now_);
    QVERIFY(!moved.prepare);
    QCOMPARE(moved.reconnect->peers.peers.at(0).data_endpoint, std::string("tcp://b"));
    // ignores a message about another plan
    QVERIFY(!life.step(instance::FromOrchestrator{0, Peers{{}, 2, {}, {}, {}}}, now_).reconnect);
    QVERIFY(!life.step(instance::FromOrchestrator{0, Begin{}}, now_).run);
}

void InstanceLifeTest::final_report_is_repeated_after_a_reconnect() {
    InstanceLife finished = running();
    (void)finished.step(instance::Disconnected{}, now_);
    WeightsStored weights;
    weights.hash = "hash";
    (void)finished.step(instance::RunFinished{weights}, now_);
    QCOMPARE(said<RegisterInstance>(finished.step(instance::Connected{}, now_))[0].state, InstanceState::finished);
    const instance::FromOrchestrator resume{1, ResumeInstance{TaskId("task"), 1, 0, 0}};
    QCOMPARE(said<InstanceFinished>(finished.step(resume, now_))[0].weights.hash, std::string("hash"));

    InstanceLife failed = running();
    (void)failed.step(instance::Disconnected{}, now_);
    (void)failed.step(instance::WorkFailed{{ErrorCode::exhausted, "no memory", "", ""}}, now_);
    QVERIFY(!pass(failed, 2 * last_word_grace));  // the instance does not end before it has reported the failure
    (void)failed.step(instance::Connected{}, now_);
    QCOMPARE(said<InstanceFailed>(failed.step(resume, now_))[0].error.what, std::string("no memory"));
    QCOMPARE(pass(failed, last_word_grace), std::optional<int>(1));

    InstanceLife refused = running();
    const Error over{ErrorCode::not_found, "no running task has this instance", "", ""};
    QCOMPARE(refused.step(instance::FromOrchestrator{1, Refused{over}}, now_).exit, std::optional<int>(1));
    InstanceLife patient = running();
    const Error broken{ErrorCode::unavailable, "the connection was lost", "", ""};
    QVERIFY(!patient.step(instance::FromOrchestrator{1, Refused{broken}}, now_).exit);
}

void InstanceLifeTest::repeated_errors_are_counted() {
    InstanceLife life = running();
    const instance::NonFatalError trouble{{ErrorCode::corrupt, "a damaged frame", "peer", "look at the network"}};
    std::size_t lines = 0;
    for (int i = 0; i < 300; ++i) lines += said<Note>(life.step(trouble, start_)).size();
    QCOMPARE(lines, static_cast<std::size_t>(note_burst));
    QVERIFY(said<Note>(life.step(instance::Tick{}, start_ + note_interval / 2)).empty());
    const auto later = said<Note>(life.step(instance::Tick{}, start_ + note_interval));
    QCOMPARE(later.size(), std::size_t(1));
    const std::string& text = later.front().note.text;
    QVERIFY2(text.find("295") != std::string::npos && text.find("damaged frame") != std::string::npos, text.c_str());
    QVERIFY(said<Note>(life.step(instance::Tick{}, start_ + 3 * note_interval)).empty());
    QCOMPARE(said<Note>(life.step(trouble, start_ + 3 * note_interval)).size(), std::size_t(1));
}

void InstanceLifeTest::errors_before_the_deployment_are_reported_after_it() {
    InstanceLife life = fresh();
    const instance::NonFatalError trouble{{ErrorCode::corrupt, "a damaged store", "x.sqlite", "move it away"}};
    QVERIFY(life.step(trouble, start_).sends.empty());
    (void)life.step(instance::Connected{}, start_);
    Deploy deploy;
    deploy.task = TaskId("task");
    deploy.instance = InstanceId("task/stage-0/0#1");
    const auto told = said<Note>(life.step(instance::FromOrchestrator{1, deploy}, start_));
    QCOMPARE(told.size(), std::size_t{1});
    QCOMPARE(told[0].note.task, std::string("task"));
    QVERIFY(told[0].note.text.find("damaged store") != std::string::npos);
}

void InstanceLifeTest::registry_is_notified_of_the_instances_health() {
    InstanceLife life = fresh();
    (void)life.step(instance::Connected{}, now_);
    Deploy deploy;
    deploy.task = TaskId("task");
    deploy.instance = InstanceId("task/stage-0/0#1");
    const instance::Output deployed = life.step(instance::FromOrchestrator{1, deploy}, now_);
    const auto registered = said<RegisterService>(deployed);
    QCOMPARE(registered.size(), std::size_t(1));
    QCOMPARE(registered[0].service.health, mesh::Health::pending);
    QCOMPARE(registered[0].service.prefix, std::string("task/stage-0"));
    QCOMPARE(registered[0].service.incarnation, Incarnation{1});
    const std::uint64_t question = deployed.sends.back().correlation;
    (void)life.step(instance::FromOrchestrator{question, ServiceRegistered{9, 1}}, now_);
    QVERIFY(said<RenewService>(life.step(instance::Tick{}, now_ + mesh::renew_interval / 2)).empty());
    QCOMPARE(said<RenewService>(life.step(instance::Tick{}, now_ + mesh::renew_interval)).size(), std::size_t(1));
    (void)life.step(instance::FromOrchestrator{0, Peers{}}, now_);
    const auto schema = said<RegisterService>(life.step(instance::Prepared{"hash", 4, "a:f[1]", "b:f[2]"}, now_));
    QCOMPARE(schema.at(0).service.output_schema, std::string("b:f[2]"));
    const auto active = said<RegisterService>(life.step(instance::FromOrchestrator{0, Begin{}}, now_));
    QCOMPARE(active.at(0).service.health, mesh::Health::active);
    (void)life.step(instance::Disconnected{}, now_);
    const auto alone = life.step(instance::WorkFailed{{ErrorCode::failed, "broke", "", ""}}, now_);
    QVERIFY(said<RegisterService>(alone).empty());  // not reported while disconnected
    (void)life.step(instance::Connected{}, now_);
    const instance::FromOrchestrator resume{1, ResumeInstance{TaskId("task"), 1, 0, 0}};
    QCOMPARE(said<RegisterService>(life.step(resume, now_)).at(0).service.health, mesh::Health::faulted);
}

void InstanceLifeTest::snapshot_is_taken_only_by_a_training_instance() {
    const auto ordered = [&](InstanceLife& life, Generation generation) {
        return life.step(instance::FromOrchestrator{0, TakeSnapshot{TaskId("task"), generation, 7}}, now_);
    };
    InstanceLife life = running();
    QCOMPARE(ordered(life, 1).take_snapshot, std::optional<std::int64_t>(7));
    const instance::Output zombie = ordered(life, 2);  // an order for another plan of the task
    QVERIFY(!zombie.take_snapshot && said<SnapshotTaken>(zombie).empty());
    (void)life.step(instance::RunFinished{}, now_);
    const instance::Output late = ordered(life, 1);
    QVERIFY(!late.take_snapshot);
    const auto refused = said<SnapshotTaken>(late);
    QCOMPARE(refused.size(), std::size_t{1});
    QCOMPARE(refused[0].step, std::int64_t{7});
    QCOMPARE(refused[0].error->code, ErrorCode::conflict);
}

void InstanceLifeTest::snapshot_is_reported_until_acknowledged() {
    InstanceLife life = running();
    const auto written = [&](std::int64_t step) {
        SnapshotTaken snapshot;
        snapshot.step = step;
        snapshot.hash = "hash of " + std::to_string(step);
        return life.step(instance::SnapshotWritten{snapshot}, now_);
    };
    const auto told = said<SnapshotTaken>(written(1));
    QCOMPARE(told.size(), std::size_t{1});
    QCOMPARE(told[0].task, TaskId("task"));
    QCOMPARE(told[0].instance, InstanceId("task/stage-0/0#1"));
    QCOMPARE(told[0].generation, Generation{1});
    QCOMPARE(told[0].hash, std::string("hash of 1"));
    (void)life.step(instance::Disconnected{}, now_);
    for (std::int64_t step = 2; step <= 9; ++step) QVERIFY(written(step).sends.empty());
    QVERIFY(said<SnapshotTaken>(life.step(instance::Connected{}, now_)).empty());
    const auto again =
        said<SnapshotTaken>(life.step(instance::FromOrchestrator{1, ResumeInstance{TaskId("task"), 1, 0, 0}}, now_));
    QCOMPARE(again.size(), kept_snapshots);
    QCOMPARE(again.back().step, std::int64_t{9});
    QCOMPARE(again.front().step, 10 - static_cast<std::int64_t>(kept_snapshots));
}

void InstanceLifeTest::standby_warms_up_and_prepares_nothing() {
    InstanceLife life(RegisterInstance{InstanceId("task/standby/0#1"), Sid("task/standby/0"), {}, {}, {}, 1});
    (void)life.step(instance::Connected{}, now_);
    Deploy deploy;
    deploy.task = TaskId("task");
    deploy.generation = 3;
    deploy.instance = InstanceId("task/standby/0#1");
    deploy.stage = standby_stage;
    deploy.text = "text";
    const instance::Output deployed = life.step(instance::FromOrchestrator{1, deploy}, now_);
    QVERIFY(deployed.warm_up);
    QCOMPARE(deployed.warm_up->deploy.text, std::string("text"));
    QVERIFY(!deployed.prepare);
    QVERIFY(!warms_up_with_a_part());
    const auto prepared = said<InstancePrepared>(life.step(instance::Prepared{"hash"}, now_));
    QCOMPARE(prepared.size(), std::size_t(1));
    QCOMPARE(prepared[0].plan_hash, std::string("hash"));
    QCOMPARE(prepared[0].generation, Generation(3));
    // The instance re-registers in its old state, even if its task has another generation by then.
    (void)life.step(instance::Disconnected{}, now_);
    QCOMPARE(said<RegisterInstance>(life.step(instance::Connected{}, now_)).at(0).state, InstanceState::prepared);
    const ResumeInstance resume{TaskId("task"), 3, 0, 0};
    QCOMPARE(said<InstancePrepared>(life.step(instance::FromOrchestrator{1, resume}, now_)).size(), std::size_t(1));
    QCOMPARE(life.step(instance::Terminate{}, now_).exit, std::optional<int>(0));
}

void InstanceLifeTest::hold_order_is_followed_and_ends_at_a_disconnect() {
    const auto held = [&](InstanceLife& life, Generation generation, std::int64_t after) {
        return life.step(instance::FromOrchestrator{0, HoldSteps{TaskId("task"), generation, after}}, now_).hold;
    };
    InstanceLife life = running();
    QCOMPARE(held(life, 1, 7), std::optional<std::int64_t>(7));
    QVERIFY(!held(life, 2, 9));  // an order for another plan of the task
    QCOMPARE(held(life, 1, 0), std::optional<std::int64_t>(0));
    QVERIFY(!life.step(instance::Disconnected{}, now_).hold);
    // A disconnect releases the hold, since the orchestrator that would release it may not return.
    InstanceLife alone = running();
    (void)held(alone, 1, 7);
    QCOMPARE(alone.step(instance::Disconnected{}, now_).hold, std::optional<std::int64_t>(0));
    InstanceLife over = running();
    (void)over.step(instance::RunFinished{}, now_);
    QVERIFY(!held(over, 1, 7));
}

void InstanceLifeTest::next_plan_is_prepared_while_the_instance_trains() {
    const InstanceId me("task/stage-0/0#1");
    const auto order = [&](InstanceLife& life, const InstanceId& whom) {
        return life.step(instance::FromOrchestrator{0, PreparePlan{TaskId("task"), whom, "next", 1, 7}}, now_);
    };
    InstanceLife life = running();
    QCOMPARE(order(life, me).prepare_plan->text, std::string("next"));
    QVERIFY(!order(life, InstanceId("task/stage-0/0#2")).prepare_plan);
    QCOMPARE(life.state(), InstanceState::running);
    PlanPrepared compiled;
    compiled.plan_hash = "hash of next";
    compiled.order = 7;
    const auto told = said<PlanPrepared>(life.step(instance::PlanCompiled{compiled}, now_));
    QCOMPARE(told.size(), std::size_t(1));
    QVERIFY(told[0].task == TaskId("task") && told[0].instance == me && !told[0].error);
    QCOMPARE(told[0].plan_hash, std::string("hash of next"));
    QCOMPARE(told[0].order, std::uint64_t(7));
    (void)life.step(instance::RunFinished{}, now_);
    const instance::Output late = order(life, me);
    QVERIFY(!late.prepare_plan);
    QCOMPARE(said<PlanPrepared>(late).at(0).error->code, ErrorCode::conflict);
    QCOMPARE(said<PlanPrepared>(late).at(0).order, std::uint64_t(7));
}

DIVISI_TEST(InstanceLifeTest)

}  // namespace instance_life_test

#include "instance_life_test.moc"
