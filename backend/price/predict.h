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

/// A device that runs a stage.
struct PlannedDevice {
    std::string name;                              ///< "mic-1/node-2 cpu", for messages and tables
    std::shared_ptr<const DeviceProfile> profile;  ///< never null
    std::optional<Bytes> memory;                   ///< empty: memory is not checked
    std::int32_t host = 0;                         ///< index into Placement::hosts
    double threads = 1;
    std::string node;      ///< "mic-1/node-2", as tasks name it; empty: no node name is known
    bool secure = true;    ///< may run operators that a task marks as sensitive
    std::int32_t mic = 0;  ///< see LinkEnd

    LinkEnd end() const { return {host, mic}; }
};

/// The devices that a plan runs on.
struct Placement {
    std::vector<PlannedDevice> stages;  ///< the device of each stage, in order
    std::optional<PlannedDevice> data;  ///< empty: the data unit runs on the thread of stage 0
    /// Devices of the data instances; empty if the plan has none. If not empty, `data` is ignored.
    std::vector<PlannedDevice> dealt = {};
    std::vector<HostModel> hosts;
    Links links;
};

/// Returns a placement for an unknown cluster: every stage has its own host and device, with default rates and links.
Placement default_placement(std::int32_t stages, const std::string& device = "cpu", double threads = 1);

/// Settings of the run.
struct TrainingSetup {
    std::string schedule = "1f1b";
    std::int32_t microbatches = 1;
    std::int32_t optimizer_states = 0;  ///< see TaskGraphOptions
    bool clip = false;
    bool recompute = false;
    std::int32_t slots = 0;     ///< slots of every channel, as in make_programs(); landscapes assume 0
    bool forward_only = false;  ///< a batch task, like RunLength::over_data; landscapes and searches price training
};

/// The training graph, priced once per device type. Prices of cuts, devices and schedules are composed from it. Keeps
/// references to both graphs. Not thread-safe.
class Pricing {
public:
    Pricing(const plan::TrainingGraph& training, const graph::GraphCost& cost) : training_(training), cost_(cost) {}

    const plan::TrainingGraph& training() const { return training_; }
    const graph::Graph& graph() const { return training_.graph; }
    const graph::GraphCost& cost() const { return cost_; }
    /// Returns the graph priced for a device type, never null. The first call for a profile (by identity) computes the
    /// prices and keeps the profile. That call fails under the same conditions as check_profile().
    Result<const PricedGraph*> on(const std::shared_ptr<const DeviceProfile>& profile);

private:
    const plan::TrainingGraph& training_;
    const graph::GraphCost& cost_;
    std::map<std::shared_ptr<const DeviceProfile>, PricedGraph> priced_;
};

/// A path through the mesh that a plan uses.
struct PathUse {
    std::int32_t from = 0, to = 0;  ///< stages; plan::data_unit: the place where data is loaded
    MeshPath path;
    Bytes largest = 0;  ///< the largest tensor sent on it
};

/// All predicted figures of a plan. divisictl plan, the planner and the console show the same figures.
struct Prediction {
    double step_ms = 0;
    bool steady = false;        ///< two simulated steps took the same time
    double profiled_share = 0;  ///< measured share of the stages' computing time; the rest is computed from rates
    std::vector<PredictedStage> stages;
    /// time that the data unit works in one step; with data instances, the time that the slowest instance would need
    /// for the work of all instances
    double data_ms = 0;
    PredictedData dealt;  ///< work of the data instances
    /// Source of the least certain link that the plan uses; empty if it uses no link.
    std::optional<LinkSource> link_source;
    std::vector<PathUse> paths;  ///< sorted by their stages
    Simulation simulation;
};

/// Returns the plan as input of the simulator.
Result<SimulatedPlan> price_plan(Pricing& pricing, const plan::Partition& partition, const Placement& placement,
                                 const TrainingSetup& setup);

/// Predicts a step of a plan by full simulation. Fails (invalid_input) for an unknown schedule, if the numbers of
/// devices and stages differ, for a device on an unknown host, and for a profile or link with an invalid time. A stage
/// that needs more memory than its device has is not an error here: see PredictedStage::fits() and check_memory().
Result<Prediction> predict(Pricing& pricing, const plan::Partition& partition, const Placement& placement,
                           const TrainingSetup& setup, const SimulateOptions& options = {});

/// Returns the seconds of a stage's operations, from the price of its operators and the bytes of its trainable weights.
StageSeconds stage_seconds(const SegmentPrice& price, const DeviceRates& rates, Bytes trainable,
                           const TrainingSetup& setup);

/// Returns the seconds of the data unit's operations for `bytes` of data per micro-batch. Reading copies the bytes;
/// preprocessing reads and writes them. No profile has a measured figure for this.
DataSeconds data_seconds(Bytes bytes, const DeviceRates& rates);

}  // namespace divisi::price
