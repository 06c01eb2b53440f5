// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/guide_dock.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QStyle>
#include <QToolBar>
#include <QVBoxLayout>
#include <algorithm>

#include "app/shell/command_palette.h"

namespace divisi::shell {

namespace {

/// The mesh is asked for as often while a scenario is under way.
constexpr int guide_tick_ms = 1000;
constexpr int guide_width = 300;

}  // namespace

GuideDock::GuideDock(Actions& actions, model::GraphDocument& document, client::Client* client, QWidget* parent)
    : QDockWidget(parent),
      actions_(actions),
      document_(document),
      client_(client),
      title_(new QLabel(this)),
      count_(new QLabel(this)),
      step_title_(new QLabel(this)),
      note_(new QLabel(this)),
      where_(new QLabel(this)),
      state_(new QLabel(this)),
      do_(new QPushButton(this)),
      back_(new QPushButton(this)),
      next_(new QPushButton(this)) {
    setObjectName(QStringLiteral("Guide"));
    build();
    tick_.setInterval(guide_tick_ms);
    connect(&tick_, &QTimer::timeout, this, [this] {
        if (client_) client_->ask_mesh();
        look();
    });
    connect(back_, &QPushButton::clicked, this, [this] { go(step_ - 1); });
    connect(next_, &QPushButton::clicked, this, [this] { go(step_ + 1); });
    connect(do_, &QPushButton::clicked, this, [this] {
        if (action()) action()->trigger();
    });
    connect(&document_, &model::GraphDocument::modelChanged, this, &GuideDock::look);
    connect(&document_, &model::GraphDocument::cutsChanged, this, &GuideDock::look);
    if (client_) {
        connect(client_, &client::Client::dataChanged, this, &GuideDock::look);
        connect(client_, &client::Client::meshCame, this, [this](const control::MeshState& mesh) {
            links_cut_ = static_cast<std::size_t>(std::ranges::count(mesh.faults, true, &control::LinkFault::cut));
            look();
        });
    }
    connect(this, &QDockWidget::visibilityChanged, this, [this](bool) {
        if (!isHidden()) return;
        mark_action(false);
        tick_.stop();
    });
}

void GuideDock::build() {
    title_->setProperty("role", QStringLiteral("heading"));
    count_->setProperty("role", QStringLiteral("faint"));
    step_title_->setObjectName(QStringLiteral("guideStep"));
    step_title_->setProperty("role", QStringLiteral("title"));
    note_->setObjectName(QStringLiteral("guideNote"));
    where_->setObjectName(QStringLiteral("guideWhere"));
    where_->setProperty("role", QStringLiteral("faint"));
    state_->setObjectName(QStringLiteral("guideState"));
    do_->setObjectName(QStringLiteral("guideDo"));
    back_->setObjectName(QStringLiteral("guideBack"));
    next_->setObjectName(QStringLiteral("guideNext"));
    next_->setProperty("primary", true);
    auto* inside = new QWidget(this);
    auto* column = new QVBoxLayout(inside);
    column->setContentsMargins(16, 16, 16, 16);
    column->setSpacing(12);
    for (QLabel* label : {title_, count_, step_title_, note_, where_, state_}) {
        label->setWordWrap(true);
        column->addWidget(label);
    }
    column->addWidget(do_);
    column->addStretch();
    auto* row = new QHBoxLayout;
    row->addWidget(back_);
    row->addWidget(next_);
    column->addLayout(row);
    inside->setMinimumWidth(guide_width);
    setWidget(inside);
}

void GuideDock::begin(const QString& scenario) {
    Result<Scenario> loaded = load_scenario(scenario);
    if (!loaded.ok()) return;
    mark_action(false);
    name_ = scenario;
    scenario_ = *std::move(loaded);
    show();
    raise();
    tick_.start();
    go(0);
}

void GuideDock::go(int step) {
    mark_action(false);
    step_ = step;
    if (step_ < 0 || step_ >= static_cast<int>(scenario_.steps.size())) {
        step_ = -1;
        return hide();
    }
    before_ = facts();
    done_ = false;
    mark_action(true);
    look();
    refresh();
}

GuideFacts GuideDock::facts() const {
    return facts_of(client_, document_.model() != nullptr, document_.cuts(), links_cut_);
}

/// A step that is done says so, and stays until it is left: nobody is pushed on while reading.
void GuideDock::look() {
    if (step_ < 0 || isHidden()) return;
    if (document_.previewing()) return;  // a cut that is being dragged is not moved yet
    const bool met = is_met(scenario_.steps[static_cast<std::size_t>(step_)].until, before_, facts());
    done_ = done_ || met;
    refresh();
}

QAction* GuideDock::action() const {
    if (step_ < 0) return nullptr;
    const QString& id = scenario_.steps[static_cast<std::size_t>(step_)].action;
    return id.isEmpty() ? nullptr : actions_.find(id.toStdString());
}

/// "Task, Run task (F5)": the menu, the entry and the key.
QString GuideDock::where_text(const QAction& action) const {
    const auto& all = actions_.all();
    const auto found = std::ranges::find_if(all, [&](const auto& one) { return one.second == &action; });
    if (found == all.end()) return {};
    return tr("Menu %1: %2").arg(plain_text(Actions::menu_title(found->first.menu)), action.toolTip());
}

void GuideDock::refresh() {
    setWindowTitle(tr("Guide"));
    back_->setText(tr("Back"));
    do_->setText(tr("Do it for me"));
    if (step_ < 0) return;
    const auto number = static_cast<std::size_t>(step_);
    const GuideStep& step = scenario_.steps[number];
    const bool last = number + 1 == scenario_.steps.size();
    title_->setText(scenario_.title);
    count_->setText(tr("Step %1 of %2").arg(number + 1).arg(scenario_.steps.size()));
    step_title_->setText(step.title);
    note_->setText(step.note);
    const QAction* about = action();
    where_->setText(about ? where_text(*about) : QString());
    where_->setVisible(about != nullptr);
    do_->setVisible(about != nullptr);
    do_->setEnabled(about && about->isEnabled() && about->isVisible() && !done_);
    do_->setToolTip(about && !about->isEnabled() ? tr("Not possible now: do the steps before first") : QString());
    const QString waiting = step.until.isEmpty() ? QString() : QStringLiteral("\u25cb ") + tr("Not done yet");
    state_->setText(done_ ? QStringLiteral("\u2713 ") + tr("Done") : waiting);
    back_->setEnabled(step_ > 0);
    next_->setText(last ? tr("Finish") : done_ || step.until.isEmpty() ? tr("Next") : tr("Skip"));
}

/// The button in the toolbar is framed; an action without one is named by where_text().
void GuideDock::mark_action(bool on) {
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

void GuideDock::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) {
        if (Result<Scenario> again = load_scenario(name_); again.ok()) scenario_ = *std::move(again);
        refresh();
    }
    QDockWidget::changeEvent(event);
}

}  // namespace divisi::shell
