// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "agents/data/dataset.h"
#include "agents/instance/deferred_operations.h"
#include "agents/instance/orders.h"
#include "agents/instance/pack.h"
#include "agents/instance/result_keys.h"
#include "agents/instance/results.h"
#include "agents/segment/executor.h"
#include "backend/control/types/types.h"
#include "backend/plan/data_demand.h"
#include "backend/plan/interpreter.h"
#include "backend/task/compile.h"

namespace divisi::instance {

/// Sends the engine's tensors. Called on the engine's thread; must not block for long.
class Outlet {
public:
    virtual ~Outlet() = default;
    /// Sends a tensor to the instance at the other end of its channel.
    virtual void send(const plan::TensorKey& key, graph::HostTensor tensor) = 0;
    /// Sends a tensor that depends only on what `content` names, so that routers may cache it.
    virtual void send(const plan::TensorKey& key, graph::HostTensor tensor, const frame::ContentKey& /*content*/) {
        send(key, std::move(tensor));
    }
    /// Offers such a tensor before it is computed. A router delivers it to its consumer; otherwise declined() asks for
    /// it.
    virtual void offer(const plan::TensorKey& /*key*/, const frame::ContentKey& /*content*/) {}
    /// Tells the sender of a tensor that its slot is free again.
    virtual void release(const plan::TensorKey& key) = 0;
    /// Asks for exactly these micro-batches of data; used only if data instances are dealt. `bytes`: size of the last
    /// one received.
    virtual void ask(std::vector<frame::DataPlace> /*places*/, std::int64_t /*bytes*/) {}
};

/// Times of one operation. The unit waited from `ready` to `begin` (plan::Ended); until `arrived`, it waited for a
/// tensor of another instance. `worked` is the part between begin and end that the executor or the data took.
struct OperationTimes {
    std::int32_t unit = 0;  ///< stage, or plan::data_unit
    plan::Ended ended;
    TimePoint arrived{};  ///< when the last input from another instance arrived; zero if there was none
    Duration worked{};
};

/// A step whose operations an instance has all finished.
struct Passed {
    std::int64_t step = 0;
    std::int64_t samples = 0;        ///< samples of the data used up to and including this step
    std::optional<float> loss = {};  ///< set on the instance that computes the loss
};

/// Receives the engine's reports. Called on the engine's thread.
class Listener {
public:
    virtual ~Listener() = default;
    virtual void operation_ended(const OperationTimes& times) = 0;
    virtual void passed(const Passed& /*step*/) {}
    /// Called when a stage's step has ended successfully. Until this returns, the executor still has the state on which
    /// later steps depend.
    virtual void stepped(std::int64_t /*step*/, const segment::Executor& /*executor*/) {}
    virtual void step_done(const control::StepRecord& record) = 0;  ///< called on the instance that computes the loss
    virtual void evaluated(const control::EvalRecord& record) = 0;  ///< called on the instance that computes the loss
    /// Reports an error that does not end the training.
    virtual void trouble(const Error& error) = 0;
};

struct EngineConfig {
    std::shared_ptr<const task::CompiledPlan> plan;
    std::int32_t stage = 0;     ///< plan::data_unit: only the data unit
    bool data = false;          ///< runs the data unit
    bool dealt = false;         ///< the data unit sends what order() names, without a program; stages ask for it
    data::DatasetSpec dataset;  ///< used if `data`
    segment::WeightReader read_weight;
    Generation generation = 1;
    std::filesystem::path results;             ///< of a batch task: the file for its results
    std::set<std::int32_t> far_channels = {};  ///< channels whose consumers are behind gateways
    std::string fingerprint = {};              ///< identifies this machine; see ResultKeys
    bool restored = false;                     ///< the segment's state is restored before it runs
};

/// Runs the units of one instance on one thread: the data unit, a stage, or both. Each unit is run by the interpreter
/// of backend/plan, with the same static programs that the simulator uses. deliver(), freed() and stop() are
/// thread-safe; call the others on the running thread.
class Engine {
public:
    Engine(EngineConfig config, const Clock& clock, Outlet& outlet, Listener& listener);
    ~Engine();

    /// Loads the segment, unless `loaded` is given, and opens the data. All errors of loading are reported here, before
    /// anything starts.
    Result<void> prepare(std::unique_ptr<segment::Executor> loaded = nullptr);
    /// Returns the number of micro-batches of one evaluation; none if this instance has no data. Other instances
    /// receive the number before run().
    std::optional<std::int32_t> evaluation_microbatches() const;
    /// Returns the number of samples of a batch task's data; none if this instance has no data.
    std::optional<std::int64_t> batch_samples() const;

    /// Runs to the last step, or until stop(). Fails with the first error of an operation or a peer.
    Result<void> run(const plan::Begin& begin);
    /// Returns the last step of the batch task whose results this instance has written; valid after the run.
    std::optional<std::int64_t> results_step() const;

    void deliver(const plan::TensorKey& key, graph::HostTensor tensor);
    void freed(const plan::TensorKey& key);
    /// Reports that no router has this offered tensor, so that it must be computed.
    void declined(const plan::TensorKey& key);
    /// Tells this data instance which micro-batches to send: see Orders::take.
    void order(const frame::End& consumer, std::int32_t stage, frame::Demand demand);
    void stop();
    /// Holds the stage: it begins nothing beyond the end of this step until the next call; 0: no hold. A data unit is
    /// not held, and reads ahead as far as it has slots.
    void hold(std::int64_t after);
    /// Returns the step whose end the executor's state represents, after the run. None if the run stopped within a
    /// step, or ended no step.
    std::optional<std::int64_t> stands_after() const { return stands_after_; }

    /// Returns the executor, for reading weights after the run; null on a data instance.
    segment::Executor* executor() { return executor_.get(); }
    /// Transfers the executor to the caller, after the run. The engine must not be used afterwards.
    std::unique_ptr<segment::Executor> take_executor() { return std::move(executor_); }
    /// Returns the shares of busy and waiting time since the last call, and current memory. May be called from another
    /// thread while the engine runs.
    control::InstanceLoad measure();
    /// Totals since the start, and what is held now. Thread-safe; unlike measure(), reading changes nothing.
    struct Work {
        std::int64_t step = 0;     ///< the last finished step
        std::int64_t steps = 0;    ///< number of finished steps
        std::int64_t samples = 0;  ///< samples in these steps
        Duration busy{};           ///< computing time
        std::int64_t served = 0;   ///< dealt micro-batches that it has sent
        std::int64_t spared = 0;   ///< operations skipped because routers had their results
        std::int64_t held = 0;     ///< received tensors that are not released yet
        std::int64_t slots = 0;    ///< slots at other instances for the tensors it sends; 0: a dealt data instance
        std::int64_t taken = 0;    ///< slots in use
    };
    Work work() const;
    bool stopped() const { return stop_requested_; }
    /// The ends (stages, or plan::data_unit) whose tensors or free slots the engine waits for now, and for how long it
    /// has waited. Thread-safe.
    struct Awaited {
        std::set<std::int32_t> ends;
        Duration time{};
    };
    Awaited awaited() const;

private:
    struct Unit;
    struct Held {
        graph::HostTensor tensor;
        TimePoint arrived{};  ///< zero: computed in this instance
    };
    struct Arrived {
        plan::TensorKey key;
        Held held;
    };
    struct Freed {
        plan::TensorKey key;
    };
    struct Declined {
        plan::TensorKey key;
    };
    struct Ordered {
        frame::End consumer;
        frame::Demand demand;
    };
    using Mail = std::variant<Arrived, Freed, Declined, Ordered>;

    Result<void> open_data();
    Result<void> load_segment();
    bool is_batch() const { return config_.plan->programs->length.over_data(); }
    Result<void> feed(Unit& unit, const plan::InterpreterEvent& event);
    bool may_run(const Unit& unit) const;
    Result<void> take_mail(bool block);
    std::set<std::int32_t> awaited_ends();
    Result<void> handle(Mail& mail);
    Unit* unit_of(std::int32_t instance);
    Result<void> execute(Unit& unit, const plan::Start& start);
    Result<std::vector<graph::HostTensor>> run_operation(Unit& unit, const plan::Start& start,
                                                         std::vector<graph::HostTensor> inputs);
    Result<void> look_for_reuse();
    bool withhold(const plan::Start& start, const std::vector<graph::HostTensor>& inputs);
    Result<void> run_declined();
    Result<std::vector<graph::HostTensor>> perform(Unit& unit, const plan::Start& start,
                                                   std::vector<graph::HostTensor> inputs);
    Result<void> check_column(const graph::Value& value, const data::Column& column) const;
    Result<void> serve();
    Result<void> serve(const Orders::Item& item);
    Result<data::Batch> read(const frame::DataPlace& place) const;
    void note_data(const plan::TensorKey& key, const graph::HostTensor& tensor);
    void say_demand();
    Result<std::vector<graph::HostTensor>> load_samples(const plan::Start& start);
    Result<std::vector<graph::HostTensor>> preprocess(const plan::Start& start);
    Result<std::vector<graph::HostTensor>> share_gradients(const plan::Start& start);
    Result<std::vector<graph::HostTensor>> finish_gradients(const plan::Start& start,
                                                            const std::vector<graph::HostTensor>& inputs);
    Result<std::vector<graph::HostTensor>> optimizer_step(const plan::Start& start,
                                                          const std::vector<graph::HostTensor>& inputs);
    Result<std::vector<graph::HostTensor>> evaluate(const std::vector<graph::HostTensor>& inputs);
    Result<std::vector<graph::HostTensor>> infer(const plan::Start& start,
                                                 const std::vector<graph::HostTensor>& inputs);
    std::int64_t samples_in(std::int64_t step) const;
    void passed(std::int64_t step);
    Result<void> batch_finished();
    template <typename Record>
    void score(const std::vector<Score>& scores, Record& record) const;
    void count_slots();
    void take_slot(const plan::TensorKey& key);
    void send(const plan::TensorKey& key);
    void release(const plan::TensorKey& key);
    Result<void> step_finished(std::int64_t step);
    Result<void> evaluation_finished(std::int64_t step);
    Result<void> judge(const std::optional<Error>& nonfinite, bool& known);
    Result<void> check_weights();

    EngineConfig config_;
    const Clock& clock_;
    Outlet& outlet_;
    Listener& listener_;
    std::unique_ptr<segment::Executor> executor_;
    std::unique_ptr<const data::Dataset> dataset_;
    std::vector<std::unique_ptr<Unit>> units_;
    std::optional<plan::DataDemand> demand_;              ///< set for a stage whose data are dealt
    std::map<std::int32_t, std::int64_t> channel_bytes_;  ///< size of the last received tensor, by channel
    Orders orders_;                                       ///< for a data instance
    std::map<std::uint64_t, std::int32_t> order_stages_;  ///< stage of each consumer, by flow_id; guarded by the mutex

    // Tensors that wait for their operation, and tensors that were just computed and will be sent.
    std::map<plan::TensorKey, Held> arrived_;
    std::map<plan::TensorKey, graph::HostTensor> made_;
    std::set<plan::TensorKey> sent_;    ///< tensors that occupy slots at other instances
    OperationTimes times_;              ///< of the current operation
    std::optional<data::Batch> batch_;  ///< between load and preprocess
    std::vector<segment::NormShare> own_shares_;
    float step_loss_ = 0;
    std::int64_t samples_ = 0;               ///< samples of a batch task's data
    std::optional<ResultKeys> result_keys_;  ///< set for a stage of a batch task whose results routers may cache
    DeferredOperations deferred_;
    std::optional<Results> results_;   ///< of a batch task, on the instance that has its outputs
    std::vector<Score> batch_scores_;  ///< scores of the last step of a batch task
    TimePoint last_step_end_{};
    std::vector<float> step_head_losses_;  ///< multi-task only
    /// the last figure was not a number, and this was reported
    bool loss_is_wrong_ = false, evaluation_is_wrong_ = false;
    std::vector<double> eval_sums_;  ///< sums of the loss, then of each figure in segment_config()'s metrics
    std::int32_t eval_count_ = 0;

    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Mail> mailbox_;
    struct Doing {
        std::string what;
        TimePoint since;
    };
    std::optional<Doing> doing_;      ///< the current operation; guarded by the mutex too
    std::set<std::int32_t> awaited_;  ///< set while the engine waits; guarded by the mutex too
    TimePoint awaiting_since_{};
    std::atomic<bool> stop_requested_ = false;
    std::atomic<std::int64_t> held_after_ = 0;  ///< 0: not held
    bool hold_changed_ = false;                 ///< guarded by the mutex
    std::optional<std::int64_t> stands_after_;

    // Atomic because measure() and work() read them on other threads.
    std::atomic<std::int64_t> busy_ns_ = 0, step_now_ = 0, sent_bytes_ = 0, received_bytes_ = 0, served_ = 0;
    std::atomic<std::int64_t> spared_ = 0, steps_done_ = 0, samples_done_ = 0, held_ = 0, slots_ = 0, taken_slots_ = 0;
    std::atomic<std::int64_t> parameters_ = 0, gradients_ = 0, optimizer_ = 0, activations_ = 0;
    /// peak since the last measure(), because the current value would miss a peak between two calls
    std::atomic<std::int64_t> peak_activations_ = 0;
    std::int64_t measured_busy_ns_ = 0;
    TimePoint measured_at_{};
};

/// Returns where a file of the task is on this machine, by its purpose (task::data_files) and its path in the task
/// file.
using PathResolver = std::function<Result<std::string>(const std::string& purpose, const std::string& path)>;

/// Returns the data set that a task's [data] section describes, in the shape of the model's first input.
Result<data::DatasetSpec> dataset_spec(const task::CompiledPlan& plan, const PathResolver& resolve);

/// Returns the data column that feeds a graph input: as [model.inputs] maps it, else "input", or "input/NAME" if there
/// are several inputs. For the loss it is "target"; for the losses of several heads, the column that [model.targets]
/// gives.
std::string column_of(const task::CompiledPlan& plan, graph::ValueIndex input);

/// Returns the executor's configuration for one stage of a plan.
segment::SegmentConfig segment_config(const task::CompiledPlan& plan, std::int32_t stage);

}  // namespace divisi::instance
