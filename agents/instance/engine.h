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
#include "agents/instance/orders.h"
#include "agents/instance/pack.h"
#include "agents/instance/result_keys.h"
#include "agents/instance/results.h"
#include "agents/instance/withheld.h"
#include "agents/segment/executor.h"
#include "backend/control/types/types.h"
#include "backend/plan/data_demand.h"
#include "backend/plan/interpreter.h"
#include "backend/task/compile.h"

namespace divisi::instance {

/// How tensors leave the engine. Called on the engine's thread; must not block for long.
class Outlet {
public:
    virtual ~Outlet() = default;
    /// Carries a tensor to the instance at the other end of its channel.
    virtual void send(const plan::TensorKey& key, graph::HostTensor tensor) = 0;
    /// The same of a tensor that depends on nothing but what `content` names: routers may keep it.
    virtual void send(const plan::TensorKey& key, graph::HostTensor tensor, const frame::ContentKey& /*content*/) {
        send(key, std::move(tensor));
    }
    /// Such a tensor that is not made yet. It comes to its consumer from a router, or is asked for by declined().
    virtual void offer(const plan::TensorKey& /*key*/, const frame::ContentKey& /*content*/) {}
    /// Tells the sender of a tensor that its slot is free again.
    virtual void release(const plan::TensorKey& key) = 0;
    /// Asks for these micro-batches of the data, and for no others; `bytes`: of the last that came. Only where data
    /// instances are dealt.
    virtual void ask(std::vector<frame::DataPlace> /*places*/, std::int64_t /*bytes*/) {}
};

/// One operation as it ran. From `ready` to `begin` the unit waited (plan::Ended); `arrived` says until when for
/// a tensor of another instance, `worked` how much of begin to end was the executor's or the data's own work.
struct OperationTimes {
    std::int32_t unit = 0;  ///< stage, or plan::data_unit
    plan::Ended ended;
    TimePoint arrived{};  ///< of the last input that another instance sent; zero when there was none
    Duration worked{};
};

/// A step that an instance has finished with all its operations.
struct Passed {
    std::int64_t step = 0;
    std::int64_t samples = 0;        ///< of the data, taken by this step and those before it
    std::optional<float> loss = {};  ///< where it is
};

/// What the engine tells while it runs. Called on the engine's thread.
class Listener {
public:
    virtual ~Listener() = default;
    virtual void operation_ended(const OperationTimes& times) = 0;
    virtual void passed(const Passed& /*step*/) {}
    /// A stage's step has ended well: until this returns, its executor holds what later steps depend on.
    virtual void stepped(std::int64_t /*step*/, const segment::Executor& /*executor*/) {}
    virtual void step_done(const control::StepRecord& record) = 0;  ///< where the loss is
    virtual void evaluated(const control::EvalRecord& record) = 0;  ///< likewise
    /// Something went wrong and the training goes on.
    virtual void trouble(const Error& error) = 0;
};

struct EngineConfig {
    std::shared_ptr<const task::CompiledPlan> plan;
    std::int32_t stage = 0;     ///< plan::data_unit: only the data unit
    bool data = false;          ///< runs the data unit
    bool dealt = false;         ///< the data unit sends what order() names, and no program runs it; stages ask for it
    data::DatasetSpec dataset;  ///< when `data`
    segment::WeightReader read_weight;
    Generation generation = 1;
    std::filesystem::path results;             ///< of a batch: the file that they are written to
    std::set<std::int32_t> far_channels = {};  ///< whose consumers are reached through gateways
    std::string fingerprint = {};              ///< of this machine; see ResultKeys
    bool restored = false;                     ///< the state of its segment is put back before it runs
};

/// Runs the units of one instance on one thread: the data unit, a stage, or both, each by the interpreter
/// of backend/plan over the same static programs that the simulator plays. deliver(), freed() and stop()
/// may be called from any thread; everything else from the one that runs it.
class Engine {
public:
    Engine(EngineConfig config, const Clock& clock, Outlet& outlet, Listener& listener);
    ~Engine();

    /// Loads the segment, unless it comes `loaded`, and opens the data. Every error of theirs comes here, before
    /// anything starts.
    Result<void> prepare(std::unique_ptr<segment::Executor> loaded = nullptr);
    /// Micro-batches of one evaluation, known where the data are: the others are told before run().
    std::optional<std::int32_t> evaluation_microbatches() const;
    /// Samples of a batch's data, likewise.
    std::optional<std::int64_t> batch_samples() const;

    /// Runs to the last step, or until stop(). Fails with the first error of an operation or a peer.
    Result<void> run(const plan::Begin& begin);
    /// The last step of a batch whose results it has written; after the run.
    std::optional<std::int64_t> results_step() const;

    void deliver(const plan::TensorKey& key, graph::HostTensor tensor);
    void freed(const plan::TensorKey& key);
    /// Nobody has this tensor, which was offered.
    void declined(const plan::TensorKey& key);
    /// What this data instance was dealt: see Orders::take.
    void order(const frame::End& consumer, std::int32_t stage, frame::Demand demand);
    void stop();
    /// The stage begins nothing that follows this step's end until it is told otherwise; 0: it goes on. A data unit
    /// reads on as far as there are slots.
    void hold(std::int64_t after);
    /// After the run: of which step's end the executor has the state; none where it was in the middle of one, or has
    /// ended none.
    std::optional<std::int64_t> stands_after() const { return stands_after_; }

    /// The executor, for reading weights after the run; null on a data instance.
    segment::Executor* executor() { return executor_.get(); }
    /// After the run, the last that is asked of the engine.
    std::unique_ptr<segment::Executor> take_executor() { return std::move(executor_); }
    /// Busy and waiting time since the last call, and what is held; any thread.
    control::InstanceLoad measure();
    /// What it has done since it began, and what it holds now; any thread. Unlike measure(), asking changes nothing.
    struct Work {
        std::int64_t step = 0;     ///< the last that it finished
        std::int64_t steps = 0;    ///< that it finished
        std::int64_t samples = 0;  ///< in these steps
        Duration busy{};           ///< computing
        std::int64_t served = 0;   ///< micro-batches that it was dealt and has sent
        std::int64_t spared = 0;   ///< operations that it did not run, since routers had their results
        std::int64_t held = 0;     ///< tensors that came and were not released
        std::int64_t slots = 0;    ///< of tensors at other instances, for what it sends; 0: it is dealt
        std::int64_t taken = 0;    ///< of them, those that its tensors take
    };
    Work work() const;
    bool stopped() const { return stop_requested_; }
    /// Whose tensors or free slots it waits for now (stages, or plan::data_unit), and for how long already; any thread.
    struct Awaited {
        std::set<std::int32_t> ends;
        Duration time{};
    };
    Awaited awaited() const;

private:
    struct Unit;
    struct Held {
        graph::HostTensor tensor;
        TimePoint arrived{};  ///< zero: made here
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
    std::optional<plan::DataDemand> demand_;              ///< of a stage whose data are dealt
    std::map<std::int32_t, std::int64_t> channel_bytes_;  ///< of its tensors, as they came
    Orders orders_;                                       ///< of a data instance
    std::map<std::uint64_t, std::int32_t> order_stages_;  ///< whose they are, by flow_id; behind the mutex

    // Tensors that wait for their operation, and those that an operation made and that are about to be sent.
    std::map<plan::TensorKey, Held> arrived_;
    std::map<plan::TensorKey, graph::HostTensor> made_;
    std::set<plan::TensorKey> sent_;    ///< tensors that take slots at other instances
    OperationTimes times_;              ///< of the operation that runs
    std::optional<data::Batch> batch_;  ///< between load and preprocess
    std::vector<segment::NormShare> own_shares_;
    float step_loss_ = 0;
    std::int64_t samples_ = 0;               ///< of a batch's data
    std::optional<ResultKeys> result_keys_;  ///< of a stage of a batch whose results may be kept by routers
    Withheld withheld_;
    std::optional<Results> results_;   ///< of a batch, where its outputs are
    std::vector<Score> batch_scores_;  ///< of its last step
    TimePoint last_step_end_{};
    std::vector<float> step_head_losses_;                       ///< multi-task only
    bool loss_is_wrong_ = false, evaluation_is_wrong_ = false;  ///< no number, and said so
    std::vector<double> eval_sums_;  ///< of the loss, then of every figure of segment_config()'s metrics
    std::int32_t eval_count_ = 0;

    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Mail> mailbox_;
    struct Doing {
        std::string what;
        TimePoint since;
    };
    std::optional<Doing> doing_;      ///< the operation under way; behind the mutex too
    std::set<std::int32_t> awaited_;  ///< while it waits; behind the mutex too
    TimePoint awaiting_since_{};
    std::atomic<bool> stop_requested_ = false;
    std::atomic<std::int64_t> held_after_ = 0;  ///< 0: not held
    bool hold_changed_ = false;                 ///< behind the mutex
    std::optional<std::int64_t> stands_after_;

    // Read by measure() and work() on other threads.
    std::atomic<std::int64_t> busy_ns_ = 0, step_now_ = 0, sent_bytes_ = 0, received_bytes_ = 0, served_ = 0;
    std::atomic<std::int64_t> spared_ = 0, steps_done_ = 0, samples_done_ = 0, held_ = 0, slots_ = 0, taken_slots_ = 0;
    std::atomic<std::int64_t> parameters_ = 0, gradients_ = 0, optimizer_ = 0, activations_ = 0;
    std::atomic<std::int64_t> peak_activations_ = 0;  ///< since the last measure(): a sample of now would miss it
    std::int64_t measured_busy_ns_ = 0;
    TimePoint measured_at_{};
};

/// Where a file of the task's lies on this machine: by purpose (task::data_files) and the path as the task file
/// has it.
using PathResolver = std::function<Result<std::string>(const std::string& purpose, const std::string& path)>;

/// The data set that a task's [data] section asks for, in the shape that the model's first input has.
Result<data::DatasetSpec> dataset_spec(const task::CompiledPlan& plan, const PathResolver& resolve);

/// The data column that feeds a graph input: as [model.inputs] maps it, else "input", or "input/NAME" where there are
/// several; for the loss "target", for the losses of several heads as [model.targets] maps them.
std::string column_of(const task::CompiledPlan& plan, graph::ValueIndex input);

/// The executor's configuration for one stage of a plan.
segment::SegmentConfig segment_config(const task::CompiledPlan& plan, std::int32_t stage);

}  // namespace divisi::instance
