// SPDX-License-Identifier: Apache-2.0
// divisictl run: submit, follow, end with the task's result as exit status.
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <mutex>

#include "backend/control/json_lines.h"
#include "backend/ctl/commands.h"
#include "backend/ctl/task_input.h"
#include "backend/ctl/terminal.h"
#include "backend/process/lifeline.h"
#include "backend/submit/placement.h"
#include "backend/submit/transfers.h"

namespace divisi::ctl {
namespace {

/// Follows one task through the events of the cluster and prints what happens.
class Follower {
public:
    Follower(TaskId task, std::int64_t steps, bool json) : task_(std::move(task)), json_(json), progress_(steps) {}

    /// False once the task has ended.
    bool take(const control::Message& message) {
        if (const auto* push = std::get_if<control::EventPush>(&message)) {
            for (const control::Event& event : push->events) take(event);
        } else if (const auto* snapshot = std::get_if<control::Snapshot>(&message)) {
            catch_up(snapshot->state);
        }
        return !ended_;
    }
    std::optional<control::TaskEnded> ended() const { return ended_; }
    void finish() {
        if (!json_) progress_.end();
    }

private:
    void take(const control::Event& event) {
        if (control::task_of(event.body) != task_) return;
        if (const auto* step = std::get_if<control::StepDone>(&event.body)) return take(step->record);
        if (const auto* evaluated = std::get_if<control::Evaluated>(&event.body)) {
            if (evaluated->record.step <= evaluated_) return;
            evaluated_ = evaluated->record.step;
            if (json_) print(control::evaluation_line(evaluated->record));
            else progress_.evaluated(evaluated->record);
        } else if (const auto* phase = std::get_if<control::PhaseChanged>(&event.body)) {
            if (!json_ && phase->phase < control::TaskPhase::exchange) progress_.phase(control::describe(event.body));
        } else if (const auto* ended = std::get_if<control::TaskEnded>(&event.body)) {
            ended_ = *ended;
        }
    }
    void take(const control::StepRecord& record) {
        if (record.step <= step_) return;
        step_ = record.step;
        if (json_) print(control::step_line(record));
        else progress_.step(record);
    }
    /// After the connection was lost: what the snapshot has and we have not.
    void catch_up(const control::ClusterState& state) {
        const auto found = state.tasks.find(task_);
        if (found == state.tasks.end()) return;
        for (const control::StepRecord& record : found->second.history) take(record);
        for (const control::EvalRecord& record : found->second.evaluations)
            take(control::Event{0, {}, control::Evaluated{task_, record}});
        if (found->second.over()) ended_ = control::TaskEnded{task_, found->second.outcome, found->second.error};
    }
    static void print(const std::string& line) {
        std::puts(line.c_str());
        std::fflush(stdout);
    }

    TaskId task_;
    bool json_;
    ProgressLine progress_;
    std::int64_t step_ = 0, evaluated_ = 0;
    std::optional<control::TaskEnded> ended_;
};

int exit_status(control::Outcome outcome) {
    switch (outcome) {
        case control::Outcome::succeeded: return 0;
        case control::Outcome::stopped: return 3;
        default: return 1;
    }
}

void print_end(const control::TaskEnded& ended, bool json) {
    if (json) {
        std::puts(control::end_line(ended.task.value(), ended.outcome, ended.error).c_str());
    } else if (ended.error) {
        std::fprintf(stderr, "error: task %s failed: %s\n", ended.task.value().c_str(), ended.error->message().c_str());
    } else {
        std::printf("task %s %s\n", ended.task.value().c_str(), control::to_string(ended.outcome));
    }
}

/// How much of the files is on the nodes, rewritten in place on a terminal.
class UploadLine {
public:
    explicit UploadLine(bool shown) : shown_(shown && is_terminal()) {}
    void draw(Bytes done, Bytes total) {
        if (!shown_ || total == 0 || 100 * done / total == percent_) return;
        percent_ = 100 * done / total;
        std::printf("\rbringing files to the nodes: %3lld %%", static_cast<long long>(percent_));
        std::fflush(stdout);
    }
    void end() {
        if (percent_ >= 0) std::puts("");
    }

private:
    bool shown_;
    std::int64_t percent_ = -1;
};

void print_summary(const TaskInput& input, const TaskId& task) {
    std::printf("task %s: %s in %d stages, %lld steps of %lld samples in %lld micro-batches, %s\n",
                task.value().c_str(),
                input.spec.model.zoo.empty() ? input.spec.model.onnx.c_str() : ("zoo:" + input.spec.model.zoo).c_str(),
                input.plan.stage_count(), static_cast<long long>(input.spec.train.steps),
                static_cast<long long>(input.spec.train.batch), static_cast<long long>(input.spec.train.microbatches),
                input.spec.split.schedule.c_str());
    for (std::size_t i = 0; i < input.plan.cuts.size(); ++i)
        std::printf("  cut after %s\n", input.plan.cuts[i].c_str());
    for (const std::string& warning : input.plan.warnings) std::printf("  note: %s\n", warning.c_str());
    std::fflush(stdout);
}

/// Brings the files to the nodes that the orchestrator named, and tells it how that went.
Result<void> bring_files(Session& session, const submit::Submission& submission, const control::SubmitReply& reply,
                         bool json) {
    std::optional<Result<submit::UploadReport>> brought;
    std::atomic<bool> cancelled = false;
    UploadLine line(!json);
    session.beside(
        [&] {
            brought = submit::upload({session.context(), session.keys()}, reply.uploads, submission.blobs, cancelled,
                                     [&](Bytes done, Bytes total) { line.draw(done, total); });
        },
        [&] { cancelled = true; });
    line.end();
    if (cancelled) {
        (void)session.request(control::StopTask{reply.task, "interrupted by the operator"});
        return Error{ErrorCode::failed, "interrupted", reply.task.value(), "what has arrived at the nodes is kept"};
    }
    control::UploadsDone done{reply.task, std::nullopt};
    if (!brought->ok()) done.error = brought->error();
    const auto told = session.ask<control::Done>(done);
    if (done.error) return *done.error;
    if (!told) return told.error();
    const submit::UploadReport& report = **brought;
    if (json) std::puts(control::upload_line(report.files, report.bytes, report.sent).c_str());
    else
        std::printf("%zu files on the nodes: %s, of which %s were sent\n", report.files,
                    format_bytes(report.bytes).c_str(), format_bytes(report.sent).c_str());
    std::fflush(stdout);
    return {};
}

Result<TaskId> submit_task(Session& session, TaskInput& input, bool json) {
    DIVISI_ASSIGN(const control::ClusterState state, session.snapshot());
    Result<void> planned;
    session.beside([&] { planned = submit::plan_for(input, state, embed::default_data_folder()); }, [] {});
    DIVISI_TRY(planned);
    const bool shared = submit::nodes_share_files(session.connection(), state);
    std::optional<Result<submit::Submission>> made;
    session.beside([&] { made = submit::make_submission(input, embed::default_data_folder() / "uploads", shared); },
                   [] {});
    if (!made->ok()) return made->error();
    const submit::Submission& submission = **made;
    if (session.interrupted()) return Error{ErrorCode::failed, "interrupted", "", "nothing was submitted"};
    DIVISI_ASSIGN(const auto reply, session.ask<control::SubmitReply>(submission.message, std::chrono::seconds(60)));
    if (!reply.uploads.empty()) DIVISI_TRY(bring_files(session, submission, reply, json));
    return reply.task;
}

/// Events that come before the submission's answer stand in the snapshot that follows it.
Result<control::TaskEnded> follow_task(Session& session, Follower& follower, const TaskId& task, bool& interrupted) {
    DIVISI_ASSIGN(auto snapshot, session.ask<control::Snapshot>(control::Subscribe{}));
    if (follower.take(snapshot)) {
        DIVISI_TRY(session.follow([&](const control::Message& message) { return follower.take(message); },
                                  [&] {
                                      interrupted = true;
                                      session.post(control::StopTask{task, "interrupted by the operator"});
                                  }));
    }
    if (follower.ended()) return *follower.ended();
    return Error{ErrorCode::failed, "the task's end was not heard", task.value(), "see 'divisictl tasks'"};
}

}  // namespace

int run_task(const Common& common, const TaskFileOptions& options) {
    Session* running = nullptr;
    bool opening = false;
    std::atomic<bool> stopping = false;
    std::mutex mutex;
    process::on_stop(
        [&](const char*) {
            const std::lock_guard lock(mutex);
            stopping = true;
            if (running) running->interrupt();
            else if (!opening) ::_exit(130);  // an embedded cluster that is being started is taken back first
        },
        30);
    // What is wrong with the task is said before a cluster is started for it; the plan is then made for its nodes.
    auto input = read_task(options);
    if (!input) return print_error(input.error());
    Target target = common.target;
    target.embed = target.connection.empty();
    target.role = control::Role::operate;
    target.cancelled = &stopping;
    {
        const std::lock_guard lock(mutex);
        opening = true;
    }
    auto session = Session::open(target);
    if (!session) {
        const int status = print_error(session.error());
        return stopping ? 130 : status;
    }
    {
        const std::lock_guard lock(mutex);
        running = session->get();
        if (stopping) running->interrupt();
    }
    const auto finish = [&](int status) {
        const std::lock_guard lock(mutex);
        running = nullptr;
        return status;
    };
    if (auto ready = (*session)->wait_for_nodes(); !ready) return finish(print_error(ready.error()));
    const auto task = submit_task(**session, *input, common.json);
    if (!task) return finish((*session)->interrupted() ? 130 : print_error(task.error()));
    if (!common.json) print_summary(*input, *task);

    Follower follower(*task, input->spec.train.steps, common.json);
    bool interrupted = false;
    const auto ended = follow_task(**session, follower, *task, interrupted);
    follower.finish();
    if (!ended) return finish(print_error(ended.error()));
    print_end(*ended, common.json);
    std::fflush(stdout);
    // Its failure is no failure of this task.
    if (!interrupted) {
        (void)(*session)->outlast_others([](std::size_t others) {
            std::fprintf(stderr, "%zu other %s on this cluster; it ends with them, or now with Ctrl-C\n", others,
                         others == 1 ? "task runs" : "tasks run");
        });
    }
    return finish(interrupted ? 130 : exit_status(ended->outcome));
}

}  // namespace divisi::ctl
