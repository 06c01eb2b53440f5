// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/basics/key_list.h"

#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QTableWidget>
#include <QVBoxLayout>

#include "app/shell/basics/command_palette.h"

namespace divisi::shell {

KeyList::KeyList(const Actions& actions, QWidget* parent) : QDialog(parent) {
    setObjectName(QStringLiteral("keyList"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Keys"));
    auto* table = new QTableWidget(0, 2, this);
    table->setObjectName(QStringLiteral("keyTable"));
    table->setHorizontalHeaderLabels({tr("Key"), tr("What it does")});
    table->verticalHeader()->hide();
    table->setShowGrid(false);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    table->horizontalHeader()->setStretchLastSection(true);
    table->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);  // for texts of two lines
    const auto add = [table](const QString& keys, const QString& text) {
        const int row = table->rowCount();
        table->insertRow(row);
        table->setItem(row, 0, new QTableWidgetItem(keys));
        table->setItem(row, 1, new QTableWidgetItem(text));
    };
    for (const ViewKey& key : Actions::view_keys())
        add(QCoreApplication::translate("Actions", key.keys), QCoreApplication::translate("Actions", key.text));
    for (const auto& [spec, action] : actions.all()) {
        if (action->shortcuts().isEmpty()) continue;
        QStringList keys;
        for (const QKeySequence& key : action->shortcuts()) keys << key.toString(QKeySequence::NativeText);
        const bool scoped = Actions::of_graph(spec.id);
        add(keys.join(QStringLiteral(", ")),
            scoped ? tr("In the graph: %1").arg(plain_text(*action)) : plain_text(*action));
    }
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 16);
    column->setSpacing(16);
    column->addWidget(table);
    column->addWidget(buttons);
    resize(760, 640);
}

}  // namespace divisi::shell

#include "moc_key_list.cpp"
