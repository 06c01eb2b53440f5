// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/basics/command_palette.h"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QRegularExpression>
#include <QTimer>
#include <QVBoxLayout>

namespace divisi::shell {

QString plain_text(QString text) {
    static const QRegularExpression suffix(QStringLiteral("\\(&.\\)|\\.\\.\\.|&"));
    return text.remove(suffix);
}

QString plain_text(const QAction& action) { return plain_text(action.text()); }

CommandPalette::CommandPalette(const std::vector<QAction*>& actions, QWidget* parent)
    : QDialog(parent, Qt::Popup | Qt::FramelessWindowHint),
      actions_(actions),
      input_(new QLineEdit(this)),
      list_(new QListWidget(this)) {
    setObjectName(QStringLiteral("commandPalette"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, 8);
    column->setSpacing(8);
    column->addWidget(input_);
    column->addWidget(list_);
    input_->setPlaceholderText(tr("Type an action"));
    input_->setAccessibleName(tr("Find an action"));
    list_->setAccessibleName(tr("Actions found"));
    input_->installEventFilter(this);
    connect(input_, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(list_, &QListWidget::itemActivated, this, &CommandPalette::run_current);
    connect(list_, &QListWidget::itemClicked, this, &CommandPalette::run_current);
    filter({});
    resize(520, 400);
    const QPoint top = parent->mapToGlobal(QPoint((parent->width() - width()) / 2, 80));
    move(top);
    input_->setFocus();
}

void CommandPalette::filter(const QString& text) {
    list_->clear();
    QPixmap none(list_->iconSize().isValid() ? list_->iconSize() : QSize(16, 16));
    none.fill(Qt::transparent);  // aligns names of entries without an icon
    const QStringList words = text.split(u' ', Qt::SkipEmptyParts);
    for (QAction* action : actions_) {
        const QString name = plain_text(*action);
        bool fits = true;
        for (const QString& word : words) fits = fits && name.contains(word, Qt::CaseInsensitive);
        if (!fits) continue;
        const QString key = action->shortcut().toString(QKeySequence::NativeText);
        auto* item = new QListWidgetItem(key.isEmpty() ? name : name + QStringLiteral("    ") + key, list_);
        if (!action->isEnabled()) explain(*item, *action);
        item->setIcon(action->icon().isNull() ? QIcon(none) : action->icon());
        item->setData(Qt::UserRole, QVariant::fromValue<QObject*>(action));
    }
    for (int i = 0; i < list_->count(); ++i) {
        if (!(list_->item(i)->flags() & Qt::ItemIsEnabled)) continue;
        list_->setCurrentRow(i);
        break;
    }
}

/// Shows the reason why an action is disabled, both after its name and as its tooltip.
void CommandPalette::explain(QListWidgetItem& item, const QAction& action) {
    item.setFlags(item.flags() & ~Qt::ItemIsEnabled);
    const QString why = action.toolTip();
    if (why.isEmpty() || why == plain_text(action)) return;
    item.setText(item.text() + QStringLiteral(" \u2013 ") + why);
    item.setToolTip(why);
}

void CommandPalette::run_current() {
    const QListWidgetItem* item = list_->currentItem();
    if (!item || !(item->flags() & Qt::ItemIsEnabled)) return;
    auto* action = qobject_cast<QAction*>(item->data(Qt::UserRole).value<QObject*>());
    close();
    // Run the action after the palette has closed, so that the action can open a dialog.
    QTimer::singleShot(0, action, &QAction::trigger);
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (watched == input_ && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Return || key == Qt::Key_Enter) {
            run_current();
            return true;
        }
        if (key == Qt::Key_Down || key == Qt::Key_Up || key == Qt::Key_PageDown || key == Qt::Key_PageUp) {
            QCoreApplication::sendEvent(list_, event);
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

}  // namespace divisi::shell

#include "moc_command_palette.cpp"
