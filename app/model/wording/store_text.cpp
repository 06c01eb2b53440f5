// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/wording/store_text.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>

#include "app/model/wording/states.h"
#include "app/model/wording/text.h"

namespace divisi::model {

namespace {

struct Stores {
    Q_DECLARE_TR_FUNCTIONS(divisi::model::Stores)
};

constexpr int loss_digits = 9;  ///< number of digits that identify a float32

}  // namespace

QString store_table_text(const std::string& table) {
    if (table == "identity") return Stores::tr("State: owner");
    if (table == "progress") return Stores::tr("State: step and generation");
    if (table == "deployment") return Stores::tr("Configuration: deployment");
    if (table == "configuration") return Stores::tr("Configuration: settings");
    if (table == "dependency") return Stores::tr("Dependencies: peers");
    if (table == "hardware") return Stores::tr("Hardware: device and measured times");
    if (table == "step") return Stores::tr("Metrics: steps");
    if (table == "event") return Stores::tr("Events");
    if (table == "audit") return Stores::tr("Audit: orders received");
    return QString::fromStdString(table);
}

QString store_column_text(const std::string& column) {
    std::string name = column;
    if (name.ends_with(control::store_time_ending)) name.resize(name.size() - control::store_time_ending.size());
    return QString::fromStdString(name).replace(u'_', u' ');
}

QString store_cell_text(const control::StoreCell& cell, const std::string& column) {
    if (cell.whole && column.ends_with(control::store_time_ending)) return date_text(TimePoint(Duration(*cell.whole)));
    if (cell.whole) return count_text(*cell.whole);
    if (cell.real) return QLocale().toString(*cell.real, 'g', loss_digits);
    return cell.text ? QString::fromStdString(*cell.text) : QStringLiteral("\u2013");
}

TaskId task_of_sid(const Sid& sid) {
    const auto slash = sid.value().find('/');
    return TaskId(slash == std::string::npos ? std::string() : sid.value().substr(0, slash));
}

std::vector<StoredSnapshot> snapshots_of(const control::ClusterState& state, const Sid& sid) {
    std::vector<StoredSnapshot> found;
    const auto task = state.tasks.find(task_of_sid(sid));
    if (task == state.tasks.end()) return found;
    for (const control::Checkpoint& checkpoint : task->second.checkpoints)
        for (const control::SegmentSnapshot& part : checkpoint.parts)
            if (part.sid == sid)
                found.push_back({checkpoint.step, checkpoint.generation, part.size, part.nodes, checkpoint.time});
    std::ranges::reverse(found);
    return found;
}

}  // namespace divisi::model
