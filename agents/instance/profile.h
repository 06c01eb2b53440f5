// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/graph/graph.h"
#include "backend/plan/cost_model.h"

namespace divisi::instance {

struct ProfileOptions {
    std::string model;                  ///< zoo:NAME, a FILE.onnx or a TASK.toml
    std::vector<std::string> settings;  ///< --set section.key=value
    std::string device = "cpu";
    int threads = 1;
    std::string store;   ///< the profile store's file
    bool again = false;  ///< measure also what the store has
    bool json = false;
};

/// Measures one operator: forward, input gradient and weight gradient of one micro-batch, each the median of
/// several runs after a warm-up, with the distance between the quartiles. What a pass costs besides its
/// operators is taken out by running one copy and several, in turn. Fails as Trial does.
Result<plan::OperatorProfile> measure_operator(const graph::Graph& graph, graph::NodeIndex node,
                                               const std::vector<bool>& gradient, const std::string& device,
                                               int threads);

/// Measures what the device does in a second with a large matrix product, a large sum and a tiny one: what
/// operators cost that were never measured.
Result<plan::DeviceRates> measure_rates(const std::string& device, int threads);

/// Measures each distinct operator of a model once and stores the times under the device's type, for any cut to
/// be composed from. Prints a line for each, then the totals; with `json` one object a line. Returns the exit
/// status; errors go to `err`.
int run_profile(const ProfileOptions& options, std::ostream& out, std::ostream& err);

}  // namespace divisi::instance
