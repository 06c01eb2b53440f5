// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "backend/control/protocol/store_export.h"
#include "backend/control/state/state.h"

namespace divisi::model {

/// Returns the purpose of a state store's table, such as "State: step and generation"; the table's name if unknown.
QString store_table_text(const std::string& table);
/// Returns a column's readable name, without the suffix for its unit.
QString store_column_text(const std::string& column);
/// Formats a cell for readers: times as dates, numbers in the program's language.
QString store_cell_text(const control::StoreCell& cell, const std::string& column);

/// Returns the task of a SID; empty if the SID does not name a task.
TaskId task_of_sid(const Sid& sid);

/// A snapshot of a SID's state that the cluster has committed.
struct StoredSnapshot {
    std::int64_t step = 0;
    Generation generation = 0;
    Bytes size = 0;
    std::vector<NodeId> nodes;  ///< nodes that store the snapshot
    TimePoint time{};
    bool operator==(const StoredSnapshot&) const = default;
};
/// Returns the snapshots, newest first; none for a task that has ended.
std::vector<StoredSnapshot> snapshots_of(const control::ClusterState& state, const Sid& sid);

}  // namespace divisi::model
