// SPDX-License-Identifier: Apache-2.0
#include "agents/node/power_meter.h"

#include <utility>

namespace divisi::node {
namespace {

/// Upper limit for one package. The limit is far above any real power, and far below the apparent power after a counter
/// restarts.
constexpr double most_package_w = 5'000;

}  // namespace

std::optional<double> PowerMeter::take(std::vector<process::PowerDomain> domains, Time now) {
    const auto before = std::exchange(last_, std::move(domains));
    const double seconds = std::chrono::duration<double>(now - std::exchange(then_, now)).count();
    const auto taken = process::taken_uj(before, last_);
    if (!taken || seconds <= 0) return std::nullopt;
    const double watts = *taken / 1e6 / seconds;
    if (watts < 0 || watts > most_package_w * static_cast<double>(last_.size())) return std::nullopt;
    return watts;
}

}  // namespace divisi::node
