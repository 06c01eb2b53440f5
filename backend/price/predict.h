// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/base/units.h"
#include "backend/plan/partition.h"
#include "backend/plan/schedule.h"
#include "backend/plan/task_graph.h"
#include "backend/plan/training_graph.h"
#include "backend/price/cost_model.h"
#include "backend/price/predicted_stage.h"
#include "backend/price/simulator.h"

namespace divisi::price {

/// A device that a stage runs on.
struct PlannedDevice {
    std::string name;                              ///< "mic-1/node-2 cpu", for messages and tables
    std::shared_ptr<const DeviceProfile> profile;  ///< never null
    std::optional<Bytes> memory;                   ///< empty: not checked
    std::int32_t host = 0;                         ///< in Placement::hosts
    double threads = 1;
    std::string node;      ///< "mic-1/node-2", as tasks name it; empty: none has a name for it
    bool secure = true;    ///< may run operators that a task marks as sensitive
    std::int32_t mic = 0;  ///< as LinkEnd has it

    LinkEnd end() const { return {host, mic}; }
};

/// Where a plan runs.
struct Placement {
    std::vector<PlannedDevice> stages;  ///< device of each stage, in order
    std::optional<PlannedDevice> data;  ///< empty: the data unit runs on the thread of stage 0
    /// Of each data instance; empty: none is dealt micro-batches. Where there are any, `data` counts for nothing.
    std::vector<PlannedDevice> dealt = {};
    std::vector<HostModel> hosts;
    Links links;
};

/// Every stage on a host and a device of its own, with default rates and links: what a plan costs while nothing
/// is known of the cluster.
Placement default_placement(std::int32_t stages, const std::string& device = "cpu", double threads = 1);

/// How the plan is run.
struct TrainingSetup {
    std::string schedule = "1f1b";
    std::int32_t microbatches = 1;
    std::int32_t optimizer_states = 0;  ///< as in TaskGraphOptions
    bool clip = false;
    bool recompute = false;
    std::int32_t slots = 0;     ///< of every channel, as in make_programs(); landscapes assume 0
    bool forward_only = false;  ///< a batch, as RunLength::over_data; landscapes and searches price training
};

/// The graph that is trained, priced once per device type. Cuts, devices and schedules are composed from it.
/// Keeps references to both graphs. Not thread-safe.
class Pricing {
public:
    Pricing(const plan::TrainingGraph& training, const graph::GraphCost& cost) : training_(training), cost_(cost) {}

    const plan::TrainingGraph& training() const { return training_; }
    const graph::Graph& graph() const { return training_.graph; }
    const graph::GraphCost& cost() const { return cost_; }
    /// The graph on that device type, never null. The first call for a profile (by identity) prices the graph and
    /// keeps the profile; it fails as check_profile() does.
    Result<const PricedGraph*> on(const std::shared_ptr<const DeviceProfile>& profile);

private:
    const plan::TrainingGraph& training_;
    const graph::GraphCost& cost_;
    std::map<std::shared_ptr<const DeviceProfile>, PricedGraph> priced_;
};

/// A path through the mesh that a plan uses.
struct PathUse {
    std::int32_t from = 0, to = 0;  ///< stages; plan::data_unit: where data are loaded
    MeshPath path;
    Bytes largest = 0;  ///< tensor that goes there
};

/// Everything the predictions of a plan say; divisictl plan, the planner and the console show the same.
struct Prediction {
    double step_ms = 0;
    bool steady = false;        ///< two simulated steps took equally long
    double profiled_share = 0;  ///< share of the stages' computing that was measured, the rest comes from rates
    std::vector<PredictedStage> stages;
    double data_ms = 0;   ///< the data unit's work in one step, or that of all data instances, each as the slowest
    PredictedData dealt;  ///< what data instances do
    /// Source of the least certain link that the plan uses; empty if it uses none.
    std::optional<LinkSource> link_source;
    std::vector<PathUse> paths;  ///< by their stages
    Simulation simulation;
};

/// A plan as the simulator takes it.
Result<SimulatedPlan> price_plan(Pricing& pricing, const plan::Partition& partition, const Placement& placement,
                                 const TrainingSetup& setup);

/// Predicts a step of a plan by full simulation. Fails (invalid_input) for an unknown schedule, fewer devices
/// than stages, a device on an unknown host, or a profile or link that is no time. A stage that does not fit its
/// device is no error here: see PredictedStage::fits() and check_memory().
Result<Prediction> predict(Pricing& pricing, const plan::Partition& partition, const Placement& placement,
                           const TrainingSetup& setup, const SimulateOptions& options = {});

/// Seconds of a stage's operations from the price of its operators and the bytes of its trainable weights.
StageSeconds stage_seconds(const SegmentPrice& price, const DeviceRates& rates, Bytes trainable,
                           const TrainingSetup& setup);

/// Seconds of the data unit's operations, when the graph takes `bytes` of a micro-batch from the data: reading copies
/// them, preprocessing reads and writes them. No profile has a figure of its own for it.
DataSeconds data_seconds(Bytes bytes, const DeviceRates& rates);

}  // namespace divisi::price
