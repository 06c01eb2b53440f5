// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "backend/control/types/types.h"
#include "backend/plan/task_graph.h"

namespace divisi::model {

/// What a unit that runs does at this moment, as its instance told last.
struct UnitWork {
    enum class Kind : std::uint8_t {
        untold,  ///< its instance has not said, or not for a while
        works,
        waits,
        idle,  ///< its instance does the work of another unit
    };
    Kind kind = Kind::untold;
    std::string operation;              ///< that it works on, as instances say it: see operation_text()
    std::vector<InstanceId> waits_for;  ///< whose tensors, or free room for its own
    std::int64_t ms = 0;                ///< for how long already, working or waiting
    bool operator==(const UnitWork&) const = default;
};

/// "forward of micro-batch 3, step 12", as an instance says what it does, in the program's language and short: "forward
/// 3 of step 12". What it does not know it leaves as it is.
QString operation_text(const std::string& operation);

/// A unit of the task graph as it is drawn: in the column of its stage, in the row of its kind.
struct UnitNode {
    QString sid;
    QString kind;
    QString instance;         ///< empty before it is placed
    std::int32_t column = 0;  ///< 0: data, then the stages
    std::int32_t row = 0;     ///< by kind: load, preprocess, forward, loss, backward, optimizer
    std::vector<std::size_t> depends_on;
    control::UnitState state = control::UnitState::waiting;
    bool stopped = false;  ///< it has ended before its work was done
    UnitWork work;
};

/// The task graph: the plan's before a run, the cluster's during one.
class UnitGraph : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    const std::vector<UnitNode>& units() const { return units_; }
    void show_plan(const plan::TaskGraph& graph);
    /// What instances say of their work, by their names; those that say nothing are missing.
    using Loads = std::map<InstanceId, control::InstanceLoad>;
    /// Units with their states and what they do; when nothing else differs from what is there, only statesChanged() is
    /// sent.
    /// `broken_off`: the task has ended, and not with success.
    void show_live(const std::vector<control::UnitView>& units, const Loads& loads = {}, bool broken_off = false);
    void set_state(const QString& sid, control::UnitState state);
    /// Shows none; `why` is said in their place, empty: what is said before a task is complete.
    void clear(const QString& why = {});
    const QString& why_none() const { return why_none_; }
    /// Edges that a unit waits over now, for a tensor or for free room at its consumer: the sender first.
    const std::vector<std::pair<std::size_t, std::size_t>>& awaited() const { return awaited_; }
    /// How an instance is called in the picture: "Stage 2", of several in one place with its own name; its id where it
    /// has no unit.
    QString name_of(const InstanceId& instance) const;

Q_SIGNALS:
    void unitsChanged();
    void statesChanged();

private:
    void set_units(std::vector<UnitNode> units, const QString& why_none = {},
                   std::vector<std::pair<std::size_t, std::size_t>> awaited = {});

    std::vector<UnitNode> units_;
    std::vector<std::pair<std::size_t, std::size_t>> awaited_;
    QString why_none_;
};

}  // namespace divisi::model
