// SPDX-License-Identifier: Apache-2.0
#include "backend/orchestrator/job_runner.h"

#include <QTemporaryDir>
#include <future>

#include "backend/store/backup.h"
#include "backend/store/data_folder.h"
#include "backend/wire/message_codec.h"
#include "tests/support/task_file.h"
#include "tests/support/test_program.h"

namespace job_runner_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::orchestrator;

namespace {

testing::TaskFile mlp() { return testing::TaskFile().set("train.microbatches", 4); }

Job submission(std::uint64_t id, const testing::TaskFile& file = mlp()) {
    auto task = std::make_shared<SubmitTask>();
    task->text = file.text();
    return {JobId(id), Planning{std::move(task)}};
}

/// Returns a search that runs until it is stopped.
Job endless_search(std::uint64_t id) {
    Segmentation search;
    search.request.text = mlp().drop_section("data").text();
    search.request.split.method = "tabu";
    search.request.split.stages = 3;
    search.request.split.tabu_iterations = 1'000'000;
    NodeView& node = search.nodes.nodes[NodeId("m/a")];
    node.info = {NodeId("m/a"), MicId("m"), "host", "f", {{"cpu", "Xeon", 2, Bytes{1} << 33}}, "", "", 1};
    return {JobId(id), std::move(search)};
}

}  // namespace

class JobRunnerTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void jobs_of_a_kind_run_one_after_the_other();
    void long_search_blocks_no_other_job();
    void log_is_read_while_it_grows();
    void backup_is_made_while_the_log_grows();

private:
    JobTools tools() const {
        return {folder_->path().toStdString(), {}, store::EventLog::open_to_read(file(), codec_).value()};
    }
    std::filesystem::path file() const { return folder_->filePath("events.sqlite").toStdString(); }
    JobDone wait() {
        if (!QTest::qWaitFor([&] { return count() > taken_; }, 20'000)) qFatal("no job was done");
        const std::lock_guard lock(mutex_);
        return done_[taken_++];
    }
    std::size_t count() {
        const std::lock_guard lock(mutex_);
        return done_.size();
    }
    Worker::Done keep() {
        return [this](JobDone done) {
            const std::lock_guard lock(mutex_);
            done_.push_back(std::move(done));
        };
    }

    store::EventCodec codec_{wire::encode_event, wire::decode_event};
    std::unique_ptr<QTemporaryDir> folder_;
    std::unique_ptr<store::EventLog> log_;
    std::mutex mutex_;
    std::vector<JobDone> done_;  ///< guarded by the mutex
    std::size_t taken_ = 0;
};

void JobRunnerTest::init() {
    folder_ = std::make_unique<QTemporaryDir>();
    log_ = store::EventLog::open(file(), codec_).value();
    done_.clear();
    taken_ = 0;
}

void JobRunnerTest::jobs_of_a_kind_run_one_after_the_other() {
    JobRunner runner(tools(), keep());
    runner.add(submission(1, mlp().set("split.stages", 2)));
    runner.add(submission(2, mlp().set("split.stages", 200)));
    runner.add(submission(3));
    const JobDone first = wait(), second = wait(), third = wait();
    QCOMPARE(first.id, JobId(1));
    const auto& plan = get<Result<PlanSummary>>(first.answer);
    QVERIFY2(plan.ok(), plan.ok() ? "" : plan.error().message().c_str());
    QCOMPARE(plan->stages, 2);
    QVERIFY(plan->units.at(0).unit.sid.value().starts_with(std::string(unnamed_task) + "/"));
    QCOMPARE(second.id, JobId(2));
    QVERIFY(get<Result<PlanSummary>>(second.answer).error().message().find("split.stages") != std::string::npos);
    QCOMPARE(third.id, JobId(3));
}

void JobRunnerTest::long_search_blocks_no_other_job() {
    JobRunner runner(tools(), keep());
    runner.add(endless_search(1));
    runner.add(submission(2));
    QCOMPARE(wait().id, JobId(2));
    runner.add({JobId(3), QueryLog{}});
    QCOMPARE(wait().id, JobId(3));
    QCOMPARE(count(), std::size_t(2));
    // The runner ends without waiting for the search.
}

void JobRunnerTest::log_is_read_while_it_grows() {
    JobRunner runner(tools(), keep());
    for (std::uint64_t i = 1; i <= 3; ++i) {
        const Event event{i, TimePoint{}, Noted{Severity::info, "orchestrator", "t-1", "line " + std::to_string(i)}};
        QVERIFY(log_->append({&event, 1}).ok());
        runner.add({JobId(i), QueryLog{"t-1", "line", 0, 10}});
        const auto done = wait();
        const auto& page = get<Result<LogPage>>(done.answer);
        QVERIFY2(page.ok(), page.ok() ? "" : page.error().message().c_str());
        QCOMPARE(page->events.size(), std::size_t(i));
    }
}

void JobRunnerTest::backup_is_made_while_the_log_grows() {
    std::filesystem::create_directories(file().parent_path() / store::skeletons_folder);
    JobRunner runner(tools(), keep());
    const std::filesystem::path folder = folder_->filePath("backup").toStdString();
    const auto append = [&](std::uint64_t sequence) {
        const Event event{sequence, TimePoint{}, Noted{Severity::info, "orchestrator", "t-1", "line"}};
        QVERIFY(log_->append({&event, 1}).ok());
    };
    append(1);
    runner.add({JobId(1), BackUp{folder.string()}});
    const JobDone done = wait();
    const auto& made = get<Result<BackedUp>>(done.answer);
    QVERIFY2(made.ok(), made.ok() ? "" : made.error().message().c_str());
    QCOMPARE(made->folder, folder.string());
    QCOMPARE(made->sequence, std::uint64_t{1});
    append(2);
    QCOMPARE(store::verify_backup(folder)->sequence, std::uint64_t{1});
    runner.add({JobId(2), BackUp{folder.string()}});
    QCOMPARE(get<Result<BackedUp>>(wait().answer).error().code, ErrorCode::conflict);
}

DIVISI_TEST(JobRunnerTest)

}  // namespace job_runner_test

#include "job_runner_test.moc"
