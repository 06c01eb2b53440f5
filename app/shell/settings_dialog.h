// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QPushButton>
#include <vector>

#include "app/shell/actions.h"
#include "app/shell/choices.h"

namespace divisi::shell {

/// Settings of the console. Every entry acts at once; there is nothing to confirm. Language and what else the Settings
/// menu switches go by the menu's own actions, so that the two always agree.
class SettingsDialog : public QDialog {
    Q_OBJECT
public:
    SettingsDialog(QSettings& settings, Actions& actions, QWidget* parent);

Q_SIGNALS:
    void choicesChanged();
    void recentCleared();

protected:
    void changeEvent(QEvent* event) override;

private:
    void add_language(Actions& actions);
    void add_switches(Actions& actions);
    void add_choices();
    void retranslate();

    Choices choices_;
    std::vector<std::pair<QCheckBox*, QAction*>> switches_;
    QLabel *language_title_, *unsaved_title_, *tasks_title_;
    QComboBox *language_, *unsaved_, *tasks_;
    QPushButton *clear_recent_, *close_;
};

}  // namespace divisi::shell
