// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "backend/control/protocol/store_export.h"
#include "backend/control/state/state.h"

namespace divisi::model {

/// What a table of a state store is for: "State: step and generation". The table's name where there are no words.
QString store_table_text(const std::string& table);
/// A column's name for people: without the ending that says its unit.
QString store_column_text(const std::string& column);
/// A cell for people: times as dates, numbers in the program's language.
QString store_cell_text(const control::StoreCell& cell, const std::string& column);

/// The task that a SID is of; empty where it names none.
TaskId task_of_sid(const Sid& sid);

/// A snapshot of what a SID holds, as the cluster has committed it.
struct StoredSnapshot {
    std::int64_t step = 0;
    Generation generation = 0;
    Bytes size = 0;
    std::vector<NodeId> nodes;  ///< that have it
    TimePoint time{};
    bool operator==(const StoredSnapshot&) const = default;
};
/// The newest first; none of a task that is over.
std::vector<StoredSnapshot> snapshots_of(const control::ClusterState& state, const Sid& sid);

}  // namespace divisi::model
