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
        untold,  ///< no report yet, or no recent report
        works,
        waits,
        idle,  ///< its instance works on another unit
    };
    Kind kind = Kind::untold;
    std::string operation;              ///< operation in the words of the instance: see operation_text()
    std::vector<InstanceId> waits_for;  ///< instances whose tensors, or free room, it waits for
    std::int64_t ms = 0;                ///< how long the work or wait has lasted so far
    bool operator==(const UnitWork&) const = default;
};

/// Shortens and translates an instance's description of its work: "forward of micro-batch 3, step 12" becomes "forward
/// 3 of step 12". Unknown descriptions are returned unchanged.
QString operation_text(const std::string& operation);

/// A unit of the task graph as drawn: in the column of its stage and the row of its kind.
struct UnitNode {
    QString sid;
    QString kind;
    QString instance;         ///< empty before it is placed
    std::int32_t column = 0;  ///< 0: data, followed by the stages
    std::int32_t row = 0;     ///< by kind: load, preprocess, forward, loss, backward, optimizer
    std::vector<std::size_t> depends_on;
    control::UnitState state = control::UnitState::waiting;
    bool stopped = false;  ///< ended before its work was done
    UnitWork work;
};

/// The task graph, as the views draw it: before a run that of the plan, during a run that of the cluster.
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
    /// Shows no units and the text `why` instead. If `why` is empty, shows the text for an incomplete task.
    void clear(const QString& why = {});
    const QString& why_none() const { return why_none_; }
    /// Returns the edges over which a unit waits now, for a tensor or for free room at its consumer, the sender first.
    const std::vector<std::pair<std::size_t, std::size_t>>& awaited() const { return awaited_; }
    /// Returns the name of an instance in the picture: "Stage 2", with its own name if there are several. If it has no
    /// unit, returns its id.
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
