// SPDX-License-Identifier: Apache-2.0
#include "backend/control/recut_adviser.h"

#include <QTest>

#include "tests/unit/control/runs_floor.h"

using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;

namespace {

std::string text_with(const std::string& recut) {
    return "[model]\nzoo = \"mlp\"\n[data]\nkind = \"synthetic\"\nsamples = 64\n[split]\ncuts = [\"/a\"]\nrecut = \"" +
           recut + "\"\n";
}

struct Maker final : CheckpointMaker {
    Result<std::int64_t> order_last(const TaskId&) override { return 5; }
    std::optional<std::int64_t> last_step(const TaskId&) const override { return 5; }
    std::vector<SegmentSnapshot> taken(const TaskId&) const override { return {}; }
    void hold(const TaskId&) override {}
    void let_go(const TaskId&) override {}
};

/// A task of two stages that trains for long, the first of them three times as busy as the second.
struct Floor : RunsFloor {
    Deliveries deliveries{desk};
    TaskQueue queue{desk, deliveries, models, kept};
    BlobTransfers transfers{desk, devices};
    Maker maker;
    Recuts recuts{desk, models, queue, transfers, maker, runs};
    RecutAdviser adviser{desk, models, recuts};
    PeerId client{};

    explicit Floor(const std::string& recut = "advise") {
        desk.follow([this](const Event& event) {
            leases.follow(event);
            runs.follow(event);
            adviser.follow(event);
        });
        train(0, task::FaultAnswer::recover, text_with(recut));
        TaskPlanned planned;
        planned.task = the_task;
        planned.cuts = {"/a"};
        planned.steps = 1'000'000;
        planned.plan_hash = "hash";
        desk.append(planned);
        client = connect("client");
        desk.sessions().at(client).role = Role::operate;
        (void)take();
    }
    /// So many steps, and reports of both stages.
    void go_on(std::int64_t from, double first_share = 0.9) {
        for (std::int64_t number = from; number < from + advised_steps; ++number) {
            StepRecord record;
            record.step = number;
            record.step_ms = 100;
            desk.append(StepDone{the_task, record});
        }
        for (int i = 0; i < 2 * advised_reports; ++i) adviser.take({load(first, first_share), load(second, 0.3)});
        (void)take();
    }
    static InstanceLoad load(const InstanceId& instance, double share) {
        InstanceLoad load;
        load.instance = instance;
        load.step = 1;
        load.busy_share = share;
        return load;
    }
    Output look() {
        adviser.look();
        return take();
    }
    Output ask() {
        const AskRecutAdvice message{the_task};
        adviser.handle(Received{client, 7, message}, message);
        return take();
    }
    /// What came of the job that was begun.
    Output tried(const Output& begun, const Result<RecutTrial>& trial) {
        if (begun.jobs.size() != 1) qFatal("%zu jobs", begun.jobs.size());
        adviser.tried(*desk.jobs().close(begun.jobs[0].id), trial);
        return take();
    }
    Output after(Duration time) {
        (void)pass(time);
        return look();
    }
};

template <typename E>
std::vector<E> logged(const Output& output) {
    std::vector<E> found;
    for (const Event& event : output.events)
        if (const auto* body = std::get_if<E>(&event.body)) found.push_back(*body);
    return found;
}

const RecutTrial better{50, 35, {"/b"}};

}  // namespace

/// Tasks whose stages are not even are advised other cuts.
class RecutAdviserTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void uneven_stages_are_looked_at();
    void whoever_asks_is_told();
    void a_question_changes_nothing();
    void what_was_found_for_the_plan_before_is_told_nobody();
    void advice_is_followed_where_the_task_says_so();
    void what_cannot_be_advised_is_refused();
};

void RecutAdviserTest::uneven_stages_are_looked_at() {
    Floor floor;
    QVERIFY(floor.look().jobs.empty());  // nothing was measured
    floor.go_on(1);
    const Output begun = floor.after(advice_interval);
    QCOMPARE(begun.jobs.size(), std::size_t(1));
    const auto& job = std::get<RecutTrialJob>(begun.jobs[0].what);
    QCOMPARE(job.stage_nodes, (std::vector<std::string>{"a", "b"}));
    QVERIFY(std::abs(job.busy_ms.at(0) - 90) < 1e-6 && std::abs(job.busy_ms.at(1) - 30) < 1e-6);
    const auto advised = logged<RecutAdvised>(floor.tried(begun, better));
    QCOMPARE(advised.size(), std::size_t(1));
    QVERIFY(advised[0].advice.worth && !advised[0].followed && advised[0].held_back.empty());
    QCOMPARE(advised[0].advice.cuts, std::vector<std::string>{"/b"});
    QCOMPARE(floor.task().advice.value().plan, std::string("hash"));
    QVERIFY(floor.look().jobs.empty());  // not before a while
    // Even stages are left alone.
    Floor even;
    even.go_on(1, 0.3);
    QVERIFY(even.after(advice_interval).jobs.empty());
}

void RecutAdviserTest::whoever_asks_is_told() {
    Floor floor;
    floor.go_on(1, 0.3);
    const auto told = sent<RecutAdvised>(floor.tried(floor.ask(), RecutTrial{50, 50, {}}), floor.client);
    QCOMPARE(told.size(), std::size_t(1));
    QVERIFY(!told[0].advice.worth);
    QCOMPARE(told[0].advice.steps_left, std::int64_t(1'000'000 - advised_steps));
    const Error why{ErrorCode::unavailable, "no time", "x", "y"};
    const auto refused = sent<Refused>(floor.tried(floor.ask(), why), floor.client);
    QCOMPARE(refused.at(0).error.message(), why.message());
}

/// Also where the answer would be advice that is new, and the task follows advice.
void RecutAdviserTest::a_question_changes_nothing() {
    Floor floor("auto");
    floor.go_on(1);
    (void)floor.pass(recut_pause);
    (void)floor.take();
    for (int i = 0; i < 3; ++i) {
        const Output asked = floor.ask();
        QVERIFY(asked.events.empty());
        const Output told = floor.tried(asked, better);
        QCOMPARE(sent<RecutAdvised>(told, floor.client).size(), std::size_t(1));
        QVERIFY(sent<RecutAdvised>(told, floor.client)[0].advice.worth);
        QVERIFY(told.events.empty() && told.lines.empty() && told.jobs.empty());
        QVERIFY(!floor.task().advice);
        QVERIFY(!floor.recuts.changes(the_task));
    }
}

void RecutAdviserTest::what_was_found_for_the_plan_before_is_told_nobody() {
    Floor floor;
    floor.go_on(1);
    const Output asked = floor.ask();
    const Output unasked = floor.after(advice_interval);
    TaskPlanned planned;
    planned.task = the_task;
    planned.cuts = {"/c"};
    planned.steps = 1'000'000;
    planned.plan_hash = "other";
    planned.generation = 2;
    floor.desk.append(planned);
    QCOMPARE(floor.ask().jobs.size(), std::size_t(1));  // as if it had trained by that for long
    const Output told = floor.tried(asked, better);
    QCOMPARE(sent<Refused>(told, floor.client).at(0).error.code, ErrorCode::conflict);
    const Output unheard = floor.tried(unasked, better);
    QVERIFY(unheard.events.empty() && unheard.sends.empty());
    QVERIFY(!floor.task().advice);
}

void RecutAdviserTest::advice_is_followed_where_the_task_says_so() {
    Floor floor("auto");
    floor.go_on(1);
    const auto early = logged<RecutAdvised>(floor.tried(floor.after(advice_interval), better));
    QVERIFY(!early.at(0).followed && early[0].held_back.find("younger") != std::string::npos);
    (void)floor.pass(recut_pause);
    const Output followed = floor.tried(floor.look(), better);
    QVERIFY(logged<RecutAdvised>(followed).at(0).followed);
    QVERIFY(std::holds_alternative<Planning>(followed.jobs.at(0).what));
    QVERIFY(floor.recuts.changes(the_task));
    QVERIFY(floor.after(2 * advice_interval).jobs.empty());  // while that is on its way
}

void RecutAdviserTest::what_cannot_be_advised_is_refused() {
    Floor floor;
    const auto code = [&] { return sent<Refused>(floor.ask(), floor.client).at(0).error.code; };
    QCOMPARE(code(), ErrorCode::unavailable);  // nothing was measured
    TaskPlanned blocks;
    blocks.task = the_task;
    floor.desk.append(blocks);
    (void)floor.take();
    QCOMPARE(code(), ErrorCode::unsupported);
    floor.desk.append(PhaseChanged{the_task, TaskPhase::exception, "waits"});
    (void)floor.take();
    QCOMPARE(code(), ErrorCode::conflict);
}

QTEST_GUILESS_MAIN(RecutAdviserTest)
#include "recut_adviser_test.moc"
