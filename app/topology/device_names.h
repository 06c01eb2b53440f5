// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <map>
#include <vector>

#include "backend/control/protocol/message.h"

namespace divisi::topology {

/// Tells which gateway or router had a routing identifier at a given time. A freed identifier is given to another
/// device after mesh::routing_id_quarantine. Before the first report, nothing is assumed to have changed.
class DeviceNames {
public:
    /// Takes the devices of a mesh report. Returns whether a device became known by a new name.
    bool take(const control::MeshState& mesh);
    /// Returns the name of a device, such as "sr-1"; "device 7" if it is unknown who had the identifier then.
    QString name(std::uint32_t id, TimePoint at) const;
    /// Returns all names ever known.
    std::vector<QString> all() const;

    bool empty() const { return holders_.empty(); }
    bool knows(std::uint32_t id) const { return holders_.contains(id); }
    void clear() { holders_.clear(); }

private:
    struct Holder {
        QString name;
        TimePoint first{}, last{};  ///< first and last known report of this holder
    };
    std::map<std::uint32_t, std::vector<Holder>> holders_;  ///< oldest first
};

}  // namespace divisi::topology
