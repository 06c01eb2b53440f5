// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/topology/device_names.h"

#include <QCoreApplication>
#include <algorithm>

#include "backend/control/protocol/mesh_messages.h"
#include "backend/mesh/registry/routing_ids.h"

namespace divisi::topology {

namespace {

/// An identifier is unused for at least twice this time before it gets another owner. Therefore, the owner in a report
/// is certain up to this time before and after the report.
constexpr Duration surely_same = mesh::routing_id_quarantine / 2;

struct Names {
    Q_DECLARE_TR_FUNCTIONS(divisi::topology::DeviceNames)
};

}  // namespace

bool DeviceNames::take(const control::MeshState& mesh) {
    bool news = false;
    for (const control::DeviceView& device : mesh.devices) {
        std::vector<Holder>& holders = holders_[device.id];
        const QString name = QString::fromStdString(device.info.name);
        if (holders.empty() || holders.back().name != name) {
            holders.push_back({name, device.heard, device.heard});
            news = true;
        }
        holders.back().last = std::max(holders.back().last, device.heard);
    }
    return news;
}

QString DeviceNames::name(std::uint32_t id, TimePoint at) const {
    const auto found = holders_.find(id);
    if (found == holders_.end()) return Names::tr("device %1").arg(id);
    const std::vector<Holder>& holders = found->second;
    for (std::size_t i = 0; i < holders.size(); ++i) {
        const bool first = i == 0, last = i + 1 == holders.size();
        if ((first || at >= holders[i].first - surely_same) && (last || at <= holders[i].last + surely_same))
            return holders[i].name;
    }
    return Names::tr("device %1").arg(id);
}

std::vector<QString> DeviceNames::all() const {
    std::vector<QString> names;
    for (const auto& [id, holders] : holders_)
        for (const Holder& holder : holders)
            if (std::ranges::find(names, holder.name) == names.end()) names.push_back(holder.name);
    return names;
}

}  // namespace divisi::topology
