// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/compare_menu.h"

#include <QMenu>
#include <algorithm>

namespace divisi::charts {

namespace {

constexpr int name_letters = 24;  ///< number of letters shown of a compared task's name

}  // namespace

CompareMenu::CompareMenu(QWidget* parent) : QToolButton(parent) {
    setObjectName(QStringLiteral("compareWith"));
    setPopupMode(QToolButton::InstantPopup);
    setFocusPolicy(Qt::StrongFocus);
    setMenu(new QMenu(this));
    menu()->setObjectName(QStringLiteral("compareMenu"));
    retranslate();
}

void CompareMenu::offer(const std::vector<TaskId>& tasks) {
    QStringList names, offered;
    for (const TaskId& task : tasks) names << QString::fromStdString(task.value());
    for (const QAction* offer : menu()->actions())
        if (offer->isCheckable()) offered << offer->text();
    if (offered == names && !menu()->isEmpty()) return;
    menu()->clear();
    menu()->addAction(tr("no other task"), this, [this] { choose_by_user({}); });
    menu()->addSeparator();
    for (const TaskId& task : tasks) {
        QAction* offer = menu()->addAction(QString::fromStdString(task.value()));
        offer->setCheckable(true);
        connect(offer, &QAction::triggered, this, [this, task](bool with) {
            std::vector<TaskId> chosen = chosen_;
            if (with) chosen.push_back(task);
            else std::erase(chosen, task);
            choose_by_user(chosen);
        });
    }
    std::vector<TaskId> chosen = chosen_;
    std::erase_if(chosen, [&](const TaskId& one) { return std::ranges::find(tasks, one) == tasks.end(); });
    choose(chosen);
}

void CompareMenu::choose(const std::vector<TaskId>& tasks) {
    chosen_ = tasks;
    for (QAction* offer : menu()->actions())
        offer->setChecked(std::ranges::find(chosen_, TaskId(offer->text().toStdString())) != chosen_.end());
    show_name();
}

void CompareMenu::choose_by_user(const std::vector<TaskId>& tasks) {
    choose(tasks);
    Q_EMIT chosenChanged();
}

void CompareMenu::show_name() {
    const QString only = chosen_.empty() ? tr("no other task") : QString::fromStdString(chosen_.front().value());
    const QFontMetrics metrics = fontMetrics();
    const QString text = chosen_.size() > 1 ? tr("%1 other tasks").arg(chosen_.size()) : only;
    setText(metrics.elidedText(text, Qt::ElideMiddle, name_letters * metrics.averageCharWidth()));
}

void CompareMenu::retranslate() {
    menu()->clear();
    show_name();
    setToolTip(tr("Show the curves of other tasks in pale colours, aligned by step"));
}

}  // namespace divisi::charts

#include "moc_compare_menu.cpp"
