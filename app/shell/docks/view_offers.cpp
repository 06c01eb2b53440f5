// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/docks/view_offers.h"

#include <QAbstractButton>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>

#include "app/shell/basics/command_palette.h"

namespace divisi::shell {

namespace {

/// Collects the offers of one view.
class Offers {
public:
    Offers(Workbench& bench, const ViewSpec& spec, QWidget& view, QWidget& owner, std::vector<QAction*>& into)
        : bench_(bench), spec_(spec), view_(view), owner_(owner), into_(into) {}

    void collect() {
        for (QAbstractButton* button : view_.findChildren<QAbstractButton*>()) {
            const bool pressed = qobject_cast<QPushButton*>(button) || qobject_cast<QToolButton*>(button);
            if (pressed && button->isVisibleTo(&view_)) add(*button);
        }
        if (!spec_.offer) return;
        auto* menu = new QMenu(&owner_);
        spec_.offer(view_, *menu);
        add(menu->actions());
    }

private:
    void add(QAbstractButton& button) {
        const auto* push = qobject_cast<QPushButton*>(&button);
        const auto* tool = qobject_cast<QToolButton*>(&button);
        const QMenu* menu = push ? push->menu() : tool->menu();
        if (menu) add(menu->actions());
        if (tool) add(tool->actions());
        const bool only_opens = menu && (push || tool->popupMode() == QToolButton::InstantPopup);
        // Leave out a label of one letter, which is not understandable outside its view.
        if (only_opens || button.text().size() < 2) return;
        offer(button.text(), button.icon(), button.isEnabled(), button.toolTip(), button,
              [&button] { button.click(); });
    }

    void add(const QList<QAction*>& actions) {
        for (QAction* action : actions)
            if (!action->isSeparator() && !action->text().isEmpty() && action->isVisible())
                offer(action->text(), action->icon(), action->isEnabled(), action->toolTip(), *action,
                      [action] { action->trigger(); });
    }

    template <typename Run>
    void offer(const QString& text, const QIcon& icon, bool enabled, const QString& tip, QObject& of, Run run) {
        auto* entry = new QAction(icon, view_title(spec_) + QStringLiteral(": ") + plain_text(text), &owner_);
        entry->setEnabled(enabled);
        entry->setToolTip(tip);
        QObject::connect(entry, &QAction::triggered, &of, [&bench = bench_, &view = view_, run] {
            bench.show_view(view);
            run();
        });
        into_.push_back(entry);
    }

    Workbench& bench_;
    const ViewSpec& spec_;
    QWidget& view_;
    QWidget& owner_;
    std::vector<QAction*>& into_;
};

}  // namespace

std::vector<QAction*> view_offers(Workbench& bench, QWidget& owner) {
    std::vector<QAction*> all;
    for (const auto& [spec, view] : bench.all_views()) Offers(bench, *spec, *view, owner, all).collect();
    return all;
}

}  // namespace divisi::shell
