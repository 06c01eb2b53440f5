// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend/base/ids.h"

namespace divisi::control::inline types {

/// The micro-batches that a gateway has dealt to one data instance since the gateway's start.
struct DealtReport {
    Sid sid;
    std::uint64_t microbatches = 0;
    std::uint64_t dealt_again = 0;  ///< micro-batches dealt again because the instance that had them first is gone
    std::uint64_t outstanding = 0;  ///< micro-batches that consumers still wait for
};

/// Maximum number of data instances of one task. More instances do not make a machine read faster, and a gateway names
/// every data instance in its reports.
inline constexpr std::int32_t most_data_instances = 64;
/// Maximum number of DealtReports in one report of a gateway.
inline constexpr std::size_t most_reported_dealt = 1'000;

}  // namespace divisi::control::inline types
