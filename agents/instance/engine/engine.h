// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agents/data/dataset.h"
#include "agents/instance/engine/batch_results.h"
#include "agents/instance/engine/data_reader.h"
#include "agents/instance/engine/data_requests.h"
#include "agents/instance/engine/deferred_operations.h"
#include "agents/instance/engine/listener.h"
#include "agents/instance/engine/load_meter.h"
#include "agents/instance/engine/mailbox.h"
#include "agents/instance/engine/orders.h"
#include "agents/instance/engine/outlet.h"
#include "agents/instance/engine/result_keys.h"
#include "agents/instance/engine/stage_operations.h"
#include "agents/instance/engine/step_records.h"
#include "agents/instance/engine/tensor_table.h"
#include "agents/instance/engine/units.h"
#include "backend/task/compile.h"

namespace divisi::instance {

struct EngineConfig {
    std::shared_ptr<const task::CompiledPlan> plan;
    std::int32_t stage = 0;     ///< stage to run; plan::data_unit: only the data unit
    bool data = false;          ///< whether the instance runs the data unit
    bool dealt = false;         ///< whether the task has data instances: its data unit then has no program, and sends
                                ///< what order() requests
    data::DatasetSpec dataset;  ///< data set to read, if `data`
    segment::WeightReader read_weight;
    Generation generation = 1;
    std::filesystem::path results;             ///< result file of a batch task
    std::set<std::int32_t> far_channels = {};  ///< channels whose consumers are behind gateways
    std::string fingerprint = {};              ///< text that identifies this machine; see ResultKeys
    bool restored = false;                     ///< whether the segment's state is restored before it runs
};

/// Runs the units of one instance on one thread: the data unit, a stage, or both. Each unit is run by the interpreter
/// of backend/plan, with the same static programs that the simulator uses. The engine passes each event to the part
/// that handles it. deliver(), freed(), declined(), order(), stop(), hold(), measure(), work(), stopped() and
/// awaited() are thread-safe; call the other functions on the thread of run().
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
    void freed(const plan::TensorKey& key) { mailbox_.freed(key); }
    /// Reports that no router has this offered tensor, so the tensor must be computed.
    void declined(const plan::TensorKey& key) { mailbox_.declined(key); }
    /// Sets the micro-batches that this data instance must send to a consumer; see Orders::take.
    void order(const frame::End& consumer, std::int32_t stage, frame::Demand demand) {
        mailbox_.order(consumer, stage, std::move(demand));
    }
    void stop() { mailbox_.stop(); }
    /// Holds the stage after this step: until the next call of hold(), the stage begins no operation of later steps. 0:
    /// the stage is not held. A data unit is not held, and reads ahead as far as it has free slots.
    void hold(std::int64_t after) { mailbox_.hold(after); }
    /// Returns the step after which the executor had its present state; call this function after the run. Returns none
    /// if the run stopped within a step or finished no step.
    std::optional<std::int64_t> stands_after() const { return stands_after_; }

    /// Returns the executor, for reading weights after the run; null on a data instance.
    segment::Executor* executor() { return stage_ ? stage_->executor() : nullptr; }
    /// Transfers the executor to the caller, after the run. The engine must not be used afterwards.
    std::unique_ptr<segment::Executor> take_executor();
    /// Returns the shares of busy and waiting time since the last call, and current memory.
    control::InstanceLoad measure() { return meter_.measure(clock_.now()); }
    /// Returns the totals since the start, and the tensors and slots held now. Unlike measure(), changes no counters.
    EngineWork work() const { return meter_.work(); }
    bool stopped() const { return mailbox_.stopped(); }
    Mailbox::Awaited awaited() const { return mailbox_.awaited(); }

private:
    using Tensors = std::vector<graph::HostTensor>;

    Result<void> load_segment(std::unique_ptr<segment::Executor> loaded);
    bool is_batch() const { return config_.plan->programs->length.over_data(); }
    bool serves_data() const { return config_.dealt && config_.data; }
    bool computes_loss() const { return config_.stage == config_.plan->loss_stage(); }
    Result<void> take_mail(bool block);
    Result<void> handle(Mailbox::Mail& mail);
    Result<void> feed(Unit& unit, const plan::InterpreterEvent& event);
    Result<void> execute(Unit& unit, const plan::Start& start);
    Result<Tensors> run_operation(std::int32_t unit, const plan::Start& start, Tensors inputs);
    Result<Tensors> perform(const plan::Start& start, Tensors inputs);
    Result<Tensors> evaluate(const plan::Start& start, const Tensors& inputs);
    bool withhold(const plan::Start& start, const Tensors& inputs);
    Result<void> run_declined();
    Result<void> serve();
    Result<void> serve(const DealtData::Item& item);
    void say_demand();
    void send(const plan::TensorKey& key);
    void release(const plan::TensorKey& key);
    void passed(std::int64_t step);
    Result<void> step_finished(std::int64_t step);
    Result<void> evaluation_finished(std::int64_t step);
    Result<void> batch_finished();

    EngineConfig config_;
    const Clock& clock_;
    Outlet& outlet_;
    Listener& listener_;
    std::optional<StageOperations> stage_;  ///< set once the segment is loaded
    std::optional<DataReader> data_;        ///< set once the data are open
    Mailbox mailbox_;
    LoadMeter meter_;
    Units units_;
    TensorTable tensors_;
    StepRecords records_;
    std::optional<DataRequests> requests_;   ///< requests of a stage to data instances
    DealtData dealt_;                        ///< requests that a data instance received and must answer
    std::optional<ResultKeys> result_keys_;  ///< for a stage of a batch task whose results routers may cache
    DeferredOperations deferred_;
    std::optional<BatchResults> results_;  ///< results of a batch task, on the instance that has the outputs
    OperationTimes times_;                 ///< times of the current operation
    std::optional<std::int64_t> stands_after_;
};

}  // namespace divisi::instance
