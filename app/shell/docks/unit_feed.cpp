// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/docks/unit_feed.h"

#include <QEvent>

#include "app/client/refusal_text.h"
#include "app/topology/node_age.h"

namespace divisi::shell {

namespace {

/// Returns the latest load reports of these units' instances. Silent instances are left out, because their activity is
/// unknown.
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

UnitFeed::UnitFeed(AppContext& context, QWidget& view) : QObject(&view), context_(context), view_(view) {
    view_.installEventFilter(this);
    connect(&context_, &AppContext::taskFollowed, this, &UnitFeed::update);
    connect(&context_.document, &model::GraphDocument::cutsChanged, this, [this] {
        if (!context_.document.previewing()) update();
    });
    connect(&context_.draft, &model::TaskDraft::specChanged, this, &UnitFeed::update);
    if (context_.shown)
        connect(context_.shown, &client::Client::dataChanged, this, [this] {
            if (context_.followed() != TaskId()) update();
        });
}

void UnitFeed::update() {
    if (context_.shown) {
        const auto& tasks = context_.shown->data().state.tasks;
        const auto found = tasks.find(context_.followed());
        if (found != tasks.end() && found->second.units.empty() && !context_.shown->status().past)
            return show_unplanned(found->second);
        if (found != tasks.end() && !(found->second.units.empty() && context_.shown->status().past)) {
            context_.unit_plan.leave();
            const auto& units = found->second.units;
            const bool broken_off = found->second.over() && found->second.outcome != control::Outcome::succeeded;
            return context_.units.show_live(units, loads_of(units, context_.shown->data()), broken_off);
        }
        if (context_.followed() != TaskId() && context_.shown->status().past) return show_none();
    }
    if (view_.isVisible()) context_.unit_plan.show();
}

/// Shows that the task waits for its plan or has ended without one.
void UnitFeed::show_unplanned(const control::TaskView& task) {
    const QString name = QString::fromStdString(task.id.value());
    context_.unit_plan.leave();
    if (!task.over()) return context_.units.clear(tr("%1 has no units yet: its plan creates them.").arg(name));
    context_.units.clear(task.error ? tr("%1 ended before it had a plan: %2").arg(name, client::quoted(*task.error))
                                    : tr("%1 ended before it had a plan.").arg(name));
}

/// Shows no units for a past time, because the plan on screen is the present plan.
void UnitFeed::show_none() {
    const QString& problem = context_.shown->status().problem;
    const QString task = QString::fromStdString(context_.followed().value());
    context_.unit_plan.leave();
    context_.units.clear(problem.isEmpty() ? tr("%1 had no units at the moment shown.").arg(task) : problem);
}

bool UnitFeed::eventFilter(QObject* of, QEvent* event) {
    // Ignore spontaneous events, which come from the window system, for example when the window is restored.
    if (of == &view_ && event->type() == QEvent::Show && !event->spontaneous()) update();
    return QObject::eventFilter(of, event);
}

}  // namespace divisi::shell

#include "moc_unit_feed.cpp"
