// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <string>
#include <utility>
#include <vector>

#include "app/model/selection.h"
#include "app/topology/device_names.h"
#include "backend/mesh/signaling/load_advert.h"

namespace divisi::topology {

// What signaling types 1 to 5 say, for the Signaling view.

/// A line of what a message carries.
struct SignalField {
    SignalField(QString called, QString said, model::Selected about = {})
        : name(std::move(called)), value(std::move(said)), link(std::move(about)) {}
    QString name, value;
    model::Selected link;  ///< that it is about; none: no link, or one whose ends are not known by name
};
using SignalFields = std::vector<SignalField>;

/// One line of type 4: the links that failed, else what waits in all.
QString load_text(const mesh::LoadAdvert& said, const DeviceNames& devices, TimePoint at);
/// A row for each link of the router `from`, and each prefix.
void add_load(SignalFields& rows, const mesh::LoadAdvert& said, std::uint32_t from, const DeviceNames& devices,
              TimePoint at);
/// The lines of control::describe(): the first by this name, then each by its first word.
void add_text(SignalFields& rows, const QString& name, const std::string& text);

}  // namespace divisi::topology
