// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <variant>
#include <vector>

#include "backend/control/agent/service_lease.h"
#include "backend/control/protocol/message.h"
#include "backend/control/protocol/silence.h"
#include "backend/control/types/note_limiter.h"

namespace divisi::control::inline agent {

/// The life of a microservice instance without I/O. Its work (loading, training) is done by the adapter,
/// which reports back; this decides what is said to the orchestrator and when the process ends.
namespace instance {

struct Connected {};
struct Disconnected {};
struct FromOrchestrator {
    std::uint64_t correlation = 0;
    Message message;
};
struct Prepared {
    std::string plan_hash;
    std::int32_t eval_microbatches = -1;
    std::string input_schema = {}, output_schema = {};  ///< what comes from other instances and goes to them
    std::int64_t samples = 0;                           ///< of a batch's data
};
struct StepFinished {
    StepRecord record;
};  ///< on the instance that holds the loss
struct EvalFinished {
    EvalRecord record;
};
struct LoadMeasured {
    InstanceLoad load;
};
/// Of a step that was to be reported; whose it is is filled in here.
struct SpansMeasured {
    InstanceSpans spans;
};
struct RunFinished {
    WeightsStored weights;
};
/// The first data came with the lease of this instance; a gateway had written it there.
struct Activated {
    std::uint32_t gateway = 0;  ///< its routing identifier
};
/// A snapshot is durable, or there is none and why; whose it is is filled in here.
struct SnapshotWritten {
    SnapshotTaken snapshot;
};
/// The plan that was to be prepared is, or it does not compile and why; whose word it is is filled in here, but not of
/// which order.
struct PlanCompiled {
    PlanPrepared told;
};
/// Something went wrong and goes on: a line for the log.
struct Trouble {
    Error error;
};
struct WorkFailed {
    Error error;
};  ///< preparing, running or storing
struct Tick {};
struct Terminate {};
using Input = std::variant<Connected, Disconnected, FromOrchestrator, Prepared, StepFinished, EvalFinished,
                           LoadMeasured, RunFinished, Trouble, WorkFailed, Tick, Terminate, Activated, SnapshotWritten,
                           SpansMeasured, PlanCompiled>;

struct SendUp {
    std::uint64_t correlation = 0;
    Message message;
};
struct Prepare {
    Deploy deploy;
    Peers peers;
};
/// It stands by: loads what any part of its task needs, and says that it has prepared.
struct WarmUp {
    Deploy deploy;
};
/// Peers are reached another way from now on.
struct Reconnect {
    Peers peers;
};
struct Run {
    std::int32_t eval_microbatches = 0;
    std::int64_t samples = 0;
};
/// Somebody watches: steps that are multiples of `every` are measured and reported, for the next span_watch.
struct MeasureSpans {
    std::int64_t every = 1;
};
struct EndWork {
    std::string reason;
};

struct Output {
    std::vector<SendUp> sends;
    std::optional<Prepare> prepare;
    std::optional<WarmUp> warm_up;
    std::optional<Reconnect> reconnect;
    std::optional<Run> run;
    std::optional<std::int64_t> take_snapshot;  ///< at the end of this step
    std::optional<MeasureSpans> measure_spans;
    std::optional<std::int64_t> hold;         ///< nothing is begun that follows this step's end; 0: it goes on
    std::optional<PreparePlan> prepare_plan;  ///< beside what it does
    std::optional<EndWork> end_work;
    std::optional<int> exit;  ///< exit status
};

}  // namespace instance

class InstanceLife {
public:
    explicit InstanceLife(RegisterInstance registration) : registration_(std::move(registration)) {
        registration_.reports_spans = true;
    }

    instance::Output step(const instance::Input& input, TimePoint now);
    InstanceState state() const { return state_; }

private:
    void on(const instance::Connected&);
    void on(const instance::Disconnected&);
    void on(const instance::FromOrchestrator& input);
    void on(const instance::Prepared& input);
    void on(const instance::StepFinished& input);
    void on(const instance::EvalFinished& input);
    void on(const instance::LoadMeasured& input);
    void on(const instance::RunFinished& input);
    void on(const instance::Activated& input);
    void on(const instance::SnapshotWritten& input);
    void on(const instance::SpansMeasured& input);
    void on(const instance::PlanCompiled& input);
    void on(const instance::Trouble& input);
    void on(const instance::WorkFailed& input);
    void on(const instance::Tick&);
    void on(const instance::Terminate&);
    void report(std::variant<StepRecord, EvalRecord> record);
    void catch_up(const ResumeInstance& resume);
    void take_snapshot(const TakeSnapshot& order);
    void hold(const HoldSteps& order);
    void prepare_plan(const PreparePlan& order);
    void say_activated();
    void say_failed();
    void note(const std::optional<std::string>& line);
    void end(const std::string& reason, int status);
    void tell_registry();

    RegisterInstance registration_;
    std::optional<Deploy> deploy_;
    InstanceState state_ = InstanceState::starting;
    NoteLimiter notes_;
    std::vector<std::string> early_notes_;  ///< from before it was deployed
    ServiceLease service_;
    bool begun_ = false, preparing_ = false;
    /// The orchestrator knows all that was said before; until then reports wait, so that none passes an older one.
    bool caught_up_ = false;
    /// What was reported last, in case that it did not arrive.
    std::deque<std::variant<StepRecord, EvalRecord>> reports_;
    std::size_t report_bytes_ = 0;         ///< of them, in messages
    std::deque<SnapshotTaken> snapshots_;  ///< the newest, likewise
    std::uint64_t dropped_spans_ = 0;      ///< reports that could not be sent since the last that was
    instance::Prepared prepared_;
    std::optional<instance::Activated> activated_;
    WeightsStored weights_;
    Error failure_;
    std::optional<TimePoint> alone_since_, failed_since_;  ///< in lived time
    bool farewell_ = false;
    bool held_ = false;  ///< it was told to begin no step after one
    TimePoint now_{};
    LivedTime time_;
    TimePoint lived_{};
    instance::Output output_;
};

/// How long an instance looks for its orchestrator before it ends by itself: longer than a network or an
/// orchestrator that pauses is away.
inline constexpr Duration orchestrator_grace = std::chrono::seconds(60);
/// The same after its goodbye, and how long a failure waits for the word to end.
inline constexpr Duration last_word_grace = std::chrono::seconds(5);
/// Reports that an instance keeps, the newest: those of orchestrator_grace at some thousand steps a second, ...
inline constexpr std::size_t kept_reports = 100'000;
/// ... and what they may take in messages, where each names many heads. The newest is kept whatever it takes.
inline constexpr std::size_t kept_report_bytes = 16u << 20;
/// Words of snapshots that it keeps, the newest: a checkpoint needs those of one step, and only the last ones can still
/// become one.
inline constexpr std::size_t kept_snapshots = 4;

}  // namespace divisi::control::inline agent
