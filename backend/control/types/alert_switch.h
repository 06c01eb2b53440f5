// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "backend/base/clock.h"

namespace divisi::control::inline types {

/// A measured value relative to the threshold of its rule.
enum class AlertReading : std::uint8_t {
    calm,     ///< the value is far enough from the threshold to clear an alert
    between,  ///< neither calm nor bad: the alert is neither raised nor cleared
    bad,      ///< the value is beyond the threshold
};

/// Decides when to raise and clear an alert. Two thresholds (AlertReading) and a minimum duration keep a value that
/// oscillates around its threshold from raising many alerts.
class AlertSwitch {
public:
    enum class Transition : std::uint8_t { none, raise, clear };

    /// Returns whether to raise or clear the alert now. `raised`: the alert is raised already. `hold`: how long a
    /// reading must last to count.
    Transition update(bool raised, AlertReading reading, Duration hold, TimePoint now) {
        const AlertReading turns = raised ? AlertReading::calm : AlertReading::bad;
        if (reading != turns) {
            since_.reset();
            return Transition::none;
        }
        if (!since_) since_ = now;
        if (now - *since_ < hold) return Transition::none;
        since_.reset();
        return raised ? Transition::clear : Transition::raise;
    }
    /// Returns whether a reading that would change the alert has begun but not lasted long enough yet.
    bool turning() const { return since_.has_value(); }

private:
    std::optional<TimePoint> since_;
};

}  // namespace divisi::control::inline types
