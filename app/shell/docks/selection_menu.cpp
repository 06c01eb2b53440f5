// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/docks/selection_menu.h"

#include <algorithm>

namespace divisi::shell {

SelectionMenu::SelectionMenu(AppContext& context, Workbench& bench, QMenu& menu)
    : QObject(&menu), context_(context), menu_(menu) {
    for (const ViewSpec& spec : views()) {
        if (spec.selects.empty()) continue;
        QAction* entry = menu_.addAction(QString());
        connect(entry, &QAction::triggered, &bench, [&bench, &spec] { bench.show_view(spec); });
        entries_.emplace_back(&spec, entry);
    }
    connect(&context.selection, &model::Selection::changed, this, &SelectionMenu::show);
    // Update the entries, because views may have become empty or may have got content.
    const auto again = [this] { show(context_.selection.current()); };
    connect(&context.document, &model::GraphDocument::modelChanged, this, again);
    connect(&context, &AppContext::taskFollowed, this, again);
    again();
}

void SelectionMenu::show(const model::Selected& now) {
    for (const auto& [spec, entry] : entries_) {
        const bool marks = std::ranges::find(spec->selects, now.kind) != spec->selects.end();
        entry->setVisible(marks && !(spec->empty && spec->empty(context_)));
    }
    menu_.menuAction()->setEnabled(!actions().empty());
    explain();
}

std::vector<QAction*> SelectionMenu::actions() const {
    std::vector<QAction*> shown;
    for (const auto& [spec, entry] : entries_)
        if (entry->isVisible()) shown.push_back(entry);
    return shown;
}

void SelectionMenu::explain() {
    menu_.menuAction()->setToolTip(actions().empty() ? tr("No other view shows the selection.") : QString());
}

void SelectionMenu::retranslate() {
    explain();
    menu_.setTitle(tr("Selection in other views"));
    for (const auto& [spec, entry] : entries_) entry->setText(tr("Show the selection in %1").arg(view_title(*spec)));
}

}  // namespace divisi::shell

#include "moc_selection_menu.cpp"
