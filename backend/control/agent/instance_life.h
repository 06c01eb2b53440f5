// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <variant>
#include <vector>

#include "backend/control/agent/service_lease.h"
#include "backend/control/protocol/instance_messages.h"
#include "backend/control/protocol/silence.h"
#include "backend/control/types/note_limiter.h"
#include "backend/control/types/span_types.h"

namespace divisi::control::inline agent {

/// The lifecycle of a microservice instance, without I/O. The adapter does the work (loading, training) and reports
/// back. InstanceLife decides what to send to the orchestrator and when the process ends.
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
    std::int64_t samples = 0;                           ///< number of samples in the data of a batch task
};
struct StepFinished {
    StepRecord record;
};  ///< sent only by the instance that computes the loss
struct EvalFinished {
    EvalRecord record;
};
struct LoadMeasured {
    InstanceLoad load;
};
/// Spans of a step that the orchestrator asked for. InstanceLife adds the sender's identity.
struct SpansMeasured {
    InstanceSpans spans;
};
struct RunFinished {
    WeightsStored weights;
};
/// The first data has arrived. The data contains the lease of this instance, which a gateway added.
struct Activated {
    std::uint32_t gateway = 0;  ///< the gateway's routing identifier
};
/// A durable snapshot, or the error if there is none. InstanceLife adds the sender's identity.
struct SnapshotWritten {
    SnapshotTaken snapshot;
};
/// The prepared plan, or the error if it does not compile. InstanceLife adds the sender's identity; the order that this
/// report answers is already set.
struct PlanCompiled {
    PlanPrepared told;
};
/// A problem that does not stop the work: a line for the log.
struct NonFatalError {
    Error error;
};
struct WorkFailed {
    Error error;
};  ///< the instance failed to prepare, to run or to store a result
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
/// The instance becomes a standby: it loads everything that any part of its task needs, and reports that it is
/// prepared.
struct WarmUp {
    Deploy deploy;
};
/// Connects to new addresses of the peers or their gateway.
struct Reconnect {
    Peers peers;
};
struct Run {
    std::int32_t eval_microbatches = 0;
    std::int64_t samples = 0;
};
/// Measures and reports the steps that are multiples of `every`, because a client is watching. Ends after span_watch.
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
    std::optional<std::int64_t> take_snapshot;  ///< step at whose end to take a snapshot
    std::optional<MeasureSpans> measure_spans;
    std::optional<std::int64_t> hold;         ///< step after which to hold, so that no later step begins; 0: continue
    std::optional<PreparePlan> prepare_plan;  ///< plan to prepare in the background
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
    std::vector<std::string> early_notes_;  ///< notes made before the deployment
    ServiceLease service_;
    bool begun_ = false, preparing_ = false;
    /// Whether the orchestrator has received everything sent before the connection broke. Until then reports wait, so
    /// that no report overtakes an older one.
    bool caught_up_ = false;
    /// The latest reports, kept in case they did not arrive.
    std::deque<std::variant<StepRecord, EvalRecord>> reports_;
    std::size_t report_bytes_ = 0;         ///< size of `reports_` when encoded in messages, in bytes
    std::deque<SnapshotTaken> snapshots_;  ///< the newest snapshots, kept in case their reports are lost
    std::uint64_t dropped_spans_ = 0;      ///< span reports dropped since the last sent one
    instance::Prepared prepared_;
    std::optional<instance::Activated> activated_;
    WeightsStored weights_;
    Error failure_;
    std::optional<TimePoint> alone_since_, failed_since_;  ///< times of disconnection and of failure, in lived time
    bool farewell_ = false;
    bool held_ = false;  ///< whether an order to hold after a given step is in force
    TimePoint now_{};
    LivedTime time_;
    TimePoint lived_{};
    instance::Output output_;
};

/// Time for which an instance tries to reach its orchestrator before it ends by itself. The time must exceed a pause of
/// the network or of the orchestrator.
inline constexpr Duration orchestrator_grace = std::chrono::seconds(60);
/// Time for which the instance tries to reach an orchestrator that said goodbye, and for which a failed instance waits
/// for EndInstance.
inline constexpr Duration last_word_grace = std::chrono::seconds(5);
/// Maximum number of reports that an instance keeps; the oldest are dropped. The limit covers orchestrator_grace at
/// more than a thousand steps a second.
inline constexpr std::size_t kept_reports = 100'000;
/// Maximum size of the kept reports when encoded in messages, in bytes. A report is large if its task has many heads.
/// The newest report is always kept.
inline constexpr std::size_t kept_report_bytes = 16u << 20;
/// Maximum number of snapshot reports kept; the oldest are dropped. A checkpoint needs the snapshots of one step, and
/// only the newest steps can still become checkpoints.
inline constexpr std::size_t kept_snapshots = 4;

}  // namespace divisi::control::inline agent
