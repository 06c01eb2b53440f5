// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QLineEdit>
#include <QListWidget>
#include <vector>

#include "app/shell/actions.h"

namespace divisi::shell {

/// Finds any action by a part of its name: type, choose with the arrows, Enter runs it. What cannot be taken says why.
class CommandPalette : public QDialog {
    Q_OBJECT
public:
    CommandPalette(const std::vector<QAction*>& actions, QWidget* parent);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void filter(const QString& text);
    static void explain(QListWidgetItem& item, const QAction& action);
    void run_current();

    std::vector<QAction*> actions_;
    QLineEdit* input_;
    QListWidget* list_;
};

/// An action's name, or a menu's, without mnemonics and dots: "Run task" of "&Run task..." and of "Run task(&R)...".
QString plain_text(QString text);
QString plain_text(const QAction& action);

}  // namespace divisi::shell
