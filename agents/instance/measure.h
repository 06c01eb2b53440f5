// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agents/instance/companions.h"
#include "agents/instance/stretch.h"
#include "agents/instance/trial.h"
#include "backend/base/result.h"
#include "backend/price/cost_model.h"

namespace divisi::instance {

/// Operators by operator_key().
using Prices = std::map<std::string, price::OperatorProfile>;

/// Measures the operators of a model where they stand, while it trains: stretch by stretch, once alone and once while
/// companions train the same on the other cores, in turn, so that a machine that gets slower or faster meanwhile does
/// not look like a property of either.
class Measurement {
public:
    /// To be called before anything of LibTorch runs in this process.
    static Result<Measurement> start(MeasuredModel model, TrialOptions options);

    std::size_t stretches() const { return stretches_->size(); }
    /// The distinct operators of a stretch, with a node each.
    std::map<std::string, graph::NodeIndex> operators(std::size_t stretch) const;
    /// Cores that compute while the companions do; 0: none do.
    double crowded_cores() const { return companions_.count() > 0 ? (companions_.count() + 1) * options_.threads : 0; }

    /// What the device does in a second with a large matrix product, a large sum and many tiny ones: what
    /// operators cost that were never measured.
    Result<price::DeviceRates> rates();
    /// Medians over several steps after a warm-up, with the distance between the quartiles; of equal operators the
    /// mean.
    Result<Prices> measure(std::size_t stretch);

private:
    /// What the stopwatch adds to every operator.
    struct Surplus {
        double forward = 0, backward = 0;
    };
    struct Samples;
    using Parts = std::vector<std::vector<graph::NodeIndex>>;

    Measurement(std::shared_ptr<const MeasuredModel> model, std::shared_ptr<const Parts> stretches,
                std::vector<bool> gradient, std::vector<std::string> keys, TrialOptions options, Companions companions)
        : model_(std::move(model)),
          stretches_(std::move(stretches)),
          gradient_(std::move(gradient)),
          keys_(std::move(keys)),
          options_(std::move(options)),
          companions_(std::move(companions)) {}

    Result<void> measure_small_things();
    Result<double> forward_seconds(const MeasuredModel& model) const;
    void add(const Stretch& stretch, const Trial& trial, std::map<std::string, Samples>& samples,
             std::vector<double> Samples::*forward, std::vector<double> Samples::*backward) const;
    price::OperatorProfile profile_of(graph::NodeIndex node, const Samples& samples) const;

    std::shared_ptr<const MeasuredModel> model_;
    std::shared_ptr<const Parts> stretches_;
    std::vector<bool> gradient_;     ///< by value of the model: graph::needs_gradient()
    std::vector<std::string> keys_;  ///< by node of the model
    TrialOptions options_;
    Companions companions_;
    Surplus surplus_;
    price::DeviceRates small_;  ///< dispatch_s, pass_s and call_s
};

}  // namespace divisi::instance
