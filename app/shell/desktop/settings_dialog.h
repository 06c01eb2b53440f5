// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QPushButton>
#include <vector>

#include "app/shell/basics/actions.h"
#include "app/shell/basics/choices.h"

namespace divisi::shell {

/// Edits the settings of the console. Every change takes effect immediately, without confirmation. Settings that are
/// also in the Settings menu, such as the language, use the menu's actions, so that dialog and menu always agree.
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
