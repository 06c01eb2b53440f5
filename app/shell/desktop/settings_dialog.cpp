// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/desktop/settings_dialog.h"

#include <QEvent>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QVBoxLayout>
#include <string_view>

#include "app/shell/basics/command_palette.h"
#include "app/shell/desktop/recent_files.h"

namespace divisi::shell {

namespace {

/// The language actions of the menu, of which exactly one is checked. This dialog shows them as one combo box.
constexpr const char* language_actions[] = {"english", "chinese"};

bool is_language(const char* id) {
    return std::string_view(id) == language_actions[0] || std::string_view(id) == language_actions[1];
}

}  // namespace

SettingsDialog::SettingsDialog(QSettings& settings, Actions& actions, QWidget* parent)
    : QDialog(parent),
      choices_(settings),
      language_title_(new QLabel(this)),
      unsaved_title_(new QLabel(this)),
      tasks_title_(new QLabel(this)),
      language_(new QComboBox(this)),
      unsaved_(new QComboBox(this)),
      tasks_(new QComboBox(this)),
      clear_recent_(new QPushButton(this)),
      close_(new QPushButton(this)) {
    setObjectName(QStringLiteral("settingsDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    language_->setObjectName(QStringLiteral("settingsLanguage"));
    unsaved_->setObjectName(QStringLiteral("settingsUnsaved"));
    tasks_->setObjectName(QStringLiteral("settingsTasks"));
    clear_recent_->setObjectName(QStringLiteral("settingsClearRecent"));
    clear_recent_->setEnabled(!RecentFiles::kept(settings).isEmpty());
    add_language(actions);
    add_switches(actions);
    add_choices();
    auto* form = new QFormLayout;
    form->setVerticalSpacing(16);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->addRow(language_title_, language_);
    for (const auto& [box, action] : switches_) form->addRow(QString(), box);
    form->addRow(unsaved_title_, unsaved_);
    form->addRow(tasks_title_, tasks_);
    unsaved_title_->setBuddy(unsaved_);
    tasks_title_->setBuddy(tasks_);
    language_title_->setBuddy(language_);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(clear_recent_);
    buttons->addStretch();
    buttons->addWidget(close_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(24, 24, 24, 16);
    column->setSpacing(24);
    column->addLayout(form);
    column->addStretch();
    column->addLayout(buttons);
    close_->setDefault(true);
    connect(close_, &QPushButton::clicked, this, &QDialog::accept);
    connect(clear_recent_, &QPushButton::clicked, this, [this] {
        clear_recent_->setEnabled(false);
        Q_EMIT recentCleared();
    });
    retranslate();
}

/// Adds the choice of a language. Each language is named in that language, as in the menu.
void SettingsDialog::add_language(Actions& actions) {
    for (const char* id : language_actions) {
        QAction* action = actions.get(id);
        language_->addItem(plain_text(*action), QString::fromLatin1(id));
        if (action->isChecked()) language_->setCurrentIndex(language_->count() - 1);
    }
    connect(language_, &QComboBox::activated, this,
            [this, &actions](int row) { actions.get(language_->itemData(row).toString().toStdString())->trigger(); });
}

void SettingsDialog::add_switches(Actions& actions) {
    for (const auto& [spec, action] : actions.all()) {
        if (std::string_view(spec.menu) != "&Settings" || !action->isCheckable() || is_language(spec.id)) continue;
        auto* box = new QCheckBox(this);
        box->setObjectName(QStringLiteral("settings.%1").arg(QString::fromLatin1(spec.id)));
        box->setChecked(action->isChecked());
        connect(box, &QCheckBox::clicked, action, &QAction::trigger);
        connect(action, &QAction::changed, box, [box, action = action] { box->setChecked(action->isChecked()); });
        switches_.emplace_back(box, action);
    }
}

void SettingsDialog::add_choices() {
    for (QComboBox* box : {unsaved_, tasks_}) box->addItems({QString(), QString(), QString()});
    unsaved_->setCurrentIndex(static_cast<int>(choices_.unsaved()));
    tasks_->setCurrentIndex(static_cast<int>(choices_.tasks()));
    connect(unsaved_, &QComboBox::activated, this, [this](int row) {
        choices_.set(static_cast<UnsavedChoice>(row));
        Q_EMIT choicesChanged();
    });
    connect(tasks_, &QComboBox::activated, this, [this](int row) {
        choices_.set(static_cast<TasksChoice>(row));
        Q_EMIT choicesChanged();
    });
}

void SettingsDialog::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    QDialog::changeEvent(event);
}

void SettingsDialog::retranslate() {
    setWindowTitle(tr("Settings"));
    language_title_->setText(tr("&Language"));
    for (const auto& [box, action] : switches_) box->setText(plain_text(*action));
    unsaved_title_->setText(tr("Un&saved changes"));
    const QString ask = tr("Ask each time");
    const QString unsaved[] = {ask, tr("Save them; ask only if that fails"), tr("Discard them")};
    for (int row = 0; row < unsaved_->count(); ++row) unsaved_->setItemText(row, unsaved[row]);
    tasks_title_->setText(tr("Running &tasks when the window closes"));
    const QString tasks[] = {ask, tr("Close when they have ended"), tr("Stop them and close")};
    for (int row = 0; row < tasks_->count(); ++row) tasks_->setItemText(row, tasks[row]);
    clear_recent_->setText(tr("&Forget recent files"));
    close_->setText(tr("Close"));
}

}  // namespace divisi::shell

#include "moc_settings_dialog.cpp"
