// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <string>
#include <utility>
#include <vector>

#include "app/model/tracking/selection.h"
#include "app/topology/device_names.h"
#include "backend/mesh/signaling/load_advert.h"

namespace divisi::topology {

// Describes the content of signaling types 1 to 5 for the Signaling view.

/// One field of a message.
struct SignalField {
    SignalField(QString called, QString said, model::Selected about = {})
        : name(std::move(called)), value(std::move(said)), link(std::move(about)) {}
    QString name, value;
    model::Selected link;  ///< link that the field is about; none: no link, or one with unknown ends
};
using SignalFields = std::vector<SignalField>;

/// Returns one line for a message of type 4: the totals of waiting data and credit, and the failed links.
QString load_text(const mesh::LoadAdvert& said, const DeviceNames& devices, TimePoint at);
/// Adds a row for each link of the router `from`, and for each prefix.
void add_load(SignalFields& rows, const mesh::LoadAdvert& said, std::uint32_t from, const DeviceNames& devices,
              TimePoint at);
/// Adds the lines of control::describe() as rows. The first line has the name `name`; the name of each other line is
/// its first word.
void add_text(SignalFields& rows, const QString& name, const std::string& text);

}  // namespace divisi::topology
