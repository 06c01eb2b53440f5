// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <map>
#include <vector>

#include "backend/control/types.h"
#include "backend/plan/task_graph.h"

namespace divisi::model {

/// A unit of the task graph as it is drawn: in the column of its stage, in the row of its kind.
struct UnitNode {
    QString sid;
    QString kind;
    QString instance;         ///< empty before it is placed
    std::int32_t column = 0;  ///< 0: data, then the stages
    std::int32_t row = 0;     ///< by kind: load, preprocess, forward, loss, backward, optimizer
    std::vector<std::size_t> depends_on;
    control::UnitState state = control::UnitState::waiting;
};

/// The task graph: the plan's before a run, the cluster's during one.
class UnitGraph : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    const std::vector<UnitNode>& units() const { return units_; }
    void show_plan(const plan::TaskGraph& graph);
    /// Units with their states; when only states differ from what is there, only statesChanged() is sent.
    void show_live(const std::vector<control::UnitView>& units);
    void set_state(const QString& sid, control::UnitState state);
    /// Shows none; `why` is said in their place, empty: what is said before a task is complete.
    void clear(const QString& why = {});
    const QString& why_none() const { return why_none_; }

Q_SIGNALS:
    void unitsChanged();
    void statesChanged();

private:
    void set_units(std::vector<UnitNode> units, const QString& why_none = {});

    std::vector<UnitNode> units_;
    QString why_none_;
};

}  // namespace divisi::model
