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

/// The current work of a running unit, as last reported by its instance.
struct UnitWork {
    enum class Kind : std::uint8_t {
        untold,  ///< no report yet, or only an old report
        works,
        waits,
        idle,  ///< the instance works on another of its units
    };
    Kind kind = Kind::untold;
    std::string operation;              ///< operation as the instance describes it: see operation_text()
    std::vector<InstanceId> waits_for;  ///< instances for whose tensors or free slots the unit waits
    std::int64_t ms = 0;                ///< duration of the work or wait so far
    bool operator==(const UnitWork&) const = default;
};

/// Shortens and translates an instance's description of its work: "forward of micro-batch 3, step 12" becomes "forward
/// 3 of step 12". Unknown descriptions are returned unchanged.
QString operation_text(const std::string& operation);

/// A unit of the task graph as drawn: in the column of its stage and the row of its kind.
struct UnitNode {
    QString sid;
    QString kind;
    QString instance;         ///< instance that runs the unit; empty before the unit is placed
    std::int32_t column = 0;  ///< column: 0 for data, followed by the stages
    std::int32_t row = 0;     ///< by kind: load, preprocess, forward, loss, backward, optimizer
    std::vector<std::size_t> depends_on;
    control::UnitState state = control::UnitState::waiting;
    bool stopped = false;  ///< whether the unit ended before its work was done
    UnitWork work;
};

/// The task graph that the views draw: before a run, the units of the plan; during a run, the units that the cluster
/// reports.
class UnitGraph : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    const std::vector<UnitNode>& units() const { return units_; }
    void show_plan(const plan::TaskGraph& graph);
    /// Reports of instances about their work, by name; silent instances are missing.
    using Loads = std::map<InstanceId, control::InstanceLoad>;
    /// Shows units with their states and work. If nothing else has changed, only statesChanged() is sent.
    ///
    /// `broken_off`: the task has ended without success.
    void show_live(const std::vector<control::UnitView>& units, const Loads& loads = {}, bool broken_off = false);
    void set_state(const QString& sid, control::UnitState state);
    /// Shows the text `why` instead of units. If `why` is empty, shows the text for an incomplete task.
    void clear(const QString& why = {});
    const QString& why_none() const { return why_none_; }
    /// Returns the edges for which a unit waits now: for a tensor, or for a free slot at the consumer. The sender is
    /// first.
    const std::vector<std::pair<std::size_t, std::size_t>>& awaited() const { return awaited_; }
    /// Returns the name of an instance in the picture, such as "Stage 2". If several instances run the stage, adds the
    /// instance's id. If the instance has no unit, returns only its id.
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
