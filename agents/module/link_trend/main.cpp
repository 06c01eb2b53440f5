// SPDX-License-Identifier: Apache-2.0
// divisi-module-link-trend: a functional module that predicts degrading links.
#include <CLI/CLI.hpp>

#include "agents/module/link_trend.h"
#include "agents/module/program.h"

int main(int argc, char** argv) {
    using namespace divisi::module;
    LinkTrendOptions options;
    return run(
        {"link-trend",
         "A functional module: predicts which links get slower, and advises to send tensors over both paths in time",
         [&](CLI::App& app) {
             app.add_option("--damping", options.rates.damping,
                            "damping of the trend per period; 1: the trend continues for ever (version 1-holt), less: "
                            "it fades (version 2-damped)")
                 ->check(CLI::Range(0.1, 1.0))
                 ->capture_default_str();
             app.add_option("--horizon", options.horizon, "number of seconds to predict")
                 ->check(CLI::Range(1, 60))
                 ->capture_default_str();
             app.add_flag("--checkpoint", options.checkpoint,
                          "also order a checkpoint of tasks whose path gets slower");
         },
         [&] { return std::make_unique<LinkTrend>(options); }},
        argc, argv);
}
