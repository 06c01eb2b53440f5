// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/presenting/guide.h"

#include <QStyle>
#include <QToolBar>
#include <algorithm>
#include <utility>

#include "app/shell/basics/command_palette.h"
#include "backend/control/protocol/mesh_messages.h"

namespace divisi::shell {

namespace {

/// Interval in ms for requesting the mesh while a scenario is under way.
constexpr int guide_tick_ms = 1000;

}  // namespace

Guide::Guide(Actions& actions, model::GraphDocument& document, client::Client* client, QObject* parent)
    : QObject(parent), actions_(actions), document_(document), client_(client) {
    tick_.setInterval(guide_tick_ms);
    connect(&tick_, &QTimer::timeout, this, [this] {
        if (client_) client_->poll(control::QueryMesh{});
        refresh();
    });
    connect(&document_, &model::GraphDocument::modelChanged, this, &Guide::refresh);
    connect(&document_, &model::GraphDocument::cutsChanged, this, &Guide::refresh);
    if (!client_) return;
    connect(client_, &client::Client::dataChanged, this, &Guide::refresh);
    // Queue the call, because the actions must be updated first.
    connect(client_, &client::Client::statusChanged, this, &Guide::refresh, Qt::QueuedConnection);
    client_->on_answer<control::QueryMesh>(this, [this](const control::MeshState& mesh) {
        links_cut_ = static_cast<std::size_t>(std::ranges::count(mesh.faults, true, &control::LinkFault::cut));
        refresh();
    });
}

void Guide::begin(const QString& scenario) {
    Result<Scenario> loaded = load_scenario(scenario);
    if (!loaded.ok()) return;
    mark_action(false);
    name_ = scenario;
    active_ = true;
    control_.begin(*std::move(loaded), facts());
    mark_action(true);
    tick_.start();
    since_.start();
    Q_EMIT begun();
    Q_EMIT changed();
}

void Guide::go(int step) {
    mark_action(false);
    control_.go(step, facts());
    if (control_.under_way()) mark_action(true);
    else tick_.stop();
    Q_EMIT changed();
}

void Guide::pause() {
    active_ = false;
    mark_action(false);
    tick_.stop();
}

GuideFacts Guide::facts() const {
    return facts_of(client_, document_.model() != nullptr, document_.cuts(), links_cut_);
}

/// Checks whether the step is done. A finished step remains until the user goes to another step, so that the user has
/// time to read.
void Guide::refresh() {
    if (!active()) return;
    if (document_.previewing()) return;  // the user is still dragging the cut
    control_.update(facts());
    Q_EMIT changed();
}

QAction* Guide::action() const {
    const GuideStep* step = control_.current();
    return step && !step->action.isEmpty() ? actions_.find(step->action.toStdString()) : nullptr;
}

QString Guide::where_text() const {
    const auto& all = actions_.all();
    const QAction* about = action();
    const auto found = std::ranges::find_if(all, [about](const auto& one) { return one.second == about; });
    if (!about || found == all.end()) return {};
    return tr("Menu %1: %2").arg(plain_text(Actions::menu_title(found->first.menu)), Actions::usual_tip(*about));
}

QString Guide::why_not() const {
    const GuideStep* step = control_.current();
    if (!step || control_.done()) return {};
    const QString no_cluster = needs_cluster(*step) ? client::why_not_operated(client_) : QString();
    const QAction* about = action();
    if (!no_cluster.isEmpty() || !about) return no_cluster;
    if (!about->isVisible())  // the action is hidden, which happens only to fault actions
        return tr(
            "This cluster does not allow injected faults. A cluster that is started on this machine, in the File menu, "
            "does.");
    return actions_.why_not(step->action.toStdString());
}

bool Guide::can_do() const {
    const QAction* about = action();
    return about && about->isEnabled() && about->isVisible() && !control_.done();
}

void Guide::do_action() {
    if (QAction* about = action()) about->trigger();
}

QString Guide::state_text() const {
    if (control_.done()) return QStringLiteral("\u2713 ") + tr("Done");
    const GuideStep* step = control_.current();
    return step && !step->until.isEmpty() ? QStringLiteral("\u25cb ") + tr("Not done yet") : QString();
}

void Guide::retranslate() {
    if (Result<Scenario> again = load_scenario(name_); again.ok()) control_.reword(*std::move(again));
    Q_EMIT changed();
}

/// Frames the toolbar button of the step's action. An action without a button is named by where_text().
void Guide::mark_action(bool on) {
    QAction* marked = action();
    if (!marked) return;
    for (QObject* object : marked->associatedObjects()) {
        auto* bar = qobject_cast<QToolBar*>(object);
        QWidget* button = bar ? bar->widgetForAction(marked) : nullptr;
        if (!button) continue;
        button->setProperty("guided", on);
        button->style()->unpolish(button);
        button->style()->polish(button);
    }
}

}  // namespace divisi::shell

#include "moc_guide.cpp"
