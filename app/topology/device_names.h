// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <map>
#include <vector>

#include "backend/control/protocol/message.h"

namespace divisi::topology {

/// Which gateway or router had which routing identifier when: one that is freed is given to another device, after it
/// has rested (mesh::routing_id_quarantine). Of the time before the first look it is taken that nothing changed.
class DeviceNames {
public:
    /// Whether somebody new is known by it.
    bool take(const control::MeshState& mesh);
    /// "sr-1"; "device 7" where it is not known who had it then.
    QString name(std::uint32_t id, TimePoint at) const;
    /// All that were ever known.
    std::vector<QString> all() const;

    bool empty() const { return holders_.empty(); }
    bool knows(std::uint32_t id) const { return holders_.contains(id); }
    void clear() { holders_.clear(); }

private:
    struct Holder {
        QString name;
        TimePoint first{}, last{};  ///< of its reports that this knows
    };
    std::map<std::uint32_t, std::vector<Holder>> holders_;  ///< oldest first
};

}  // namespace divisi::topology
