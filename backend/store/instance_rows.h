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

// Rows that an instance writes to its store, by the roles of the draft (002, Local Database Integration).

/// State persistence: the instance's progress. A single row, replaced at every step.
struct Progress {
    Generation generation = 1;
    std::int64_t step = 0;     ///< the last finished step
    std::int64_t samples = 0;  ///< position in the data: number of samples that the steps so far have used
    TimePoint time{};
    bool operator==(const Progress&) const = default;
};

/// Configuration and dependencies: the deployed program, and the peers that send tensors to this instance or receive
/// tensors from it. Writing a deployment replaces the rows of the previous one.
struct Deployment {
    Generation generation = 1;
    TimePoint time{};
    std::map<std::string, std::string> configuration;
    std::vector<std::string> dependencies;  ///< ids of instances, such as "gpt-1/stage-1/0#2"
    bool operator==(const Deployment&) const = default;
};

/// Hardware-specific parameters: device, threads, times of operators. Replaces rows of the same names.
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
    double duration_ms = 0;           ///< time since the end of the previous step
    std::optional<double> loss = {};  ///< loss, if the instance computes it
    bool operator==(const StepRow&) const = default;
};

/// Events of the instance.
struct EventRow {
    TimePoint time{};
    std::string what;  ///< kind of event: "prepared", "trouble", "failed", ...
    std::string detail;
    bool operator==(const EventRow&) const = default;
};

/// Versions and audit: an order that the instance received.
struct OrderRow {
    TimePoint time{};
    std::string from;   ///< the sender
    std::string order;  ///< kind of order: "deploy", "begin", ...
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

/// Limits on step rows. The newest `whole_steps` are all kept. Of the older rows, every `thinned_steps`th row is kept.
/// At most the newest `most_step_rows` of all these rows remain.
inline constexpr std::int64_t whole_steps = 4'096, thinned_steps = 16, most_step_rows = 65'536;
/// Limit on event rows, and on order rows; the oldest are removed first.
inline constexpr std::int64_t most_event_rows = 10'000;

}  // namespace divisi::store
