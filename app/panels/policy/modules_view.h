// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QButtonGroup>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableWidget>
#include <QTimer>
#include <QWidget>
#include <optional>

#include "app/client/client.h"
#include "app/panels/policy/module_text.h"

namespace divisi::panels {

/// Shows functional modules (draft 002, 4.2): who advises the orchestrator, the outcome of the advice, and the tasks
/// for which each module is on. Authorised users can start, stop, replace and switch modules here.
class ModulesView : public QWidget {
    Q_OBJECT
public:
    explicit ModulesView(client::Client* client, QWidget* parent = nullptr);

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    enum Page { modules_page, advice_page, tasks_page };
    /// An advice from the cluster's last report, with its module.
    using AdvicePlace = std::pair<const control::ModuleView*, const control::AdviceView*>;
    /// Whether modules of a name advise about a task.
    struct Switch {
        bool off = false;      ///< off for every task
        bool without = false;  ///< off for this task
        bool on() const { return !off && !without; }
    };

    void build_bar();
    void build_pages();
    void connect_client();
    void poll();
    void status_changed();
    void refresh();
    void refresh_bar();
    void fill_modules(const model::Colours& colours);
    void fill_advice(const model::Colours& colours);
    void fill_tasks(const model::Colours& colours);
    std::vector<AdvicePlace> advice() const;
    std::vector<TaskId> sorted_tasks() const;
    Switch switch_of(const std::string& name, const TaskId& task) const;
    void fill_switch(int row, int column, const TaskId& task, const model::Colours& colours);
    void show_chosen();
    QString empty_text() const;
    QString no_modules_text() const;
    /// Returns why nothing may be changed; empty if changes are allowed.
    QString why_not() const;
    const control::ModuleView* chosen() const;
    bool other_versions(const control::ModuleView& module) const;
    std::vector<std::string> names() const;
    void fill_start_menu();
    void choose_program();
    void start(const std::string& name, const std::string& program);
    void stop();
    void use();
    void show_filtered();
    void switch_chosen();
    void switch_module(const std::string& name, const TaskId& task, bool on);
    void toggled(QTableWidgetItem* item);
    void show_menu(const QPoint& at);
    void fill_menu(QMenu& menu, const control::ModuleView& one);
    /// Notes that a request to the cluster is under way; `done` is shown when it has succeeded.
    void ask(const QString& done);
    void answered();
    void retranslate();

    client::Client* client_;
    std::optional<SeenModules> seen_;
    std::vector<TaskId> tasks_;  ///< rows of the tasks page; the first is empty and means all tasks
    bool connected_ = false, filling_ = false;
    std::optional<QString> asked_;
    QButtonGroup* pages_;
    QPushButton *start_, *stop_, *use_, *switch_;
    QMenu* start_menu_;
    QLineEdit* filter_;
    QLabel *notice_, *empty_;
    QStackedWidget* stack_;
    QWidget* split_;
    QTableWidget *modules_, *given_, *switches_, *fields_;
    QTimer tick_;
};

}  // namespace divisi::panels
