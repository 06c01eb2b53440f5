// SPDX-License-Identifier: Apache-2.0
#include "backend/control/change/exceptions.h"

#include "backend/control/protocol/batch_group.h"
#include "backend/control/protocol/task_events.h"
#include "backend/control/state/needed_blobs.h"
#include "tests/support/task_file.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/runs_fixture.h"

namespace exceptions_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;
using std::chrono::seconds;

namespace {

testing::TaskFile gpt_task() {
    return testing::TaskFile("t")
        .set("model.zoo", "gpt")
        .replace("data", {{"kind", "text"}, {"path", "corpus.txt"}})
        .replace("train", {{"steps", 10}});
}
const std::string text = gpt_task().text();
/// An edit that leaves the files unchanged.
const std::string longer = gpt_task().set("train.steps", 20).text();

FileRef corpus() { return {"data", "/home/corpus.txt", "hash-of-corpus", 99, false}; }

/// A fixture with the exception queue, running tasks and the task queue.
struct Hall : RunsFixture {
    Deliveries deliveries{context};
    TaskQueue queue{context, deliveries, models, kept};
    Exceptions exceptions{context, models, queue, runs.reports()};
    PlanSummary plan;
    PeerId client;

    explicit Hall(std::vector<Event> before = {}) : RunsFixture(std::move(before)) {
        context.follow([this](const Event& event) {
            models.follow(event);
            deliveries.follow(event);
            queue.follow(event);
            leases.follow(event);
            runs.follow(event);
            exceptions.follow(event);
        });
        plan.name = "t";
        plan.steps = 10;
        plan.plan_hash = "hash";
        client = connect("client");
        context.sessions().at(client).role = Role::operate;
    }
    /// Submits a task of one stage on node a that fails for good while queued.
    TaskId fail(const std::vector<FileRef>& files = {}, const std::string& skeleton = {}) {
        const TaskId id = next_task_id(context.state(), "t");
        TaskSubmitted submitted{id, "t", text, "/home", skeleton_name(skeleton), files, "me", 0};
        if (has_brought_files(files)) submitted.nodes = {NodeId("a")};
        if (!skeleton.empty()) models.keep(id, skeleton);
        context.append(submitted);
        context.append(TaskEnded{id, Outcome::failed, Error{ErrorCode::corrupt, "bad data", "sample 7", "mend it"}});
        settle();
        return id;
    }
    void settle() {
        context.set_time(now += seconds(1));
        exceptions.settle();
        (void)take();
    }
    template <typename M>
    Output ask(M message) {
        exceptions.handle(Received{client, 1, message}, message);
        return take();
    }
    /// Runs all planning jobs immediately.
    Output planned(Output asked) {
        for (const Job& job : asked.jobs) {
            text_planned = get<Planning>(job.what).submission->text;
            queue.planned(*context.jobs().close(job.id), plan);
        }
        Output output = take();
        output.sends.insert(output.sends.end(), asked.sends.begin(), asked.sends.end());
        return output;
    }
    Output retry(std::uint64_t number, const std::string& instead = {}) {
        return planned(ask(RetryException{number, instead}));
    }
    std::string refusal(const Output& output) const {
        const auto refused = sent<Refused>(output, client);
        return refused.empty() ? "" : refused.back().error.message();
    }
    const std::map<std::uint64_t, ExceptionEntry>& all() const { return context.state().exceptions; }
    std::uint64_t last() const { return all().rbegin()->first; }
    const TaskView& task(const TaskId& id) const { return context.state().tasks.at(id); }

    std::string text_planned;
};

bool has(const std::string& whole, const std::string& part) {
    if (whole.find(part) != std::string::npos) return true;
    qWarning("'%s' is not in '%s'", part.c_str(), whole.c_str());
    return false;
}

}  // namespace

/// Tests tasks that failed for good: how they are listed, retried and dropped.
class ExceptionsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void entry_says_where_and_why_the_task_failed();
    void stopped_task_is_no_exception();
    void entry_lists_the_recoveries_tried();
    void retry_resubmits_the_same_task();
    void entry_is_retried_once();
    void entry_can_be_dropped();
    void retry_needs_the_uploaded_files();
    void retry_needs_the_model();
    void edited_retry_keeps_model_and_files();
    void oldest_entries_are_evicted();
    void task_and_files_of_an_entry_are_kept();
    void restart_keeps_the_queue();
};

void ExceptionsTest::entry_says_where_and_why_the_task_failed() {
    Hall hall;
    hall.train();
    hall.step(2);
    InstanceLoad load;
    load.instance = second;
    load.operation = "forward 3 of step 3";
    (void)hall.say(second, LoadReport{load});
    (void)hall.kill(second);
    hall.settle();
    QVERIFY(hall.all().empty());  // one instance has not ended yet
    (void)hall.say(first, InstanceExited{first, 0, 0, ""});
    QCOMPARE(hall.RunsFixture::task().outcome, Outcome::failed);
    hall.settle();
    QCOMPARE(hall.all().size(), std::size_t{1});
    const ExceptionEntry& entry = hall.all().begin()->second;
    QCOMPARE(entry.number, hall.context.state().sequence);
    QCOMPARE(entry.task, the_task);
    QVERIFY(has(entry.error.message(), "killed by signal 9"));
    QCOMPARE(where_text(entry), std::string("node b, instance t-1/stage-1/0#1, in forward 3 of step 3, after step 2"));
    QCOMPARE(recovered_text(entry), std::string("not recovered"));
    const QueryLog around = log_around(entry);
    QCOMPARE(around.task, the_task.value());
    QVERIFY(around.before > entry.number);  // the exception's own line is the last one
    QVERIFY(has(describe(hall.log.back().body), "exception " + std::to_string(entry.number) + ": task t-1 failed"));
}

void ExceptionsTest::stopped_task_is_no_exception() {
    Hall hall;
    hall.train();
    (void)hall.hear(hall.client, StopTask{the_task, "enough"});
    for (const InstanceId& one : {first, second}) (void)hall.kill(one);
    QCOMPARE(hall.RunsFixture::task().outcome, Outcome::stopped);
    hall.settle();
    QVERIFY(hall.all().empty());
}

void ExceptionsTest::entry_lists_the_recoveries_tried() {
    Hall hall;
    const TaskId id = next_task_id(hall.context.state(), "t");
    hall.context.append(TaskSubmitted{id, "t", text, "/", "", {}, "me", 0});
    for (Generation generation = 2; generation < 22; ++generation)
        hall.context.append(TaskRecovers{id, generation, 5 * std::int64_t{generation}, first, "killed by signal 9"});
    hall.context.append(TaskEnded{id, Outcome::failed, Error{ErrorCode::failed, "it died too often", "", ""}});
    hall.settle();
    const ExceptionEntry& entry = hall.all().begin()->second;
    QCOMPARE(recovered_text(entry), std::string("recovered 20 times"));
    QCOMPARE(entry.tried.size(), most_recoveries);
    QCOMPARE(entry.tried.back().generation, Generation{21});
    QCOMPARE(entry.tried.back().step, std::int64_t{105});
    QCOMPARE(entry.tried.back().culprit, first);
    QCOMPARE(entry.tried.back().reason, std::string("killed by signal 9"));
    QVERIFY(entry.tried.back().time == TimePoint(seconds(1000)));
}

void ExceptionsTest::retry_resubmits_the_same_task() {
    Hall hall;
    (void)hall.join("a");
    const TaskId failed = hall.fail({}, "the model");
    const Output output = hall.retry(hall.last());
    const auto replies = sent<SubmitReply>(output, hall.client);
    QCOMPARE(replies.size(), std::size_t{1});
    QVERIFY(replies[0].uploads.empty());
    const TaskView& again = hall.task(replies[0].task);
    QCOMPARE(again.id, TaskId("t-2"));
    QCOMPARE(again.text, hall.task(failed).text);
    QCOMPARE(again.folder, std::string("/home"));
    QCOMPARE(again.skeleton, hall.task(failed).skeleton);
    QCOMPARE(hall.models.of(again.id), std::string("the model"));
    QCOMPARE(again.submitted_by, std::string("me"));
    QVERIFY(again.phase == TaskPhase::queued && again.queue == QueueState::nodes);
    QVERIFY(hall.all().empty());
    QCOMPARE(describe(output.events.back().body), std::string("exception 4 of task t-1 was tried again as t-2 by me"));
    QVERIFY(has(hall.refusal(hall.retry(4)), "no such exception"));
}

void ExceptionsTest::entry_is_retried_once() {
    Hall hall;
    (void)hall.join("a");
    (void)hall.fail();
    const std::uint64_t number = hall.last();
    Output both = hall.ask(RetryException{number, ""});
    const Output more = hall.ask(RetryException{number, ""});
    both.jobs.insert(both.jobs.end(), more.jobs.begin(), more.jobs.end());
    QCOMPARE(both.jobs.size(), std::size_t{2});
    const Output output = hall.planned(both);
    QCOMPARE(sent<SubmitReply>(output, hall.client).size(), std::size_t{1});
    QVERIFY(has(hall.refusal(output), "closed meanwhile"));
    QCOMPARE(hall.context.state().tasks.size(), std::size_t{2});
}

void ExceptionsTest::entry_can_be_dropped() {
    Hall hall;
    (void)hall.fail();
    const std::uint64_t number = hall.last();
    const Output output = hall.ask(DropException{number});
    QCOMPARE(sent<Done>(output, hall.client).size(), std::size_t{1});
    QVERIFY(hall.all().empty());
    QCOMPARE(describe(output.events.back().body),
             "exception " + std::to_string(number) + " of task t-1 was dropped by me");
    QVERIFY(has(hall.refusal(hall.ask(DropException{number})), "no such exception"));
}

void ExceptionsTest::retry_needs_the_uploaded_files() {
    Hall hall;
    (void)hall.join("a");
    (void)hall.join("b");
    (void)hall.fail({corpus()});
    hall.plan.cuts = {"/another"};
    QVERIFY(has(hall.refusal(hall.retry(hall.last())), "the plan differs"));
    hall.plan.cuts.clear();
    (void)hall.lose("a");
    for (const char* part : {"the node that has the task's files is lost: /home/corpus.txt", "node a", "divisictl run"})
        for (const std::string& instead : {std::string(), longer})
            QVERIFY(has(hall.refusal(hall.retry(hall.last(), instead)), part));
    QCOMPARE(hall.all().size(), std::size_t{1});  // the entry stays if its retry is refused
    (void)hall.join("a");
    const auto replies = sent<SubmitReply>(hall.retry(hall.last()), hall.client);
    QCOMPARE(replies.size(), std::size_t{1});
    QVERIFY(replies[0].uploads.empty());
    QCOMPARE(hall.task(replies[0].task).nodes, std::vector<NodeId>{NodeId("a")});
    QCOMPARE(hall.task(replies[0].task).queue, QueueState::nodes);
    // The client of this task disconnected during the upload.
    const TaskId left("left-1");
    TaskSubmitted submitted{left, "left", text, "/home", "", {corpus()}, "me", 0};
    submitted.nodes = {NodeId("a")};
    hall.context.append(submitted);
    hall.context.append(TaskQueued{left, QueueState::files});
    hall.context.append(TaskEnded{left, Outcome::failed, Error{ErrorCode::unavailable, "its client left", "", ""}});
    hall.settle();
    QVERIFY(has(hall.refusal(hall.retry(hall.last())), "never arrived: /home/corpus.txt"));
}

void ExceptionsTest::retry_needs_the_model() {
    Hall hall;
    (void)hall.join("a");
    (void)hall.fail({}, "the model");
    Hall after(hall.log);  // the model store has lost the model
    (void)after.join("a");
    for (const std::string& instead : {std::string(), longer})
        QVERIFY(has(after.refusal(after.retry(after.last(), instead)), "copy of the model is gone"));
    after.models.restore(TaskId("t-1"), "the model");
    QCOMPARE(after.refusal(after.retry(after.last())), std::string());
}

void ExceptionsTest::edited_retry_keeps_model_and_files() {
    Hall hall;
    (void)hall.join("a");
    (void)hall.fail({corpus()});
    QVERIFY(has(hall.refusal(hall.retry(hall.last(), gpt_task().set("data.path", "other.txt").text())),
                "names other files"));
    QVERIFY(
        has(hall.refusal(hall.retry(hall.last(), gpt_task().drop_section("train").add("[train]\nsteps = \n").text())),
            "the edited task:9"));
    QCOMPARE(hall.refusal(hall.retry(hall.last(), longer)), std::string());
    QCOMPARE(hall.text_planned, longer);
    QCOMPARE(hall.task(TaskId("t-2")).text, longer);
    QCOMPARE(hall.task(TaskId("t-1")).text, text);
    // A task without files of its own may be edited to name other files or another model of the zoo. It may not name an
    // imported model that was not submitted with it.
    (void)hall.fail();
    QVERIFY(has(hall.refusal(hall.retry(hall.last(), gpt_task().replace("model", {{"onnx", "m.onnx"}}).text())),
                "imported model"));
    QCOMPARE(hall.refusal(hall.retry(hall.last(), gpt_task().set("data.path", "other.txt").text())), std::string());
    // A task that starts from a version was submitted with that version's weights. The weights of other versions were
    // not submitted.
    const TaskId begun("begun-1");
    const std::string from = gpt_task().set("model.from", "4").text();
    hall.models.keep(begun, "the model");
    hall.context.append(TaskSubmitted{begun, "begun", from, "/home", skeleton_name("the model"), {}, "me", 0});
    hall.context.append(TaskEnded{begun, Outcome::failed, Error{ErrorCode::failed, "it died", "", ""}});
    hall.settle();
    QVERIFY(has(hall.refusal(hall.retry(hall.last(), text)), "imported model"));
    QCOMPARE(hall.refusal(hall.retry(hall.last())), std::string());
}

void ExceptionsTest::oldest_entries_are_evicted() {
    Hall hall;
    for (std::size_t i = 0; i < most_exceptions; ++i) (void)hall.fail();
    const std::uint64_t oldest = hall.all().begin()->first;
    (void)hall.fail();
    QCOMPARE(hall.all().size(), most_exceptions);
    QVERIFY(!hall.all().contains(oldest));
    const std::size_t events = hall.log.size();
    QVERIFY(has(describe(hall.log[events - 2].body), "was dropped for newer ones"));
    QVERIFY(has(describe(hall.log[events - 1].body), "was dropped for newer ones"));
    // A few entries with large models reach the limit in bytes.
    Hall large;
    const std::string model(exception_bytes / 2, 'm');
    for (int i = 0; i < 3; ++i) (void)large.fail({}, model);
    QCOMPARE(large.all().size(), std::size_t{1});
}

void ExceptionsTest::task_and_files_of_an_entry_are_kept() {
    Hall hall;
    (void)hall.join("a");
    const TaskId failed = hall.fail({corpus()}, "the model");
    const std::vector<std::string> asked = {"hash-of-corpus"};
    QCOMPARE(needed_blobs(hall.context.state(), asked), asked);
    const auto succeed = [&] {
        const TaskId id = next_task_id(hall.context.state(), "other");
        hall.context.append(TaskSubmitted{id, "other", "", "/", "", {}, "me", 0});
        hall.context.append(TaskEnded{id, Outcome::succeeded, {}});
    };
    for (std::size_t i = 0; i < ended_task_limit + 1; ++i) succeed();
    QVERIFY(hall.context.state().tasks.contains(failed));
    QCOMPARE(hall.context.state().tasks.size(), ended_task_limit + 1);
    QCOMPARE(hall.models.of(failed), std::string("the model"));
    (void)hall.ask(DropException{hall.last()});
    QVERIFY(needed_blobs(hall.context.state(), asked).empty());
    succeed();
    QVERIFY(!hall.context.state().tasks.contains(failed));
    QCOMPARE(hall.models.of(failed), std::string());
}

void ExceptionsTest::restart_keeps_the_queue() {
    Hall hall;
    (void)hall.join("a");
    (void)hall.fail();
    (void)hall.fail();
    (void)hall.ask(DropException{hall.last()});
    Hall after(hall.log);
    QCOMPARE(after.all().size(), std::size_t{1});
    QCOMPARE(after.all().begin()->second.error.message(), hall.all().begin()->second.error.message());
    (void)after.join("a");
    QCOMPARE(sent<SubmitReply>(after.retry(after.last()), after.client).size(), std::size_t{1});
    QVERIFY(after.all().empty());
}

DIVISI_TEST(ExceptionsTest)

}  // namespace exceptions_test

#include "exceptions_test.moc"
