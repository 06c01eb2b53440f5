// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/docks/table_menu.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QMenu>
#include <QTreeView>
#include <algorithm>

#include "app/model/wording/states.h"
#include "app/panels/tables/plain_table.h"
#include "app/panels/tables/row_table.h"
#include "app/shell/basics/app_context.h"

namespace divisi::shell {

namespace {

/// Returns the selected rows of a tree with its column names; all expanded rows if none is selected.
QString tsv_of(const QTreeView& tree) {
    const QAbstractItemModel& model = *tree.model();
    const auto line = [&](auto&& text_of) {
        QStringList cells;
        for (int column = 0; column < model.columnCount(); ++column) cells << text_of(column);
        return panels::tsv_line(cells);
    };
    QString text = line([&](int column) { return model.headerData(column, Qt::Horizontal).toString(); });
    const bool all = !tree.selectionModel()->hasSelection();
    for (QModelIndex row = model.index(0, 0); row.isValid(); row = tree.indexBelow(row))
        if (all || tree.selectionModel()->isSelected(row))
            text += line([&](int column) { return row.siblingAtColumn(column).data().toString(); });
    return text;
}

/// Returns the table of a watched widget. The viewport receives mouse events, the table receives keys.
QTableView* table_of(QObject* watched) {
    auto* table = qobject_cast<QTableView*>(watched);
    return table ? table : qobject_cast<QTableView*>(watched->parent());
}

}  // namespace

TableMenu::TableMenu(AppContext& context, Workbench& bench) : QObject(&bench), context_(context), bench_(bench) {
    for (QTableView* table : bench.findChildren<QTableView*>()) {
        table->installEventFilter(this);
        table->viewport()->installEventFilter(this);
    }
    for (QTreeView* tree : bench.findChildren<QTreeView*>()) tree->installEventFilter(this);
}

bool TableMenu::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress && hear_key(watched, *static_cast<QKeyEvent*>(event))) return true;
    QTableView* table = table_of(watched);
    if (event->type() == QEvent::ContextMenu && table && table->contextMenuPolicy() == Qt::DefaultContextMenu) {
        const auto& asked = *static_cast<QContextMenuEvent*>(event);
        const bool by_key = asked.reason() == QContextMenuEvent::Keyboard;
        open(*table, by_key ? std::nullopt : std::optional(asked.globalPos()));
        return true;
    }
    return QObject::eventFilter(watched, event);
}

/// Handles keys, including Shift+F10, which replaces a missing menu key.
bool TableMenu::hear_key(QObject* watched, const QKeyEvent& key) {
    const auto* tree = qobject_cast<QTreeView*>(watched);
    auto* table = qobject_cast<QTableView*>(watched);
    const bool menu = key.key() == Qt::Key_F10 && key.modifiers() == Qt::ShiftModifier;
    if (menu && table) {
        if (table->contextMenuPolicy() == Qt::DefaultContextMenu) open(*table, std::nullopt);
        else Q_EMIT table->customContextMenuRequested(table->visualRect(table->currentIndex()).bottomLeft());
        return true;
    }
    if (table && drop(*table, key)) return true;
    if (!key.matches(QKeySequence::Copy) || (!tree && !table)) return false;
    QApplication::clipboard()->setText(tree ? tsv_of(*tree) : panels::as_tsv(*table, panels::Rows::chosen));
    return true;
}

bool TableMenu::drop(const QTableView& table, const QKeyEvent& key) {
    if (key.key() != Qt::Key_Delete || (key.modifiers() & ~Qt::KeypadModifier)) return false;
    QAbstractButton* button = panels::drop_button(table);
    if (!button || !button->isEnabled()) return false;
    button->click();
    return true;
}

/// Opens the menu of a table. `pressed` is the screen position; empty if opened by the keyboard.
void TableMenu::open(QTableView& table, std::optional<QPoint> pressed) {
    auto* menu = new QMenu(&table);
    menu->setObjectName(QStringLiteral("tableMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setToolTipsVisible(true);
    panels::update_offers(table);
    for (QAction* offer : table.actions()) menu->addAction(offer);
    const QModelIndex row = table.currentIndex().siblingAtColumn(0);
    offer_views(*menu, row);
    offer_moment(*menu, row);
    if (!menu->isEmpty()) menu->addSeparator();
    panels::offer_sorting(*menu, table);
    panels::offer_copies(*menu, table);
    const QPoint below = table.visualRect(table.currentIndex()).bottomLeft();
    menu->popup(pressed ? *pressed : table.viewport()->mapToGlobal(below));
}

void TableMenu::offer_views(QMenu& menu, const QModelIndex& row) {
    for (const model::Selected& one : row.data(model::about_role).value<std::vector<model::Selected>>()) {
        const QString name = QString::fromStdString(one.id);
        QMenu* shown = menu.addMenu(tr("Show %1 in").arg(name));
        shown->setObjectName(QStringLiteral("showMenu"));
        for (const ViewSpec& spec : views()) {
            if (std::ranges::find(spec.selects, one.kind) == spec.selects.end()) continue;
            connect(shown->addAction(view_title(spec)), &QAction::triggered, this, [this, one, &spec] {
                bench_.show_view(spec);  // show the view first, because a hidden view may not handle the selection
                context_.selection.select(one);
            });
        }
    }
}

void TableMenu::offer_moment(QMenu& menu, const QModelIndex& row) {
    const QVariant told = row.data(model::time_role);
    if (!told.isValid()) return;
    const TimePoint moment{Duration(told.toLongLong())};
    const QString why = why_not_shown(moment);
    QAction* go = menu.addAction(tr("Go to this &moment"));
    go->setObjectName(QStringLiteral("goToMoment"));
    go->setEnabled(why.isEmpty());
    go->setToolTip(why.isEmpty() ? tr("Show the window as it was at %1").arg(model::date_text(moment)) : why);
    connect(go, &QAction::triggered, &context_.cursor, [this, moment] { context_.cursor.set(moment); });
}

QString TableMenu::why_not_shown(TimePoint moment) const {
    const std::optional<TimePoint> kept = context_.past ? context_.past->kept_from() : std::nullopt;
    if (kept && moment < *kept)
        return tr("This window keeps data from %1 on, but this moment is earlier.").arg(model::date_text(*kept));
    if (!context_.past && moment < context_.cursor.earliest())
        return tr("The recording begins at %1, but this moment is "
                  "earlier.")
            .arg(model::date_text(context_.cursor.earliest()));
    return {};
}

}  // namespace divisi::shell

#include "moc_table_menu.cpp"
