// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agents/instance/background_load.h"
#include "agents/instance/stretch.h"
#include "agents/instance/trial.h"
#include "backend/base/result.h"
#include "backend/price/cost_model.h"

namespace divisi::instance {

/// Measured prices by operator_key().
using Prices = std::map<std::string, price::OperatorProfile>;

/// Measures the operators of a model in place, while it trains. Each stretch runs alone, and in parallel with
/// companions that train the same on the other cores. The two kinds of runs alternate, so that a change of the
/// machine's speed does not look like a property of one kind.
class Measurement {
public:
    /// Starts a measurement; call it before any use of LibTorch in this process.
    static Result<Measurement> start(MeasuredModel model, TrialOptions options);

    std::size_t stretches() const { return stretches_->size(); }
    /// Returns the distinct operators of a stretch, each with one of its nodes.
    std::map<std::string, graph::NodeIndex> operators(std::size_t stretch) const;
    /// Returns the number of cores in use while companions compute; 0: there are none.
    double crowded_cores() const {
        return background_load_.count() > 0 ? (background_load_.count() + 1) * options_.threads : 0;
    }

    /// Returns the device's rates from a large matrix product, a large sum, a large tanh and many tiny sums. These
    /// rates price operators that were never measured.
    Result<price::DeviceRates> rates();
    /// Returns medians over several steps after a warm-up, with the distance between the quartiles; equal operators are
    /// averaged.
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
    std::vector<bool> gradient_;     ///< for each value of the model: graph::needs_gradient()
    std::vector<std::string> keys_;  ///< for each node of the model
    TrialOptions options_;
    BackgroundLoad background_load_;
    Surplus surplus_;
    price::DeviceRates small_;  ///< has dispatch_s, pass_s and call_s
};

}  // namespace divisi::instance
