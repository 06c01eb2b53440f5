// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/docks/unit_feed.h"

#include <QEvent>

#include "app/client/refusal_text.h"
#include "app/topology/node_age.h"

namespace divisi::shell {

namespace {

/// Returns the latest load reports of these units' instances. Silent instances are left out, as their work is unknown.
model::UnitGraph::Loads loads_of(const std::vector<control::UnitView>& units, const client::ClusterData& data) {
    model::UnitGraph::Loads loads;
    const auto now = std::chrono::steady_clock::now();
    for (const control::UnitView& unit : units) {
        const auto samples = data.loads.find(unit.instance);
        if (samples == data.loads.end() || samples->second.empty() || loads.contains(unit.instance)) continue;
        const client::LoadSample& last = samples->second.back();
        if (!topology::is_silent(last.time, now)) loads.emplace(unit.instance, last.load);
    }
    return loads;
}

}  // namespace

UnitFeed::UnitFeed(Desk& desk, QWidget& view) : QObject(&view), desk_(desk), view_(view) {
    view_.installEventFilter(this);
    connect(&desk_, &Desk::taskFollowed, this, &UnitFeed::update);
    connect(&desk_.document, &model::GraphDocument::cutsChanged, this, [this] {
        if (!desk_.document.previewing()) update();
    });
    connect(&desk_.draft, &model::TaskDraft::specChanged, this, &UnitFeed::update);
    if (desk_.shown)
        connect(desk_.shown, &client::Client::dataChanged, this, [this] {
            if (desk_.followed() != TaskId()) update();
        });
}

void UnitFeed::update() {
    if (desk_.shown) {
        const auto& tasks = desk_.shown->data().state.tasks;
        const auto found = tasks.find(desk_.followed());
        if (found != tasks.end() && found->second.units.empty() && !desk_.shown->status().past)
            return show_unplanned(found->second);
        if (found != tasks.end() && !(found->second.units.empty() && desk_.shown->status().past)) {
            desk_.unit_plan.leave();
            const auto& units = found->second.units;
            const bool broken_off = found->second.over() && found->second.outcome != control::Outcome::succeeded;
            return desk_.units.show_live(units, loads_of(units, desk_.shown->data()), broken_off);
        }
        if (desk_.followed() != TaskId() && desk_.shown->status().past) return show_none();
    }
    if (view_.isVisible()) desk_.unit_plan.show();
}

/// Shows that the task waits for its plan or has ended without one.
void UnitFeed::show_unplanned(const control::TaskView& task) {
    const QString name = QString::fromStdString(task.id.value());
    desk_.unit_plan.leave();
    if (!task.over()) return desk_.units.clear(tr("%1 has no units yet: they come with its plan.").arg(name));
    desk_.units.clear(task.error ? tr("%1 ended before it had a plan: %2").arg(name, client::quoted(*task.error))
                                 : tr("%1 ended before it had a plan.").arg(name));
}

/// Shows no units, as the plan on screen is one of the present.
void UnitFeed::show_none() {
    const QString& problem = desk_.shown->status().problem;
    const QString task = QString::fromStdString(desk_.followed().value());
    desk_.unit_plan.leave();
    desk_.units.clear(problem.isEmpty() ? tr("%1 had no units at the moment that is shown.").arg(task) : problem);
}

bool UnitFeed::eventFilter(QObject* of, QEvent* event) {
    // Ignore spontaneous events, which come from the window system, for example when the window is restored.
    if (of == &view_ && event->type() == QEvent::Show && !event->spontaneous()) update();
    return QObject::eventFilter(of, event);
}

}  // namespace divisi::shell
