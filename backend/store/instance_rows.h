// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/ids.h"

namespace divisi::store {

// What an instance writes to its store, by the roles of the draft (002, Local Database Integration).

/// State persistence: how far the instance is. One row, which every step replaces.
struct Progress {
    Generation generation = 1;
    std::int64_t step = 0;     ///< the last that it has finished
    std::int64_t samples = 0;  ///< position in the data: what these steps took of it
    TimePoint time{};
    bool operator==(const Progress&) const = default;
};

/// Configuration and dependencies: the program that was deployed, and whom its tensors come from and go to. Replaces
/// what the deployment before said.
struct Deployment {
    Generation generation = 1;
    TimePoint time{};
    std::map<std::string, std::string> configuration;
    std::vector<std::string> dependencies;  ///< instances, as "gpt-1/stage-1/0#2"
    bool operator==(const Deployment&) const = default;
};

/// Hardware-specific parameters: device, threads, times of operators. Replaces those of the same names.
struct Hardware {
    TimePoint time{};
    std::map<std::string, std::string> parameters;
    bool operator==(const Hardware&) const = default;
};

/// Metrics: one step.
struct StepRow {
    Generation generation = 1;
    std::int64_t step = 0;
    TimePoint time{};
    double duration_ms = 0;           ///< since the step before was finished
    std::optional<double> loss = {};  ///< where the instance has it
    bool operator==(const StepRow&) const = default;
};

/// Events: what happened to the instance.
struct EventRow {
    TimePoint time{};
    std::string what;  ///< "prepared", "trouble", "failed", ...
    std::string detail;
    bool operator==(const EventRow&) const = default;
};

/// Versions and audit: an order that it was given.
struct OrderRow {
    TimePoint time{};
    std::string from;   ///< who gave it
    std::string order;  ///< "deploy", "begin", ...
    std::string detail;
    bool operator==(const OrderRow&) const = default;
};

using Entry = std::variant<Progress, Deployment, Hardware, StepRow, EventRow, OrderRow>;

/// A row with the incarnation that wrote it.
template <typename Row>
struct Written {
    Incarnation incarnation = 0;
    Row row;
    bool operator==(const Written&) const = default;
};

/// Rows of steps: of all but the newest `whole_steps` every `thinned_steps`th stays, and of them the newest.
inline constexpr std::int64_t whole_steps = 4'096, thinned_steps = 16, most_step_rows = 65'536;
/// Rows of events, and of orders; older ones go first.
inline constexpr std::int64_t most_event_rows = 10'000;

}  // namespace divisi::store
