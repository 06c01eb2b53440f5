// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <map>
#include <vector>

#include "backend/base/clock.h"
#include "backend/control/protocol/message_fwd.h"

namespace divisi::topology {

/// Finds which gateway or router had a routing identifier at a given time. A freed identifier is assigned to another
/// device after mesh::routing_id_quarantine at the earliest. For times before the first report, the owners in the first
/// report are assumed.
class DeviceNames {
public:
    /// Adds the devices of a mesh report. Returns whether the report contains a new name.
    bool take(const control::MeshState& mesh);
    /// Returns the name of the device that had an identifier at a time, such as "sr-1"; a text such as "device 7" if
    /// the device is unknown.
    QString name(std::uint32_t id, TimePoint at) const;
    /// Returns all names ever known.
    std::vector<QString> all() const;

    bool empty() const { return holders_.empty(); }
    bool knows(std::uint32_t id) const { return holders_.contains(id); }
    void clear() { holders_.clear(); }

private:
    struct Holder {
        QString name;
        TimePoint first{}, last{};  ///< times of the first and the last report that contain this holder
    };
    std::map<std::uint32_t, std::vector<Holder>> holders_;  ///< holders of each identifier, the oldest first
};

}  // namespace divisi::topology
