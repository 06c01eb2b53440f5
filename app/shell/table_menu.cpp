// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/table_menu.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QTreeView>

#include "app/panels/plain_table.h"
#include "app/panels/row_table.h"

namespace divisi::shell {

namespace {

/// The chosen rows of a tree, or all that are open where none is, with the names of its columns.
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

/// A viewport hears the pointer, its table the keys.
QTableView* table_of(QObject* watched) {
    auto* table = qobject_cast<QTableView*>(watched);
    return table ? table : qobject_cast<QTableView*>(watched->parent());
}

}  // namespace

TableMenu::TableMenu(QWidget& around) : QObject(&around) {
    for (QTableView* table : around.findChildren<QTableView*>()) {
        table->installEventFilter(this);
        table->viewport()->installEventFilter(this);
    }
    for (QTreeView* tree : around.findChildren<QTreeView*>()) tree->installEventFilter(this);
}

bool TableMenu::eventFilter(QObject* watched, QEvent* event) {
    QTableView* table = table_of(watched);
    if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
        const auto* tree = qobject_cast<QTreeView*>(watched);
        if (tree) QApplication::clipboard()->setText(tsv_of(*tree));
        else if (watched == table) QApplication::clipboard()->setText(panels::as_tsv(*table, panels::Rows::chosen));
        if (tree || watched == table) return true;
    }
    if (event->type() == QEvent::KeyPress && watched == table && drop(*table, *static_cast<QKeyEvent*>(event)))
        return true;
    if (event->type() == QEvent::ContextMenu && table && table->contextMenuPolicy() == Qt::DefaultContextMenu) {
        open(*table, *static_cast<QContextMenuEvent*>(event));
        return true;
    }
    return QObject::eventFilter(watched, event);
}

bool TableMenu::drop(const QTableView& table, const QKeyEvent& key) {
    if (key.key() != Qt::Key_Delete || (key.modifiers() & ~Qt::KeypadModifier)) return false;
    QAbstractButton* button = panels::drop_button(table);
    if (!button || !button->isEnabled()) return false;
    button->click();
    return true;
}

void TableMenu::open(QTableView& table, const QContextMenuEvent& event) {
    auto* menu = new QMenu(&table);
    menu->setObjectName(QStringLiteral("tableMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setToolTipsVisible(true);
    panels::update_offers(table);
    for (QAction* offer : table.actions()) menu->addAction(offer);
    panels::offer_copies(*menu, table);
    const bool by_key = event.reason() == QContextMenuEvent::Keyboard;
    const QPoint row = table.visualRect(table.currentIndex()).bottomLeft();
    menu->popup(by_key ? table.viewport()->mapToGlobal(row) : event.globalPos());
}

}  // namespace divisi::shell
