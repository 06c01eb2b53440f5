// SPDX-License-Identifier: Apache-2.0
#include "backend/control/change/versions.h"

#include "backend/control/state/needed_blobs.h"
#include "backend/control/state/version_lineage.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/floor.h"

namespace versions_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;

namespace {

constexpr const char* text = "[model]\nzoo = \"mlp\"\n[data]\nkind = \"csv\"\npath = \"shop.csv\"\ntargets = [\"y\"]\n";

/// The model repository of a cluster whose trainings end as soon as they are told of. Its log outlives it.
struct Shelf : Floor {
    std::vector<Event> log;
    Models models{desk};
    Versions versions{desk, models};
    PeerId client = connect(1);

    explicit Shelf(const std::vector<Event>& before = {}) {
        desk.follow([this](const Event& event) {
            log.push_back(event);
            models.follow(event);
            versions.follow(event);
        });
        for (const Event& event : before) desk.replay(event);
        log = before;
    }
    TaskId submit(const std::string& name, std::uint64_t parent = 0) {
        const TaskId id = next_task_id(desk.state(), name);
        TaskSubmitted submitted{id, name, text, "/", "", {{"data", "/shop.csv", "0123456789abcdef", 9}}, "me", 0};
        submitted.parent = parent;
        desk.append(submitted);
        TaskPlanned planned{id};
        planned.cuts = {"/a"};
        planned.model = "zoo:mlp";
        planned.plan_hash = "the plan";
        desk.append(planned);
        return id;
    }
    /// Weights of both stages; `results`: of a batch.
    void store(const TaskId& id, bool results = false) {
        for (const char* stage : {"/stage-0/0#1", "/stage-1/0#1"})
            desk.append(WeightsStored{id, InstanceId(id.value() + stage), 20, blob(id, stage), "/w", 100, 1, results});
    }
    static std::string blob(const TaskId& id, const std::string& stage = "/stage-0/0#1") {
        return "weights of " + id.value() + stage;
    }
    void end(const TaskId& id, Outcome outcome = Outcome::succeeded) {
        desk.append(TaskEnded{id, outcome, {}});
        pass(std::chrono::seconds(1));
        versions.settle();
    }
    /// A training of 20 steps to its end; the number of its version.
    std::uint64_t train(const std::string& name, std::uint64_t parent = 0) {
        const TaskId id = submit(name, parent);
        StepRecord record;
        record.step = 20;
        record.loss = 0.25f;
        desk.append(StepDone{id, record});
        store(id);
        end(id);
        return desk.state().last_version;
    }
    /// A training of two stages that goes on, with checkpoints after these steps.
    TaskId begin(const std::string& name, const std::vector<std::int64_t>& steps, std::uint64_t parent = 0) {
        const TaskId id = submit(name, parent);
        for (const std::int64_t step : steps) commit(id, step);
        return id;
    }
    void commit(const TaskId& id, std::int64_t step) {
        StepRecord record;
        record.step = step;
        record.loss = static_cast<float>(step);
        desk.append(StepDone{id, record});
        Checkpoint one{1, step, desk.now(), {}};
        for (const std::int32_t stage : {0, 1})
            one.parts.push_back({Sid(id.value() + "/stage"), stage, snapshot(id, step, stage), 50, {NodeId("m/a")}});
        desk.append(CheckpointCommitted{id, one});
    }
    static std::string snapshot(const TaskId& id, std::int64_t step, std::int32_t stage = 0) {
        return "snapshot " + id.value() + " " + std::to_string(step) + " " + std::to_string(stage);
    }
    /// The number of the version that was made; 0 where it was refused.
    std::uint64_t keep(const TaskId& id, std::int64_t step = 0, const std::string& version = "") {
        clear();
        say(versions, client, KeepCheckpoint{id, step, version});
        const auto made = sent<VersionMade>();
        return made.empty() ? 0 : made.front().second.version.number;
    }
    void drop(std::uint64_t number) {
        clear();
        say(versions, client, DropVersion{number});
    }
    const std::map<std::uint64_t, ModelVersion>& all() const { return desk.state().versions; }
    std::size_t kept() const {
        return static_cast<std::size_t>(
            std::ranges::count_if(all(), [](const auto& entry) { return entry.second.kept; }));
    }
    bool needs(const std::string& hash) const { return !needed_blobs(desk.state(), {hash}).empty(); }
    std::vector<std::uint64_t> line(std::uint64_t number) const {
        std::vector<std::uint64_t> numbers;
        for (const ModelVersion* one : lineage_of(desk.state(), number)) numbers.push_back(one->number);
        return numbers;
    }
    /// The number of the version that a word means; 0 where it means none.
    std::uint64_t meant(const std::string& word) const {
        const auto found = find_version(desk.state(), word);
        return found ? (*found)->number : 0;
    }
};

using Numbers = std::vector<std::uint64_t>;

}  // namespace

/// What trainings leave, what came of what, and how long it is kept.
class VersionsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void a_training_that_succeeds_makes_one();
    void what_is_not_trained_makes_none();
    void lineage_leads_to_the_root();
    void a_person_names_one_in_several_ways();
    void its_task_and_weights_stay();
    void one_is_dropped();
    void what_others_descend_from_is_told_without_weights();
    void a_parent_that_is_dropped_while_its_child_trains_stays_in_the_line();
    void the_oldest_without_children_go_first();
    void a_line_longer_than_the_bound_keeps_its_story();
    void records_of_a_long_line_are_bounded();
    void a_restart_keeps_them();
    void a_log_of_before_gets_its_versions();
    void a_checkpoint_is_kept();
    void a_kept_checkpoint_outlives_its_task();
    void a_name_means_one_version();
    void what_cannot_be_kept_is_refused();
    void a_checkpoint_is_not_the_end_of_its_task();
    void checkpoints_count_among_those_that_are_kept();
};

void VersionsTest::a_training_that_succeeds_makes_one() {
    Shelf shelf;
    QCOMPARE(shelf.train("t"), std::uint64_t{1});
    const ModelVersion& version = shelf.all().at(1);
    QCOMPARE(version.task, TaskId("t-1"));
    QCOMPARE(version.hash.size(), std::size_t{16});
    QCOMPARE(version.parent, std::uint64_t{0});
    QCOMPARE(version.model, std::string("zoo:mlp"));
    QCOMPARE(version.data, std::string("csv shop.csv, 0123456789ab"));
    QCOMPARE(version.plan, std::string("the plan"));
    QCOMPARE(version.stages, 2);
    QCOMPARE(version.step, std::int64_t{20});
    QCOMPARE(version.loss.value(), 0.25f);
    QCOMPARE(version.size, Bytes{200});
    QVERIFY(version.kept);
    QCOMPARE(describe(shelf.log.back().body),
             "version 1 of zoo:mlp: task t-1 after step 20, hash " + version.hash + " (" + format_bytes(200) + ")");
    QCOMPARE(task_of(shelf.log.back().body), TaskId("t-1"));
    // Other files, another hash.
    QCOMPARE(shelf.train("t", 1), std::uint64_t{2});
    QVERIFY(shelf.all().at(2).hash != version.hash);
    QVERIFY(describe(shelf.log.back().body).find("from version 1") != std::string::npos);
}

void VersionsTest::what_is_not_trained_makes_none() {
    Shelf shelf;
    const TaskId bare = shelf.submit("bare");
    shelf.end(bare);
    const TaskId batch = shelf.submit("batch");
    shelf.store(batch, true);
    shelf.end(batch);
    const TaskId stopped = shelf.submit("stopped");
    shelf.store(stopped);
    shelf.end(stopped, Outcome::stopped);
    const TaskId half = shelf.submit("half");  // one of two stages
    shelf.desk.append(WeightsStored{half, InstanceId("half-1/stage-0/0#1"), 20, "hash", "/w", 100});
    shelf.end(half);
    QVERIFY(shelf.all().empty());
}

void VersionsTest::lineage_leads_to_the_root() {
    Shelf shelf;
    const std::uint64_t root = shelf.train("a"), other = shelf.train("b");
    const std::uint64_t child = shelf.train("a", root), last = shelf.train("c", child);
    QCOMPARE(shelf.line(last), (Numbers{last, child, root}));
    QCOMPARE(shelf.line(other), Numbers{other});
    QVERIFY(shelf.line(99).empty());
    QVERIFY(has_children(shelf.desk.state(), root));
    QVERIFY(!has_children(shelf.desk.state(), last));
    const TaskId runs = shelf.submit("d", last);  // a task counts until it has ended
    QVERIFY(has_children(shelf.desk.state(), last));
    shelf.end(runs, Outcome::stopped);
    QVERIFY(!has_children(shelf.desk.state(), last));
}

void VersionsTest::a_person_names_one_in_several_ways() {
    Shelf shelf;
    (void)shelf.train("a");
    (void)shelf.train("a");
    (void)shelf.train("b");
    QCOMPARE(shelf.meant("2"), std::uint64_t{2});
    QCOMPARE(shelf.meant("a-1"), std::uint64_t{1});
    QCOMPARE(shelf.meant("a"), std::uint64_t{2});  // the newest
    QCOMPARE(shelf.meant(shelf.all().at(3).hash), std::uint64_t{3});
    QCOMPARE(shelf.meant("nothing"), std::uint64_t{0});
    QCOMPARE(shelf.meant(""), std::uint64_t{0});
    QVERIFY(find_version(shelf.desk.state(), "9").error().next.find("divisictl models") != std::string::npos);
    (void)shelf.train("b", 2);
    shelf.drop(2);  // which a name means only where nothing better is there
    QCOMPARE(shelf.meant("a"), std::uint64_t{1});
    QCOMPARE(shelf.meant("a-2"), std::uint64_t{2});
}

void VersionsTest::its_task_and_weights_stay() {
    Shelf shelf;
    (void)shelf.train("kept");
    for (std::size_t i = 0; i < ended_task_limit + 2; ++i) shelf.end(shelf.submit("other"));
    QVERIFY(shelf.desk.state().tasks.contains(TaskId("kept-1")));
    QVERIFY(!shelf.desk.state().tasks.contains(TaskId("other-1")));
    QVERIFY(shelf.needs(Shelf::blob(TaskId("kept-1"))));
    shelf.drop(1);
    QVERIFY(!shelf.needs(Shelf::blob(TaskId("kept-1"))));
    shelf.end(shelf.submit("other"));
    QVERIFY(!shelf.desk.state().tasks.contains(TaskId("kept-1")));
}

void VersionsTest::one_is_dropped() {
    Shelf shelf;
    (void)shelf.train("t");
    shelf.drop(1);
    QCOMPARE(shelf.sent<Done>().size(), std::size_t{1});
    QVERIFY(shelf.all().empty());
    QVERIFY(!is_trained(shelf.desk.state().tasks.at(TaskId("t-1"))));
    QCOMPARE(describe(shelf.log.back().body),
             std::string("version 1 of task t-1 was dropped by me; its weights are let go"));
    shelf.drop(1);
    QCOMPARE(shelf.refusal(), std::string("there is no such version of a model"));
    QCOMPARE(shelf.train("t"), std::uint64_t{2});  // a number is given once
}

void VersionsTest::what_others_descend_from_is_told_without_weights() {
    Shelf shelf;
    (void)shelf.train("t");
    (void)shelf.train("t", 1);
    (void)shelf.train("t", 2);
    shelf.drop(1);
    shelf.drop(2);
    QVERIFY(!shelf.all().at(1).kept && !shelf.all().at(2).kept && shelf.all().at(3).kept);
    QVERIFY(!shelf.needs(Shelf::blob(TaskId("t-1"))));
    QCOMPARE(shelf.line(3), (Numbers{3, 2, 1}));
    shelf.drop(2);
    QCOMPARE(shelf.refusal(), std::string("its weights were let go already"));
    shelf.drop(3);  // nobody descends from any
    QVERIFY(shelf.all().empty());
    // One that a task is training on from stays until the task has ended.
    (void)shelf.train("t");
    const TaskId runs = shelf.submit("t", 4);
    shelf.drop(4);
    QVERIFY(shelf.all().contains(4));
    shelf.end(runs, Outcome::stopped);
    QVERIFY(!shelf.all().contains(4));
}

void VersionsTest::a_parent_that_is_dropped_while_its_child_trains_stays_in_the_line() {
    Shelf shelf;
    (void)shelf.train("t");
    const TaskId child = shelf.submit("t", 1);
    shelf.drop(1);
    QCOMPARE(shelf.sent<Done>().size(), std::size_t{1});
    QVERIFY(shelf.all().contains(1) && !shelf.all().at(1).kept);
    // Its files go, but for what the child begins with: that came to the nodes as the child's own.
    QVERIFY(!shelf.needs(Shelf::blob(TaskId("t-1"))));
    shelf.store(child);
    shelf.end(child);
    QCOMPARE(shelf.all().at(2).parent, std::uint64_t{1});
    QVERIFY(shelf.all().at(2).kept);
    QCOMPARE(shelf.line(2), (Numbers{2, 1}));
    QVERIFY(has_children(shelf.desk.state(), 1));
    Shelf after(shelf.log);
    QCOMPARE(after.line(2), (Numbers{2, 1}));
    shelf.drop(2);  // nobody descends from either
    QVERIFY(shelf.all().empty());
}

void VersionsTest::the_oldest_without_children_go_first() {
    Shelf shelf;
    const std::uint64_t root = shelf.train("t"), child = shelf.train("t", root);
    for (std::size_t i = 2; i < most_versions; ++i) (void)shelf.train("t");
    QCOMPARE(shelf.kept(), most_versions);
    (void)shelf.train("t");
    QCOMPARE(shelf.kept(), most_versions);
    QVERIFY(shelf.all().at(root).kept);
    QVERIFY(!shelf.all().contains(child));
    QCOMPARE(describe(shelf.log.back().body), "version " + std::to_string(child) +
                                                  " of task t-2 was pushed out by newer ones, of which " +
                                                  std::to_string(most_versions) + " are kept; its weights are let go");
    QVERIFY(!shelf.needs(Shelf::blob(TaskId("t-2"))));
    (void)shelf.train("t");  // nobody descends from the root any more
    QVERIFY(!shelf.all().contains(root));
}

/// All have a child but the newest, which was just trained.
void VersionsTest::a_line_longer_than_the_bound_keeps_its_story() {
    Shelf shelf;
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < most_versions + 3; ++i) last = shelf.train("t", last);
    QCOMPARE(shelf.kept(), most_versions);
    QVERIFY(shelf.all().at(last).kept);
    QVERIFY(!shelf.all().at(1).kept && !shelf.all().at(3).kept && shelf.all().at(4).kept);
    QCOMPARE(shelf.line(last).size(), most_versions + 3);
    QCOMPARE(shelf.line(last).back(), std::uint64_t{1});
}

void VersionsTest::records_of_a_long_line_are_bounded() {
    ClusterState state;
    for (std::uint64_t number = 1; number <= most_version_records + 5; ++number) {
        ModelVersion one;
        one.number = number;
        one.parent = number - 1;
        one.kept = number > most_version_records;
        state.versions[number] = one;
    }
    forget_versions(state);
    QCOMPARE(state.versions.size(), most_version_records);
    QVERIFY(!state.versions.contains(5) && state.versions.contains(6));
    QCOMPARE(lineage_of(state, most_version_records + 5).size(), most_version_records);
}

void VersionsTest::a_restart_keeps_them() {
    Shelf shelf;
    (void)shelf.train("t");
    (void)shelf.train("t", 1);
    (void)shelf.train("t");
    shelf.drop(1);
    shelf.drop(3);
    Shelf after(shelf.log);
    QVERIFY(after.all() == shelf.all());
    const std::size_t events = after.log.size();
    after.versions.adopt();
    after.versions.settle();
    QCOMPARE(after.log.size(), events);  // what was dropped does not come back
    QCOMPARE(after.train("t"), std::uint64_t{4});
}

void VersionsTest::a_log_of_before_gets_its_versions() {
    Shelf shelf;
    (void)shelf.train("b");
    (void)shelf.train("a");
    std::vector<Event> before;
    for (Event& event : shelf.log)
        if (!std::holds_alternative<VersionMade>(event.body)) before.push_back(std::move(event));
    Shelf after(before);
    QVERIFY(after.all().empty());
    after.versions.adopt();
    after.versions.settle();
    QCOMPARE(after.all().size(), std::size_t{2});
    QCOMPARE(after.all().at(1).task, TaskId("b-1"));  // in the order in which they ended
    QCOMPARE(after.all().at(2).task, TaskId("a-1"));
}

void VersionsTest::a_checkpoint_is_kept() {
    Shelf shelf;
    const std::uint64_t root = shelf.train("t");
    const TaskId task = shelf.begin("t", {10, 20}, root);
    QCOMPARE(shelf.keep(task, 10, "early"), std::uint64_t{2});
    const ModelVersion& version = shelf.all().at(2);
    QVERIFY(version.kept && version.checkpoint);
    QCOMPARE(version.task, task);
    QCOMPARE(version.parent, root);
    QCOMPARE(version.step, std::int64_t{10});
    QCOMPARE(version.loss.value(), 10.0f);
    QCOMPARE(version.plan, std::string("the plan"));
    QCOMPARE(version.data, std::string("csv shop.csv, 0123456789ab"));
    QCOMPARE(version.stages, 2);
    QCOMPARE(version.size, Bytes{100});
    QCOMPARE(version.parts.size(), std::size_t{2});
    QVERIFY(version.hash != shelf.all().at(1).hash);
    QCOMPARE(describe(shelf.log.back().body),
             "version 2 of zoo:mlp: checkpoint of task t-2 after step 10, named early, from version 1, hash " +
                 version.hash + " (" + format_bytes(100) + ")");
    QVERIFY(std::get<VersionMade>(line(shelf.log.back()).body).version.parts.empty());
    QCOMPARE(shelf.keep(task), std::uint64_t{3});  // the newest
    QCOMPARE(shelf.all().at(3).step, std::int64_t{20});
    // Of a plan that was re-cut since, nobody knows the hash.
    TaskRecut recut{task, 2, 20, "the plan", "another", "me", text, {{NodeId("m/a"), {0, 1}}}};
    shelf.desk.append(recut);
    TaskPlanned planned{task, 2};
    planned.plan_hash = "another";
    shelf.desk.append(planned);
    shelf.drop(3);
    QCOMPARE(shelf.keep(task), std::uint64_t{4});
    QCOMPARE(shelf.all().at(4).plan, std::string());
    QCOMPARE(shelf.all().at(4).stages, 2);
}

/// The state keeps its task, its snapshots and what its model has beside them; no longer than the version.
void VersionsTest::a_kept_checkpoint_outlives_its_task() {
    Shelf shelf;
    const TaskId task = next_task_id(shelf.desk.state(), "t");
    shelf.desk.append(TaskSubmitted{task, "t", text, "/", "", {{"weights", "/w", "first weights", 9}}, "me", 0});
    TaskPlanned planned{task};
    planned.cuts = {"/a"};
    shelf.desk.append(planned);
    shelf.commit(task, 10);
    shelf.commit(task, 20);
    const std::uint64_t number = shelf.keep(task, 10);
    for (const std::int64_t step : {30, 40}) shelf.commit(task, step);
    shelf.end(task, Outcome::failed);
    for (std::size_t i = 0; i < ended_task_limit + 2; ++i) shelf.end(shelf.submit("other"));
    QVERIFY(shelf.desk.state().tasks.contains(task));
    for (const std::int32_t stage : {0, 1}) QVERIFY(shelf.needs(Shelf::snapshot(task, 10, stage)));
    QVERIFY(shelf.needs("first weights"));
    for (const std::int64_t step : {20, 30, 40}) QVERIFY(!shelf.needs(Shelf::snapshot(task, step)));
    QVERIFY(!is_trained(shelf.desk.state().tasks.at(task)));
    Shelf after(shelf.log);
    QVERIFY(after.all() == shelf.all());
    QVERIFY(after.needs(Shelf::snapshot(task, 10)));
    shelf.drop(number);
    QVERIFY(!shelf.needs(Shelf::snapshot(task, 10)));
    QVERIFY(!shelf.needs("first weights"));
    shelf.end(shelf.submit("other"));
    QVERIFY(!shelf.desk.state().tasks.contains(task));
}

void VersionsTest::a_name_means_one_version() {
    Shelf shelf;
    const TaskId task = shelf.begin("t", {10, 20});
    (void)shelf.keep(task, 10, "best");
    QCOMPARE(shelf.meant("best"), std::uint64_t{1});
    QCOMPARE(shelf.keep(task, 20, "best"), std::uint64_t{0});
    QCOMPARE(shelf.refusal(), std::string("version 1 is called so already"));
    QCOMPARE(shelf.keep(task, 20, "t-1"), std::uint64_t{0});  // its task is called so
    for (const std::string& name : {std::string("12"), std::string("a b"), std::string("a/b"), std::string(65, 'a')}) {
        QCOMPARE(shelf.keep(task, 20, name), std::uint64_t{0});
        QCOMPARE(shelf.refusal(), std::string("is no name of a version"));
    }
    shelf.drop(1);
    QCOMPARE(shelf.keep(task, 20, "best"), std::uint64_t{2});
    QCOMPARE(shelf.meant("best"), std::uint64_t{2});
    // One that was let go is still told of, and its name is free.
    (void)shelf.begin("t", {}, 2);
    shelf.drop(2);
    QVERIFY(shelf.all().contains(2));
    QCOMPARE(shelf.keep(task, 10, "best"), std::uint64_t{3});
    QCOMPARE(shelf.meant("best"), std::uint64_t{3});
}

void VersionsTest::what_cannot_be_kept_is_refused() {
    Shelf shelf;
    (void)shelf.keep(TaskId("nobody-1"));
    QCOMPARE(shelf.refusal(), std::string("there is no such task"));
    const TaskId task = shelf.begin("t", {});
    (void)shelf.keep(task);
    QCOMPARE(shelf.refusal(), std::string("the task has no checkpoint yet"));
    shelf.commit(task, 10);
    (void)shelf.keep(task, 11);
    QCOMPARE(shelf.refusal(), std::string("the task has no checkpoint after step 11"));
    (void)shelf.keep(task);
    (void)shelf.keep(task, 10, "again");
    QCOMPARE(shelf.refusal(), std::string("this checkpoint is version 1 already"));
    shelf.end(task, Outcome::stopped);
    (void)shelf.keep(task);
    QCOMPARE(shelf.refusal(), std::string("the task has ended, and its checkpoints with it"));
    // What training leaves alone is in no snapshot, and this task has no file that has it.
    const TaskId frozen = next_task_id(shelf.desk.state(), "frozen");
    shelf.desk.append(
        TaskSubmitted{frozen, "frozen", std::string(text) + "[train]\nsteps = 9\n", "/", "", {}, "me", 0});
    std::string some = text;
    some.insert(some.find("[data]"), "frozen = [\"w*\"]\n");
    const TaskId other = next_task_id(shelf.desk.state(), "other");
    shelf.desk.append(TaskSubmitted{other, "other", some, "/", "", {}, "me", 0});
    for (const TaskId& id : {frozen, other}) shelf.commit(id, 5);
    QVERIFY(shelf.keep(frozen) != 0);
    QCOMPARE(shelf.keep(other), std::uint64_t{0});
    QVERIFY(shelf.refusal().find("frozen") != std::string::npos);
    QCOMPARE(shelf.all().size(), std::size_t{2});
}

/// Its training makes the version of its end as ever, also after a restart.
void VersionsTest::a_checkpoint_is_not_the_end_of_its_task() {
    Shelf shelf;
    const TaskId task = shelf.begin("t", {10});
    QCOMPARE(shelf.keep(task, 0, "early"), std::uint64_t{1});
    shelf.store(task);
    shelf.desk.append(TaskEnded{task, Outcome::succeeded, {}});  // and the orchestrator dies
    Shelf after(shelf.log);
    after.versions.adopt();
    after.versions.settle();
    QCOMPARE(after.all().size(), std::size_t{2});
    QVERIFY(!after.all().at(2).checkpoint);
    QCOMPARE(after.meant("t-1"), std::uint64_t{2});
    after.drop(1);  // the weights of the end are others
    QVERIFY(is_trained(after.desk.state().tasks.at(task)));
    QVERIFY(after.needs(Shelf::blob(task)));
    QVERIFY(!after.needs(Shelf::snapshot(task, 10)));
}

void VersionsTest::checkpoints_count_among_those_that_are_kept() {
    Shelf shelf;
    const TaskId task = shelf.begin("t", {});
    for (std::size_t i = 1; i <= most_versions + 1; ++i) {
        shelf.commit(task, static_cast<std::int64_t>(i));
        QCOMPARE(shelf.keep(task), std::uint64_t{i});
    }
    QCOMPARE(shelf.kept(), most_versions);
    QVERIFY(!shelf.all().contains(1));
    QVERIFY(!shelf.needs(Shelf::snapshot(task, 1)) && shelf.needs(Shelf::snapshot(task, 2)));
}

DIVISI_TEST(VersionsTest)

}  // namespace versions_test

#include "versions_test.moc"
