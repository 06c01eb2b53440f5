// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QLineEdit>
#include <QListWidget>
#include <vector>

#include "app/shell/basics/actions.h"

namespace divisi::shell {

/// Finds any action by a part of its name: type, choose with the arrow keys, run with Enter. Disabled actions show the
/// reason.
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

/// Returns the name of an action or menu without mnemonics and dots: "Run task" for "&Run task..." and for "Run
/// task(&R)...".
QString plain_text(QString text);
QString plain_text(const QAction& action);

}  // namespace divisi::shell
