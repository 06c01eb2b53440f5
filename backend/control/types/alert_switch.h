// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "backend/base/clock.h"

namespace divisi::control::inline types {

/// How a measured value stands to the threshold of its rule.
enum class AlertReading : std::uint8_t {
    calm,     ///< so far from the threshold that an alert may be cleared
    between,  ///< neither: whatever was said holds
    bad,      ///< beyond the threshold
};

/// Decides when an alert is raised and cleared, so that a value that swings around its threshold makes one alert and
/// not a hundred: there are two thresholds (AlertReading), and a reading must last before it counts.
class AlertSwitch {
public:
    enum class Turn : std::uint8_t { none, raise, clear };

    /// `raised`: the alert stands. `hold`: for how long a reading must last.
    Turn look(bool raised, AlertReading reading, Duration hold, TimePoint now) {
        const AlertReading turns = raised ? AlertReading::calm : AlertReading::bad;
        if (reading != turns) {
            since_.reset();
            return Turn::none;
        }
        if (!since_) since_ = now;
        if (now - *since_ < hold) return Turn::none;
        since_.reset();
        return raised ? Turn::clear : Turn::raise;
    }
    /// A reading has begun that would turn it, and has not lasted yet.
    bool turning() const { return since_.has_value(); }

private:
    std::optional<TimePoint> since_;
};

}  // namespace divisi::control::inline types
