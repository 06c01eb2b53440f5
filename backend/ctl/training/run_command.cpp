// SPDX-License-Identifier: Apache-2.0
// divisictl run: submits a task, follows it, and exits with a status for its outcome.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "backend/control/protocol/task_events.h"
#include "backend/control/types/json_lines.h"
#include "backend/ctl/terminal/commands.h"
#include "backend/ctl/terminal/terminal.h"
#include "backend/ctl/training/path_lines.h"
#include "backend/ctl/training/task_input.h"
#include "backend/ctl/training/task_output.h"
#include "backend/process/command_line.h"
#include "backend/process/lifeline.h"
#include "backend/submit/placement.h"
#include "backend/submit/transfers.h"
#include "backend/task/model_source.h"
#include "backend/task/predict_step.h"

namespace divisi::ctl {
namespace {

/// Number of first steps of a generation that fill caches and pipelines and are not compared with the prediction.
constexpr std::int64_t warm_up_steps = 2;
/// Number of newest steps that enter the median step time.
constexpr std::size_t measured_steps = 50;

struct Submitted {
    TaskId task;
    std::uint64_t before = 0;             ///< the cluster's sequence number before the submission
    double predicted_ms = 0;              ///< time of one step, as predicted by `divisictl plan` for these nodes
    std::vector<std::string> paths = {};  ///< predicted paths between MICs, one line of text each
};

/// Follows one task and prints its events. Each step of a generation is printed once and in order.
class Follower {
public:
    Follower(Session& session, const Submitted& submitted, const task::TaskSpec& spec, bool json)
        : session_(session),
          task_(submitted.task),
          events_(submitted.task, submitted.before),
          batch_(task::is_batch(spec)),
          samples_(spec.train.batch),
          labels_(spec.batch.labels),
          json_(json),
          progress_(batch_ ? 0 : spec.train.steps, labels_) {}

    /// Returns false once the task has ended or cannot be followed any further.
    bool take(const control::Message& message) {
        if (const auto* push = get_if<control::EventPush>(&message)) return show(events_.pushed(push->events));
        if (const auto* snapshot = get_if<control::Snapshot>(&message)) {
            look_at(snapshot->state);
            return show(events_.subscribed(snapshot->state.sequence));
        }
        return !over();
    }
    /// Returns why following stopped before the task's end.
    const std::optional<Error>& failure() const { return failure_; }
    /// Returns an error that names the steps that did not arrive; none if all did.
    std::optional<Error> gap() const {
        if (events_.missing_count() == 0) return std::nullopt;
        return Error{ErrorCode::not_found, "steps " + events_.missing() + " did not arrive and are not in the log",
                     task_.value(), "the printed steps are not complete"};
    }
    std::optional<control::TaskEnded> ended() const { return ended_; }
    void finish() {
        if (!json_) progress_.end();
    }
    /// Returns the median time of the newest steps; 0 during the warm-up steps.
    double measured_ms() const {
        std::vector<double> steps(step_ms_.begin(), step_ms_.end());
        if (steps.empty()) return 0;
        const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
        std::nth_element(steps.begin(), middle, steps.end());
        return *middle;
    }

private:
    bool over() const { return ended_ || failure_; }
    bool answered(Result<control::Message> reply) {
        if (!reply) return show(events_.answered(std::move(reply).error()));
        if (auto* page = get_if<control::LogPage>(&*reply)) return show(events_.answered(std::move(*page)));
        return show(events_.answered(Error{ErrorCode::failed, "the log was not read", task_.value(), "try again"}));
    }
    bool show(const control::TaskEvents::Step& step) {
        for (const control::Event& event : step.events) take(event);
        if (step.request)
            session_.request_later(*step.request, [this](auto reply) { return answered(std::move(reply)); });
        if (!ended_) failure_ = events_.failure();
        if (ended_ || failure_ || !events_.complete()) return !over();
        // The log has been read to its end. If the log has already dropped the event of the task's end, the last
        // snapshot still contains the outcome.
        if (told_end_) ended_ = told_end_;
        else if (!known_)
            failure_ = Error{ErrorCode::not_found, "the cluster no longer knows the task", task_.value(),
                             "see 'divisictl logs --task " + task_.value() + "'"};
        return !over();
    }
    void look_at(const control::ClusterState& state) {
        const auto found = state.tasks.find(task_);
        known_ = found != state.tasks.end();
        if (!known_) return;
        const control::TaskView& task = found->second;
        if (task.over()) told_end_ = control::TaskEnded{task_, task.outcome, task.error};
        else if (task.phase != control::TaskPhase::queued || std::exchange(told_queued_, true)) return;
        else if (json_) print(control::queued_line(task_.value()));
        else
            progress_.phase("task " + task_.value() + ": queued until its nodes are free; 'divisictl tasks' lists all");
    }
    void take(const control::Event& event) {
        if (const auto* step = get_if<control::StepDone>(&event.body)) return take(step->record);
        if (const auto* evaluated = get_if<control::Evaluated>(&event.body)) {
            if (json_) print(control::evaluation_line(evaluated->record));
            else if (batch_) progress_.phase("all samples: " + control::figures_text(evaluated->record));
            else progress_.evaluated(evaluated->record);
        } else if (const auto* loaded = get_if<control::InstanceLoaded>(&event.body)) {
            if (batch_ && loaded->samples > 0) progress_.takes((loaded->samples + samples_ - 1) / samples_);
        } else if (const auto* phase = get_if<control::PhaseChanged>(&event.body)) {
            const bool early = phase->phase > control::TaskPhase::queued && phase->phase < control::TaskPhase::exchange;
            if (!json_ && early) progress_.phase(control::describe(event.body));
        } else if (const auto* committed = get_if<control::CheckpointCommitted>(&event.body)) {
            take(committed->checkpoint);
        } else if (const auto* recovers = get_if<control::TaskRecovers>(&event.body)) {
            take(*recovers);
        } else if (const auto* recut = get_if<control::TaskRecut>(&event.body)) {
            begun_after_ = recut->step;
            if (json_) print(control::recut_line(*recut));
            else progress_.goes_back(recut->step, control::describe(event.body));
        } else if (const auto* noted = get_if<control::Noted>(&event.body)) {
            if (noted->severity == Severity::warning) progress_.warning(noted->text);
        } else if (const auto* ended = get_if<control::TaskEnded>(&event.body)) {
            ended_ = *ended;
        }
    }
    void take(const control::StepRecord& record) {
        if (record.step > begun_after_ + warm_up_steps) step_ms_.push_back(record.step_ms);
        if (step_ms_.size() > measured_steps) step_ms_.pop_front();
        if (json_) print(control::step_line(record, labels_));
        else progress_.step(record);
    }
    void take(const control::Checkpoint& checkpoint) {
        if (json_) print(control::checkpoint_line(checkpoint));
        else progress_.checkpointed(checkpoint.step, "checkpoint " + control::checkpoint_text(checkpoint));
    }
    /// Steps after the checkpoint are repeated, with the same losses.
    void take(const control::TaskRecovers& recovery) {
        begun_after_ = recovery.step;
        if (json_) print(control::recovery_line(recovery));
        else progress_.goes_back(recovery.step, "recovering: " + control::recovery_text(recovery));
    }
    static void print(const std::string& line) {
        std::puts(line.c_str());
        std::fflush(stdout);
    }

    Session& session_;
    TaskId task_;
    control::TaskEvents events_;
    bool batch_;
    std::int64_t samples_;  ///< number of samples per step
    bool labels_;
    bool json_;
    ProgressLine progress_;
    std::deque<double> step_ms_;
    std::int64_t begun_after_ = 0;  ///< the step after which the current generation began
    bool told_queued_ = false;
    bool known_ = true;                           ///< whether the cluster's last snapshot contains the task
    std::optional<control::TaskEnded> told_end_;  ///< how the task ended, according to the last snapshot
    std::optional<control::TaskEnded> ended_;
    std::optional<Error> failure_;
};

int exit_status(control::Outcome outcome) {
    switch (outcome) {
        case control::Outcome::succeeded: return 0;
        case control::Outcome::stopped: return 3;
        default: return 1;
    }
}

/// Checks before a batch runs that its results file can be written.
Result<void> check_results(const task::TaskSpec& spec, const TaskFileOptions& options) {
    if (!task::is_batch(spec)) return {};
    auto checked = check_results_file(task::results_file(spec, process::absolute_path(options.file).parent_path()));
    if (checked.ok()) return checked;
    return as_written(std::move(checked).error(), options);
}

/// Fetches a batch's results into the file that its task file names. Returns the exit status.
int bring_results(Session& session, const TaskInput& input, const TaskId& task, bool json) {
    const std::string file = task::results_file(input.spec, input.folder);
    const auto fetched = fetch_results(session, task.value(), file);
    if (!fetched) return print_error(fetched.error());
    if (json) std::puts(control::results_line(file).c_str());
    else std::printf("results: %s\n", file.c_str());
    return 0;
}

/// Reads the task's spec. For a training task, also sets the version from which it starts.
Result<task::TaskSpec> read_run(const TaskFileOptions& options) {
    DIVISI_ASSIGN(task::TaskSpec spec, read_spec(options));
    if (options.from.empty()) return spec;
    if (task::is_batch(spec))
        return Error{ErrorCode::invalid_input, "--from does not apply to batch tasks", "--from",
                     "name the model of a batch in its task file: [model] from = \"" + options.from + "\""};
    spec.model.from = options.from;
    return spec;
}

/// Adds data that only the cluster has: the model of a batch task, or the initial weights of a training task.
Result<void> bring_weights(Session& session, task::TaskSpec& spec, const TaskFileOptions& options,
                           std::optional<TaskInput>& input) {
    if (input) {
        auto brought = bring_start(session, *input);
        return brought ? Result<void>() : as_written(brought.error(), options);
    }
    if (auto brought = bring_trained(session, spec); !brought) return as_written(brought.error(), options);
    DIVISI_ASSIGN(input, load_input(spec, options));
    return {};
}

void print_comparison(double predicted_ms, double measured_ms) {
    if (predicted_ms <= 0 || measured_ms <= 0) return;
    constexpr double far_off = 3;  // above this ratio, a percentage is hard to read
    const double ratio = measured_ms / predicted_ms;
    char apart[48];
    if (ratio > far_off) std::snprintf(apart, sizeof apart, "%.0f times", ratio);
    else
        std::snprintf(apart, sizeof apart, "%.0f %% %s than", std::abs(100 * (ratio - 1)),
                      ratio >= 1 ? "more" : "less");
    std::printf("a step took %s, %s the predicted %s\n", format_duration_ms(measured_ms).c_str(), apart,
                format_duration_ms(predicted_ms).c_str());
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

/// Shows how much of the files has reached the nodes, rewritten in place on a terminal.
class UploadLine {
public:
    explicit UploadLine(bool shown) : shown_(shown && is_terminal()) {}
    void draw(Bytes done, Bytes total) {
        if (!shown_ || total == 0 || 100 * done / total == percent_) return;
        percent_ = 100 * done / total;
        std::printf("\ruploading files to the nodes: %3lld %%", static_cast<long long>(percent_));
        std::fflush(stdout);
    }
    void end() {
        if (percent_ >= 0) std::puts("");
    }

private:
    bool shown_;
    std::int64_t percent_ = -1;
};

void print_summary(const TaskInput& input, const Submitted& submitted) {
    const task::TrainSection& train = input.spec.train;
    std::printf("task %s: %s in %s, ", submitted.task.value().c_str(),
                input.spec.model.zoo.empty() ? input.spec.model.onnx.c_str() : ("zoo:" + input.spec.model.zoo).c_str(),
                counted(input.plan.stage_count(), "stage").c_str());
    if (task::is_batch(input.spec))
        std::printf("one pass over its data, %s at a time\n", counted(train.batch, "sample").c_str());
    else
        std::printf("%lld steps of %lld samples in %lld micro-batches, %s\n", static_cast<long long>(train.steps),
                    static_cast<long long>(train.batch), static_cast<long long>(train.microbatches),
                    input.spec.split.schedule.c_str());
    if (input.has_start) std::printf("  starts from version %s\n", input.spec.model.from.c_str());
    for (std::size_t i = 0; i < input.plan.cuts.size(); ++i)
        std::printf("  cut after %s\n", input.plan.cuts[i].c_str());
    for (const std::string& path : submitted.paths) std::printf("  %s\n", path.c_str());
    if (submitted.predicted_ms > 0)
        std::printf("  predicted: %s a step\n", format_duration_ms(submitted.predicted_ms).c_str());
    for (const std::string& warning : input.plan.warnings) std::printf("  note: %s\n", warning.c_str());
    std::fflush(stdout);
}

/// Reports the outcome of the uploads to the orchestrator. If the connection breaks, the report is repeated, since the
/// orchestrator waits for a client to reconnect. If the orchestrator no longer knows the upload of a repeated report,
/// this counts as success: only the first answer was lost.
Result<void> tell_brought(Session& session, const control::UploadsDone& done) {
    constexpr auto pause = std::chrono::milliseconds(500);
    const TimePoint until = session.now() + control::return_grace;
    for (bool again = false;; again = true) {
        const auto told = session.ask<control::Done>(done);
        if (told || (again && told.error().code == ErrorCode::not_found)) return {};
        if (told.error().code != ErrorCode::unavailable || session.interrupted() || session.now() >= until)
            return told.error();
        session.beside([&] { std::this_thread::sleep_for(pause); }, [] {});
    }
}

/// Uploads the files to the nodes that the orchestrator named, and reports the outcome to it.
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
        return Error{ErrorCode::failed, "interrupted", reply.task.value(), "the nodes keep the files sent so far"};
    }
    control::UploadsDone done{reply.task, std::nullopt};
    if (!brought->ok()) done.error = brought->error();
    const auto told = tell_brought(session, done);
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

/// Predicts the step time and the paths, if possible.
void predict(const TaskInput& input, const control::ClusterState& state, Submitted& submitted) {
    const price::NodePool pool = submit::placement_of(state, input.spec.place, embed::default_data_folder());
    const price::Placement placement = task::placed(input.plan, pool);
    const auto prediction = task::predict_step(input.plan, placement);
    if (!prediction) return;
    submitted.predicted_ms = prediction->step_ms;
    submitted.paths = path_lines(prediction->paths, planned_places(placement, state));
}

Result<Submitted> submit_task(Session& session, TaskInput& input, bool json) {
    DIVISI_ASSIGN(const control::ClusterState state, session.snapshot());
    Result<void> planned;
    Submitted submitted;
    submitted.before = state.sequence;
    session.beside(
        [&] {
            planned = submit::plan_for(input, state, embed::default_data_folder());
            if (planned.ok()) predict(input, state, submitted);
        },
        [] {});
    DIVISI_TRY(planned);
    const bool shared = submit::nodes_share_files(session.connection(), state);
    std::optional<Result<submit::Submission>> made;
    const std::filesystem::path kept = embed::default_data_folder() / "uploads";
    session.beside(
        [&] {
            if (session.is_own()) submit::forget_kept(kept, state, session.now());
            made = submit::make_submission(input, kept, shared);
        },
        [] {});
    if (!made->ok()) return made->error();
    const submit::Submission& submission = **made;
    if (session.interrupted()) return Error{ErrorCode::failed, "interrupted", "", "nothing was submitted"};
    DIVISI_ASSIGN(const auto reply, session.ask<control::SubmitReply>(submission.message, std::chrono::seconds(60)));
    if (!reply.uploads.empty()) DIVISI_TRY(bring_files(session, submission, reply, json));
    submitted.task = reply.task;
    return submitted;
}

/// Interrupts a run on behalf of the threads that watch for signals and for closed output. These threads run until the
/// process ends.
class Interruption {
public:
    void stop() {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        if (session_) session_->interrupt();
        else if (!opening_) ::_exit(status());  // else the start of an embedded cluster is undone first
    }
    void output_closed() {
        unread_ = true;
        stop();
    }
    void opening() {
        const std::lock_guard lock(mutex_);
        opening_ = true;
    }
    /// Sets the session to interrupt; null: the run has ended.
    void interrupts(Session* session) {
        const std::lock_guard lock(mutex_);
        session_ = session;
        if (session_ && stopping_) session_->interrupt();
    }
    const std::atomic<bool>& stopping() const { return stopping_; }
    bool unread() const { return unread_; }
    /// Returns the exit status of an interrupted run.
    int status() const { return unread_ ? output_unread : 130; }

private:
    std::mutex mutex_;
    Session* session_ = nullptr;
    bool opening_ = false;
    std::atomic<bool> stopping_ = false, unread_ = false;
};

/// Stops the task if its operator interrupts it, or if its cluster ends with this client. If only the reader of the
/// output has ended, a task on a permanent cluster continues.
void end_early(Session& session, const TaskId& task, bool unread) {
    if (session.embedded()) session.embedded()->let_go();
    const bool goes_on = unread && !session.embedded();
    if (unread)
        std::fprintf(stderr, "the reader of the output has ended; task %s %s\n", task.value().c_str(),
                     goes_on ? "continues, see 'divisictl tasks'" : "is stopped: its cluster ends with this program");
    if (goes_on) return session.leave();
    session.post(control::StopTask{task, unread ? "its output is not read" : "interrupted by the operator"});
}

/// Follows the task to its end. Events before the subscription are read from the log.
Result<control::TaskEnded> follow_task(Session& session, Follower& follower, const TaskId& task,
                                       const Interruption& interruption) {
    const auto snapshot = session.subscribe();
    // if the orchestrator is away, follow() waits for it
    const bool away = !snapshot && snapshot.error().code == ErrorCode::unavailable;
    if (!snapshot && !away) return snapshot.error();
    if (away || follower.take(*snapshot)) {
        DIVISI_TRY(session.follow([&](const control::Message& message) { return follower.take(message); },
                                  [&] { end_early(session, task, interruption.unread()); }));
    }
    if (follower.ended()) return *follower.ended();
    if (follower.failure()) return *follower.failure();
    return Error{ErrorCode::failed, "the end of the task was not received", task.value(), "see 'divisictl tasks'"};
}

}  // namespace

int run_task(const Common& common, const TaskFileOptions& options) {
    const auto interruption = std::make_shared<Interruption>();
    process::on_stop([interruption](const char*) { interruption->stop(); }, 30);
    process::on_output_closed([interruption] { interruption->output_closed(); });
    // Report errors of the task file before starting a cluster for the task. The plan is made later, for that cluster's
    // nodes.
    auto spec = read_run(options);
    if (!spec) return print_error(spec.error());
    const bool awaits_weights = !spec->model.from.empty();  // only the cluster has the weights
    std::optional<TaskInput> input;
    if (!awaits_weights || !task::is_batch(*spec)) {
        auto loaded = load_input(*spec, options);
        if (!loaded) return print_error(loaded.error());
        input = std::move(*loaded);
    }
    if (auto writable = check_results(*spec, options); !writable) return print_error(writable.error());
    Target target = common.target;
    target.embed = target.connection.empty();
    target.role = control::Role::operate;
    target.cancelled = &interruption->stopping();
    interruption->opening();
    auto session = Session::open(target);
    if (!session) {
        const int status = print_error(session.error());
        return interruption->stopping() ? interruption->status() : status;
    }
    interruption->interrupts(session->get());
    const auto finish = [&](int status) {
        interruption->interrupts(nullptr);
        return (*session)->interrupted() ? interruption->status() : status;
    };
    if (auto ready = (*session)->wait_for_members(); !ready) return finish(print_error(ready.error()));
    if (awaits_weights)
        if (auto brought = bring_weights(**session, *spec, options, input); !brought)
            return finish(print_error(brought.error()));
    const auto submitted = submit_task(**session, *input, common.json);
    if (!submitted) return finish((*session)->interrupted() ? 0 : print_error(submitted.error()));
    if (!common.json) print_summary(*input, *submitted);

    const bool batch = task::is_batch(input->spec);
    Follower follower(**session, *submitted, input->spec, common.json);
    const auto ended = follow_task(**session, follower, submitted->task, *interruption);
    follower.finish();
    if (interruption->unread()) return finish(output_unread);
    if (!ended) return finish(print_error(ended.error()));
    if (!common.json) print_comparison(submitted->predicted_ms, follower.measured_ms());
    int status = exit_status(ended->outcome);
    if (batch && status == 0) status = bring_results(**session, *input, submitted->task, common.json);
    print_end(*ended, common.json);
    std::fflush(stdout);
    const auto gap = follower.gap();
    if (gap) print_error(*gap);
    if ((*session)->interrupted()) status = interruption->status();
    else if (gap && status == 0) status = 1;
    // An error of this wait is not an error of the task.
    if (!(*session)->interrupted()) {
        (void)(*session)->outlast_others([](std::size_t others) {
            std::fprintf(stderr,
                         "%zu other %s on this cluster; the cluster ends after them, or immediately with Ctrl-C\n",
                         others, others == 1 ? "task runs" : "tasks run");
        });
    }
    interruption->interrupts(nullptr);
    return status;
}

}  // namespace divisi::ctl
