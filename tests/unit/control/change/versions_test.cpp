// SPDX-License-Identifier: Apache-2.0
#include "backend/control/change/versions.h"

#include "backend/control/state/needed_blobs.h"
#include "backend/control/state/version_lineage.h"
#include "tests/support/task_file.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/fixture.h"

namespace versions_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;

namespace {

testing::TaskFile csv_task() {
    return testing::TaskFile()
        .replace("data", {{"kind", "csv"}, {"path", "shop.csv"}, {"targets", {"y"}}})
        .drop_section("train");
}
const std::string text = csv_task().text();

/// A fixture with the model repository of a cluster. The test decides when training tasks end. Another
/// fixture can start from its log.
struct VersionsFixture : Fixture {
    std::vector<Event> log;
    Models models{context};
    Versions versions{context, models};
    PeerId client = connect(1);

    explicit VersionsFixture(const std::vector<Event>& before = {}) {
        context.follow([this](const Event& event) {
            log.push_back(event);
            models.follow(event);
            versions.follow(event);
        });
        for (const Event& event : before) context.replay(event);
        log = before;
    }
    TaskId submit(const std::string& name, std::uint64_t parent = 0) {
        const TaskId id = next_task_id(context.state(), name);
        TaskSubmitted submitted{id, name, text, "/", "", {{"data", "/shop.csv", "0123456789abcdef", 9}}, "me", 0};
        submitted.parent = parent;
        context.append(submitted);
        TaskPlanned planned{id};
        planned.cuts = {"/a"};
        planned.model = "zoo:mlp";
        planned.plan_hash = "the plan";
        context.append(planned);
        return id;
    }
    /// Stores the weights of both stages; `results`: the results of a batch.
    void store(const TaskId& id, bool results = false) {
        for (const char* stage : {"/stage-0/0#1", "/stage-1/0#1"})
            context.append(
                WeightsStored{id, InstanceId(id.value() + stage), 20, blob(id, stage), "/w", 100, 1, results});
    }
    static std::string blob(const TaskId& id, const std::string& stage = "/stage-0/0#1") {
        return "weights of " + id.value() + stage;
    }
    void end(const TaskId& id, Outcome outcome = Outcome::succeeded) {
        context.append(TaskEnded{id, outcome, {}});
        pass(std::chrono::seconds(1));
        versions.settle();
    }
    /// Trains 20 steps to the end and returns the number of the new version.
    std::uint64_t train(const std::string& name, std::uint64_t parent = 0) {
        const TaskId id = submit(name, parent);
        StepRecord record;
        record.step = 20;
        record.loss = 0.25f;
        context.append(StepDone{id, record});
        store(id);
        end(id);
        return context.state().last_version;
    }
    /// Begins a training of two stages, commits checkpoints after these steps, and lets the training continue.
    TaskId begin(const std::string& name, const std::vector<std::int64_t>& steps, std::uint64_t parent = 0) {
        const TaskId id = submit(name, parent);
        for (const std::int64_t step : steps) commit(id, step);
        return id;
    }
    void commit(const TaskId& id, std::int64_t step) {
        StepRecord record;
        record.step = step;
        record.loss = static_cast<float>(step);
        context.append(StepDone{id, record});
        Checkpoint one{1, step, context.now(), {}};
        for (const std::int32_t stage : {0, 1})
            one.parts.push_back({Sid(id.value() + "/stage"), stage, snapshot(id, step, stage), 50, {NodeId("m/a")}});
        context.append(CheckpointCommitted{id, one});
    }
    static std::string snapshot(const TaskId& id, std::int64_t step, std::int32_t stage = 0) {
        return "snapshot " + id.value() + " " + std::to_string(step) + " " + std::to_string(stage);
    }
    /// Keeps a checkpoint and returns the number of the new version; 0 if it was refused.
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
    const std::map<std::uint64_t, ModelVersion>& all() const { return context.state().versions; }
    std::size_t kept() const {
        return static_cast<std::size_t>(
            std::ranges::count_if(all(), [](const auto& entry) { return entry.second.kept; }));
    }
    bool needs(const std::string& hash) const { return !needed_blobs(context.state(), {hash}).empty(); }
    std::vector<std::uint64_t> line(std::uint64_t number) const {
        std::vector<std::uint64_t> numbers;
        for (const ModelVersion* one : lineage_of(context.state(), number)) numbers.push_back(one->number);
        return numbers;
    }
    /// Returns the number of the version that a word names; 0 if there is none.
    std::uint64_t meant(const std::string& word) const {
        const auto found = find_version(context.state(), word);
        return found ? (*found)->number : 0;
    }
};

using Numbers = std::vector<std::uint64_t>;

}  // namespace

/// Tests the versions that training tasks make: their lineage, and how long they are kept.
class VersionsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void successful_training_makes_a_version();
    void only_complete_trainings_make_versions();
    void lineage_leads_to_the_root();
    void version_can_be_named_in_several_ways();
    void task_and_weights_of_a_version_stay();
    void version_can_be_dropped();
    void dropped_ancestors_are_listed_without_weights();
    void dropped_parent_of_a_training_stays_in_the_lineage();
    void oldest_versions_without_children_go_first();
    void lineage_beyond_the_bound_keeps_its_records();
    void records_of_a_long_lineage_are_bounded();
    void restart_keeps_the_versions();
    void versions_are_created_for_trainings_in_an_old_log();
    void checkpoint_can_be_kept_as_a_version();
    void kept_checkpoint_outlives_its_task();
    void version_name_is_unique();
    void checkpoints_that_cannot_be_kept_are_refused();
    void kept_checkpoint_does_not_replace_the_final_version();
    void kept_checkpoints_count_towards_the_bound();
};

void VersionsTest::successful_training_makes_a_version() {
    VersionsFixture fixture;
    QCOMPARE(fixture.train("t"), std::uint64_t{1});
    const ModelVersion& version = fixture.all().at(1);
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
    QCOMPARE(describe(fixture.log.back().body),
             "version 1 of zoo:mlp: task t-1 after step 20, hash " + version.hash + " (" + format_bytes(200) + ")");
    QCOMPARE(task_of(fixture.log.back().body), TaskId("t-1"));
    // Other files give another hash.
    QCOMPARE(fixture.train("t", 1), std::uint64_t{2});
    QVERIFY(fixture.all().at(2).hash != version.hash);
    QVERIFY(describe(fixture.log.back().body).find("from version 1") != std::string::npos);
}

void VersionsTest::only_complete_trainings_make_versions() {
    VersionsFixture fixture;
    const TaskId bare = fixture.submit("bare");
    fixture.end(bare);
    const TaskId batch = fixture.submit("batch");
    fixture.store(batch, true);
    fixture.end(batch);
    const TaskId stopped = fixture.submit("stopped");
    fixture.store(stopped);
    fixture.end(stopped, Outcome::stopped);
    const TaskId half = fixture.submit("half");  // one of two stages has stored its weights
    fixture.context.append(WeightsStored{half, InstanceId("half-1/stage-0/0#1"), 20, "hash", "/w", 100});
    fixture.end(half);
    QVERIFY(fixture.all().empty());
}

void VersionsTest::lineage_leads_to_the_root() {
    VersionsFixture fixture;
    const std::uint64_t root = fixture.train("a"), other = fixture.train("b");
    const std::uint64_t child = fixture.train("a", root), last = fixture.train("c", child);
    QCOMPARE(fixture.line(last), (Numbers{last, child, root}));
    QCOMPARE(fixture.line(other), Numbers{other});
    QVERIFY(fixture.line(99).empty());
    QVERIFY(has_children(fixture.context.state(), root));
    QVERIFY(!has_children(fixture.context.state(), last));
    const TaskId runs = fixture.submit("d", last);  // a task counts as a descendant until it has ended
    QVERIFY(has_children(fixture.context.state(), last));
    fixture.end(runs, Outcome::stopped);
    QVERIFY(!has_children(fixture.context.state(), last));
}

void VersionsTest::version_can_be_named_in_several_ways() {
    VersionsFixture fixture;
    (void)fixture.train("a");
    (void)fixture.train("a");
    (void)fixture.train("b");
    QCOMPARE(fixture.meant("2"), std::uint64_t{2});
    QCOMPARE(fixture.meant("a-1"), std::uint64_t{1});
    QCOMPARE(fixture.meant("a"), std::uint64_t{2});  // a name means its newest version
    QCOMPARE(fixture.meant(fixture.all().at(3).hash), std::uint64_t{3});
    QCOMPARE(fixture.meant("nothing"), std::uint64_t{0});
    QCOMPARE(fixture.meant(""), std::uint64_t{0});
    QVERIFY(find_version(fixture.context.state(), "9").error().next.find("divisictl models") != std::string::npos);
    (void)fixture.train("b", 2);
    fixture.drop(2);  // a name means a dropped version only if no kept version has that name
    QCOMPARE(fixture.meant("a"), std::uint64_t{1});
    QCOMPARE(fixture.meant("a-2"), std::uint64_t{2});
}

void VersionsTest::task_and_weights_of_a_version_stay() {
    VersionsFixture fixture;
    (void)fixture.train("kept");
    for (std::size_t i = 0; i < ended_task_limit + 2; ++i) fixture.end(fixture.submit("other"));
    QVERIFY(fixture.context.state().tasks.contains(TaskId("kept-1")));
    QVERIFY(!fixture.context.state().tasks.contains(TaskId("other-1")));
    QVERIFY(fixture.needs(VersionsFixture::blob(TaskId("kept-1"))));
    fixture.drop(1);
    QVERIFY(!fixture.needs(VersionsFixture::blob(TaskId("kept-1"))));
    fixture.end(fixture.submit("other"));
    QVERIFY(!fixture.context.state().tasks.contains(TaskId("kept-1")));
}

void VersionsTest::version_can_be_dropped() {
    VersionsFixture fixture;
    (void)fixture.train("t");
    fixture.drop(1);
    QCOMPARE(fixture.sent<Done>().size(), std::size_t{1});
    QVERIFY(fixture.all().empty());
    QVERIFY(!is_trained(fixture.context.state().tasks.at(TaskId("t-1"))));
    QCOMPARE(describe(fixture.log.back().body),
             std::string("version 1 of task t-1 was dropped by me; its weights were deleted"));
    fixture.drop(1);
    QCOMPARE(fixture.refusal(), std::string("there is no such version of a model"));
    QCOMPARE(fixture.train("t"), std::uint64_t{2});  // numbers are never reused
}

void VersionsTest::dropped_ancestors_are_listed_without_weights() {
    VersionsFixture fixture;
    (void)fixture.train("t");
    (void)fixture.train("t", 1);
    (void)fixture.train("t", 2);
    fixture.drop(1);
    fixture.drop(2);
    QVERIFY(!fixture.all().at(1).kept && !fixture.all().at(2).kept && fixture.all().at(3).kept);
    QVERIFY(!fixture.needs(VersionsFixture::blob(TaskId("t-1"))));
    QCOMPARE(fixture.line(3), (Numbers{3, 2, 1}));
    fixture.drop(2);
    QCOMPARE(fixture.refusal(), std::string("the weights of this version were already dropped"));
    fixture.drop(3);  // no version descends from version 1, 2 or 3
    QVERIFY(fixture.all().empty());
    // A version from which a task is training stays until the task has ended.
    (void)fixture.train("t");
    const TaskId runs = fixture.submit("t", 4);
    fixture.drop(4);
    QVERIFY(fixture.all().contains(4));
    fixture.end(runs, Outcome::stopped);
    QVERIFY(!fixture.all().contains(4));
}

void VersionsTest::dropped_parent_of_a_training_stays_in_the_lineage() {
    VersionsFixture fixture;
    (void)fixture.train("t");
    const TaskId child = fixture.submit("t", 1);
    fixture.drop(1);
    QCOMPARE(fixture.sent<Done>().size(), std::size_t{1});
    QVERIFY(fixture.all().contains(1) && !fixture.all().at(1).kept);
    // The dropped version's files are removed, except the files from which the child starts: the nodes received them as
    // the child's own files.
    QVERIFY(!fixture.needs(VersionsFixture::blob(TaskId("t-1"))));
    fixture.store(child);
    fixture.end(child);
    QCOMPARE(fixture.all().at(2).parent, std::uint64_t{1});
    QVERIFY(fixture.all().at(2).kept);
    QCOMPARE(fixture.line(2), (Numbers{2, 1}));
    QVERIFY(has_children(fixture.context.state(), 1));
    VersionsFixture after(fixture.log);
    QCOMPARE(after.line(2), (Numbers{2, 1}));
    fixture.drop(2);  // no version descends from either
    QVERIFY(fixture.all().empty());
}

void VersionsTest::oldest_versions_without_children_go_first() {
    VersionsFixture fixture;
    const std::uint64_t root = fixture.train("t"), child = fixture.train("t", root);
    for (std::size_t i = 2; i < most_versions; ++i) (void)fixture.train("t");
    QCOMPARE(fixture.kept(), most_versions);
    (void)fixture.train("t");
    QCOMPARE(fixture.kept(), most_versions);
    QVERIFY(fixture.all().at(root).kept);
    QVERIFY(!fixture.all().contains(child));
    QCOMPARE(describe(fixture.log.back().body),
             "version " + std::to_string(child) + " of task t-2 was dropped for newer ones, of which " +
                 std::to_string(most_versions) + " are kept; its weights were deleted");
    QVERIFY(!fixture.needs(VersionsFixture::blob(TaskId("t-2"))));
    (void)fixture.train("t");  // no version descends from the root any more
    QVERIFY(!fixture.all().contains(root));
}

/// All versions have a child except the newest, which was just trained.
void VersionsTest::lineage_beyond_the_bound_keeps_its_records() {
    VersionsFixture fixture;
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < most_versions + 3; ++i) last = fixture.train("t", last);
    QCOMPARE(fixture.kept(), most_versions);
    QVERIFY(fixture.all().at(last).kept);
    QVERIFY(!fixture.all().at(1).kept && !fixture.all().at(3).kept && fixture.all().at(4).kept);
    QCOMPARE(fixture.line(last).size(), most_versions + 3);
    QCOMPARE(fixture.line(last).back(), std::uint64_t{1});
}

void VersionsTest::records_of_a_long_lineage_are_bounded() {
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

void VersionsTest::restart_keeps_the_versions() {
    VersionsFixture fixture;
    (void)fixture.train("t");
    (void)fixture.train("t", 1);
    (void)fixture.train("t");
    fixture.drop(1);
    fixture.drop(3);
    VersionsFixture after(fixture.log);
    QVERIFY(after.all() == fixture.all());
    const std::size_t events = after.log.size();
    after.versions.adopt();
    after.versions.settle();
    QCOMPARE(after.log.size(), events);  // dropped versions are not made again
    QCOMPARE(after.train("t"), std::uint64_t{4});
}

void VersionsTest::versions_are_created_for_trainings_in_an_old_log() {
    VersionsFixture fixture;
    (void)fixture.train("b");
    (void)fixture.train("a");
    std::vector<Event> before;
    for (Event& event : fixture.log)
        if (!holds_alternative<VersionMade>(event.body)) before.push_back(std::move(event));
    VersionsFixture after(before);
    QVERIFY(after.all().empty());
    after.versions.adopt();
    after.versions.settle();
    QCOMPARE(after.all().size(), std::size_t{2});
    QCOMPARE(after.all().at(1).task, TaskId("b-1"));  // in the order in which the tasks ended
    QCOMPARE(after.all().at(2).task, TaskId("a-1"));
}

void VersionsTest::checkpoint_can_be_kept_as_a_version() {
    VersionsFixture fixture;
    const std::uint64_t root = fixture.train("t");
    const TaskId task = fixture.begin("t", {10, 20}, root);
    QCOMPARE(fixture.keep(task, 10, "early"), std::uint64_t{2});
    const ModelVersion& version = fixture.all().at(2);
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
    QVERIFY(version.hash != fixture.all().at(1).hash);
    QCOMPARE(describe(fixture.log.back().body),
             "version 2 of zoo:mlp: checkpoint of task t-2 after step 10, named early, from version 1, hash " +
                 version.hash + " (" + format_bytes(100) + ")");
    QVERIFY(get<VersionMade>(line(fixture.log.back()).body).version.parts.empty());
    QCOMPARE(fixture.keep(task), std::uint64_t{3});  // the newest checkpoint
    QCOMPARE(fixture.all().at(3).step, std::int64_t{20});
    // The hash of a plan that has been re-cut since is unknown.
    TaskRecut recut{task, 2, 20, "the plan", "another", "me", text, {{NodeId("m/a"), {0, 1}}}};
    fixture.context.append(recut);
    TaskPlanned planned{task, 2};
    planned.plan_hash = "another";
    fixture.context.append(planned);
    fixture.drop(3);
    QCOMPARE(fixture.keep(task), std::uint64_t{4});
    QCOMPARE(fixture.all().at(4).plan, std::string());
    QCOMPARE(fixture.all().at(4).stages, 2);
}

/// The version keeps its task, its snapshots, and the weight files of its model that are not in the snapshots.
void VersionsTest::kept_checkpoint_outlives_its_task() {
    VersionsFixture fixture;
    const TaskId task = next_task_id(fixture.context.state(), "t");
    fixture.context.append(TaskSubmitted{task, "t", text, "/", "", {{"weights", "/w", "first weights", 9}}, "me", 0});
    TaskPlanned planned{task};
    planned.cuts = {"/a"};
    fixture.context.append(planned);
    fixture.commit(task, 10);
    fixture.commit(task, 20);
    const std::uint64_t number = fixture.keep(task, 10);
    for (const std::int64_t step : {30, 40}) fixture.commit(task, step);
    fixture.end(task, Outcome::failed);
    for (std::size_t i = 0; i < ended_task_limit + 2; ++i) fixture.end(fixture.submit("other"));
    QVERIFY(fixture.context.state().tasks.contains(task));
    for (const std::int32_t stage : {0, 1}) QVERIFY(fixture.needs(VersionsFixture::snapshot(task, 10, stage)));
    QVERIFY(fixture.needs("first weights"));
    for (const std::int64_t step : {20, 30, 40}) QVERIFY(!fixture.needs(VersionsFixture::snapshot(task, step)));
    QVERIFY(!is_trained(fixture.context.state().tasks.at(task)));
    VersionsFixture after(fixture.log);
    QVERIFY(after.all() == fixture.all());
    QVERIFY(after.needs(VersionsFixture::snapshot(task, 10)));
    fixture.drop(number);
    QVERIFY(!fixture.needs(VersionsFixture::snapshot(task, 10)));
    QVERIFY(!fixture.needs("first weights"));
    fixture.end(fixture.submit("other"));
    QVERIFY(!fixture.context.state().tasks.contains(task));
}

void VersionsTest::version_name_is_unique() {
    VersionsFixture fixture;
    const TaskId task = fixture.begin("t", {10, 20});
    (void)fixture.keep(task, 10, "best");
    QCOMPARE(fixture.meant("best"), std::uint64_t{1});
    QCOMPARE(fixture.keep(task, 20, "best"), std::uint64_t{0});
    QCOMPARE(fixture.refusal(), std::string("version 1 already has this name"));
    QCOMPARE(fixture.keep(task, 20, "t-1"), std::uint64_t{0});  // the version's task already has this name
    for (const std::string& name : {std::string("12"), std::string("a b"), std::string("a/b"), std::string(65, 'a')}) {
        QCOMPARE(fixture.keep(task, 20, name), std::uint64_t{0});
        QCOMPARE(fixture.refusal(), std::string("is not a valid name of a version"));
    }
    fixture.drop(1);
    QCOMPARE(fixture.keep(task, 20, "best"), std::uint64_t{2});
    QCOMPARE(fixture.meant("best"), std::uint64_t{2});
    // A version whose weights were dropped is still listed, but its name is free.
    (void)fixture.begin("t", {}, 2);
    fixture.drop(2);
    QVERIFY(fixture.all().contains(2));
    QCOMPARE(fixture.keep(task, 10, "best"), std::uint64_t{3});
    QCOMPARE(fixture.meant("best"), std::uint64_t{3});
}

void VersionsTest::checkpoints_that_cannot_be_kept_are_refused() {
    VersionsFixture fixture;
    (void)fixture.keep(TaskId("nobody-1"));
    QCOMPARE(fixture.refusal(), std::string("there is no such task"));
    const TaskId task = fixture.begin("t", {});
    (void)fixture.keep(task);
    QCOMPARE(fixture.refusal(), std::string("the task has no checkpoint yet"));
    fixture.commit(task, 10);
    (void)fixture.keep(task, 11);
    QCOMPARE(fixture.refusal(), std::string("the task has no checkpoint after step 11"));
    (void)fixture.keep(task);
    (void)fixture.keep(task, 10, "again");
    QCOMPARE(fixture.refusal(), std::string("this checkpoint is version 1 already"));
    fixture.end(task, Outcome::stopped);
    (void)fixture.keep(task);
    QCOMPARE(fixture.refusal(), std::string("the task has ended, and its checkpoints were deleted"));
    // Frozen parameters are in no snapshot, and this task has no file with them.
    const TaskId frozen = next_task_id(fixture.context.state(), "frozen");
    fixture.context.append(
        TaskSubmitted{frozen, "frozen", csv_task().set("train.steps", 9).text(), "/", "", {}, "me", 0});
    const std::string some = csv_task().set("model.frozen", {"w*"}).text();
    const TaskId other = next_task_id(fixture.context.state(), "other");
    fixture.context.append(TaskSubmitted{other, "other", some, "/", "", {}, "me", 0});
    for (const TaskId& id : {frozen, other}) fixture.commit(id, 5);
    QVERIFY(fixture.keep(frozen) != 0);
    QCOMPARE(fixture.keep(other), std::uint64_t{0});
    QVERIFY(fixture.refusal().find("frozen") != std::string::npos);
    QCOMPARE(fixture.all().size(), std::size_t{2});
}

/// The training still makes a version at its end, also after a restart.
void VersionsTest::kept_checkpoint_does_not_replace_the_final_version() {
    VersionsFixture fixture;
    const TaskId task = fixture.begin("t", {10});
    QCOMPARE(fixture.keep(task, 0, "early"), std::uint64_t{1});
    fixture.store(task);
    fixture.context.append(TaskEnded{task, Outcome::succeeded, {}});  // the orchestrator crashes here
    VersionsFixture after(fixture.log);
    after.versions.adopt();
    after.versions.settle();
    QCOMPARE(after.all().size(), std::size_t{2});
    QVERIFY(!after.all().at(2).checkpoint);
    QCOMPARE(after.meant("t-1"), std::uint64_t{2});
    after.drop(1);  // the final weights are separate
    QVERIFY(is_trained(after.context.state().tasks.at(task)));
    QVERIFY(after.needs(VersionsFixture::blob(task)));
    QVERIFY(!after.needs(VersionsFixture::snapshot(task, 10)));
}

void VersionsTest::kept_checkpoints_count_towards_the_bound() {
    VersionsFixture fixture;
    const TaskId task = fixture.begin("t", {});
    for (std::size_t i = 1; i <= most_versions + 1; ++i) {
        fixture.commit(task, static_cast<std::int64_t>(i));
        QCOMPARE(fixture.keep(task), std::uint64_t{i});
    }
    QCOMPARE(fixture.kept(), most_versions);
    QVERIFY(!fixture.all().contains(1));
    QVERIFY(!fixture.needs(VersionsFixture::snapshot(task, 1)) && fixture.needs(VersionsFixture::snapshot(task, 2)));
}

DIVISI_TEST(VersionsTest)

}  // namespace versions_test

#include "versions_test.moc"
