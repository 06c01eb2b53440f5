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

/// The lifecycle of a microservice instance, without I/O. The adapter does the work (loading, training) and reports
/// back. This class decides what to send to the orchestrator and when the process ends.
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
    std::string input_schema = {}, output_schema = {};  ///< tensors received from and sent to other instances
    std::int64_t samples = 0;                           ///< samples in a batch's data
};
struct StepFinished {
    StepRecord record;
};  ///< on the instance that computes the loss
struct EvalFinished {
    EvalRecord record;
};
struct LoadMeasured {
    InstanceLoad load;
};
/// Spans of a step that was to be reported. InstanceLife adds the sender's identity.
struct SpansMeasured {
    InstanceSpans spans;
};
struct RunFinished {
    WeightsStored weights;
};
/// The first data has arrived. It carried the lease of this instance, which a gateway had written into it.
struct Activated {
    std::uint32_t gateway = 0;  ///< the gateway's routing identifier
};
/// A durable snapshot, or the error if there is none. InstanceLife adds the sender's identity.
struct SnapshotWritten {
    SnapshotTaken snapshot;
};
/// The prepared plan, or the error if it does not compile. InstanceLife adds the sender's identity, but not the order
/// that this answers.
struct PlanCompiled {
    PlanPrepared told;
};
/// A problem that does not stop the work: a line for the log.
struct NonFatalError {
    Error error;
};
struct WorkFailed {
    Error error;
};  ///< while preparing, running or storing
struct Tick {};
struct Terminate {};
using Input = std::variant<Connected, Disconnected, FromOrchestrator, Prepared, StepFinished, EvalFinished,
                           LoadMeasured, RunFinished, NonFatalError, WorkFailed, Tick, Terminate, Activated,
                           SnapshotWritten, SpansMeasured, PlanCompiled>;

struct SendUp {
    std::uint64_t correlation = 0;
    Message message;
};
struct Prepare {
    Deploy deploy;
    Peers peers;
};
/// The instance becomes a standby: it loads what any part of its task needs, and reports that it is prepared.
struct WarmUp {
    Deploy deploy;
};
/// The route to the peers has changed.
struct Reconnect {
    Peers peers;
};
struct Run {
    std::int32_t eval_microbatches = 0;
    std::int64_t samples = 0;
};
/// A client is watching: for the next span_watch, steps that are multiples of `every` are measured and reported.
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
    std::optional<std::int64_t> hold;         ///< hold after this step: begin no later step; 0: continue
    std::optional<PreparePlan> prepare_plan;  ///< prepared in the background
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
    void on(const instance::NonFatalError& input);
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
    std::vector<std::string> early_notes_;  ///< notes from before the deployment
    ServiceLease service_;
    bool begun_ = false, preparing_ = false;
    /// The orchestrator has received everything sent before the connection broke. Until then reports wait, so that none
    /// overtakes an older one.
    bool caught_up_ = false;
    /// The latest reports, kept in case they did not arrive.
    std::deque<std::variant<StepRecord, EvalRecord>> reports_;
    std::size_t report_bytes_ = 0;         ///< size of `reports_` in messages
    std::deque<SnapshotTaken> snapshots_;  ///< the newest snapshots, kept for the same reason
    std::uint64_t dropped_spans_ = 0;      ///< reports dropped since the last one that was sent
    instance::Prepared prepared_;
    std::optional<instance::Activated> activated_;
    WeightsStored weights_;
    Error failure_;
    std::optional<TimePoint> alone_since_, failed_since_;  ///< in lived time
    bool farewell_ = false;
    bool held_ = false;  ///< told to begin no step after a given one
    TimePoint now_{};
    LivedTime time_;
    TimePoint lived_{};
    instance::Output output_;
};

/// How long an instance tries to reach its orchestrator before it ends by itself. The time must exceed a pause of the
/// network or of the orchestrator.
inline constexpr Duration orchestrator_grace = std::chrono::seconds(60);
/// How long the instance tries to reach an orchestrator that said goodbye, and how long a failed instance waits for
/// EndInstance.
inline constexpr Duration last_word_grace = std::chrono::seconds(5);
/// Maximum number of reports that an instance keeps; the oldest are dropped. It covers orchestrator_grace at more than
/// a thousand steps a second.
inline constexpr std::size_t kept_reports = 100'000;
/// Maximum size of the kept reports in messages, since each may name many heads. The newest is always kept.
inline constexpr std::size_t kept_report_bytes = 16u << 20;
/// Maximum number of snapshot reports kept; the oldest are dropped. A checkpoint needs the snapshots of one step, and
/// only the newest steps can still become one.
inline constexpr std::size_t kept_snapshots = 4;

}  // namespace divisi::control::inline agent
