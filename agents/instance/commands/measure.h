// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agents/instance/commands/background_load.h"
#include "agents/instance/commands/stretch.h"
#include "agents/instance/commands/trial.h"
#include "backend/base/result.h"
#include "backend/price/cost_model.h"

namespace divisi::instance {

/// Measured prices by operator_key().
using Prices = std::map<std::string, price::OperatorProfile>;

/// Measures the operators of a model while they train in stretches, each of which consists of consecutive operators.
/// Each stretch runs alone, and in parallel with background processes that train the same stretch on the other cores.
/// Runs with and without background processes alternate, so that a change of the machine's speed affects both.
class Measurement {
public:
    /// Starts a measurement; call it before any use of LibTorch in this process.
    static Result<Measurement> start(MeasuredModel model, TrialOptions options);

    std::size_t stretches() const { return stretches_->size(); }
    /// Returns the distinct operators of a stretch, each with one of its nodes.
    std::map<std::string, graph::NodeIndex> operators(std::size_t stretch) const;
    /// Returns the number of cores in use while background processes compute; 0: there are no such processes.
    double crowded_cores() const {
        return background_load_.count() > 0 ? (background_load_.count() + 1) * options_.threads : 0;
    }

    /// Returns the device's rates from a large matrix product, a large sum, a large tanh and many tiny sums. These
    /// rates price operators that were never measured.
    Result<price::DeviceRates> rates();
    /// Returns medians over several steps after a warm-up, with the distance between the quartiles. Equal operators of
    /// a stretch have one price, from their mean time.
    Result<Prices> measure(std::size_t stretch);

private:
    /// Time that the stopwatch adds to every operator.
    struct Surplus {
        double forward = 0, backward = 0;
    };
    struct Samples;
    using Parts = std::vector<std::vector<graph::NodeIndex>>;

    Measurement(std::shared_ptr<const MeasuredModel> model, std::shared_ptr<const Parts> stretches,
                std::vector<bool> gradient, std::vector<std::string> keys, TrialOptions options, BackgroundLoad load)
        : model_(std::move(model)),
          stretches_(std::move(stretches)),
          gradient_(std::move(gradient)),
          keys_(std::move(keys)),
          options_(std::move(options)),
          background_load_(std::move(load)) {}

    Result<void> measure_small_things();
    Result<double> forward_seconds(const MeasuredModel& model) const;
    void add(const Stretch& stretch, const Trial& trial, std::map<std::string, Samples>& samples,
             std::vector<double> Samples::*forward, std::vector<double> Samples::*backward) const;
    price::OperatorProfile profile_of(graph::NodeIndex node, const Samples& samples) const;

    std::shared_ptr<const MeasuredModel> model_;
    std::shared_ptr<const Parts> stretches_;
    std::vector<bool> gradient_;     ///< graph::needs_gradient() of each value of the model
    std::vector<std::string> keys_;  ///< key of each node of the model in the profile store
    TrialOptions options_;
    BackgroundLoad background_load_;
    Surplus surplus_;
    price::DeviceRates small_;  ///< rates from small tensors: has dispatch_s, pass_s and call_s
};

}  // namespace divisi::instance
