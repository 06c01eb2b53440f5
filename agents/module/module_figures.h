// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "backend/control/types/module_types.h"
#include "backend/metrics/figures.h"

namespace divisi::module {

/// The figures of a module for Prometheus; totals count from the start of the module's process.
struct ModuleFigures {
    std::string module, version;
    bool connected = false;  ///< whether the module is connected to the orchestrator
    bool advises = false;    ///< whether the orchestrator uses the advice of this process; false for a process that
                             ///< waits as a replacement
    std::uint64_t observations = 0;
    std::uint64_t advice = 0;  ///< number of pieces of advice given
    std::map<control::AdviceOutcome, std::uint64_t> outcomes;
    std::size_t routes = 0, links = 0;  ///< numbers of routes and links that have windows
};
metrics::Figures figures_of(const ModuleFigures& module);

}  // namespace divisi::module
