// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMenu>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableWidget>
#include <optional>

#include "app/panels/policy/module_text.h"
#include "app/panels/tables/list_page.h"

namespace divisi::panels {

/// Shows functional modules (draft 002, 4.2): which modules advise the orchestrator, the outcome of the advice, and the
/// tasks for which each module is on. Authorised users can start, stop, replace and switch modules here.
class ModulesView : public ListPage {
    Q_OBJECT
public:
    explicit ModulesView(client::Client* client, QWidget* parent = nullptr);

protected:
    void refresh() override;
    void retranslate() override;
    void filter_rows(const QString& text) override;
    void appear() override;
    void poll() override;
    void recolour() override { refresh(); }
    bool has_rows() const override;
    QString no_rows_text() const override;

private:
    enum Page { modules_page, advice_page, tasks_page };
    /// A piece of advice from the cluster's last report, with its module.
    using AdvicePlace = std::pair<const control::ModuleView*, const control::AdviceView*>;
    /// Whether the module with a given name is on for a given task.
    struct Switch {
        bool off = false;      ///< whether the module is off for all tasks
        bool without = false;  ///< whether the module is off for this task
        bool on() const { return !off && !without; }
    };

    void build_bar();
    void build_pages();
    void connect_client();
    void status_changed();
    void refresh_bar();
    void fill_modules(const model::Colours& colours);
    void fill_advice(const model::Colours& colours);
    void fill_tasks(const model::Colours& colours);
    std::vector<AdvicePlace> advice() const;
    std::vector<TaskId> sorted_tasks() const;
    Switch switch_of(const std::string& name, const TaskId& task) const;
    void fill_switch(int row, int column, const TaskId& task, const model::Colours& colours);
    void show_chosen();
    QString no_modules_text() const;
    /// Returns why no change is allowed; empty if changes are allowed.
    QString why_not() const;
    const control::ModuleView* chosen() const;
    bool other_versions(const control::ModuleView& module) const;
    std::vector<std::string> names() const;
    void fill_start_menu();
    void choose_program();
    void start(const std::string& name, const std::string& program);
    void stop();
    void use();
    void switch_chosen();
    void switch_module(const std::string& name, const TaskId& task, bool on);
    void toggled(QTableWidgetItem* item);
    void show_menu(const QPoint& at);
    void fill_menu(QMenu& menu, const control::ModuleView& one);
    /// Records that a request to the cluster has been sent. `done` is the text to show when the request has succeeded.
    void ask(const QString& done);
    void answered();

    std::optional<SeenModules> seen_;
    std::vector<TaskId> tasks_;  ///< rows of the tasks page; the first is empty and means all tasks
    bool connected_ = false, filling_ = false;
    std::optional<QString> asked_;
    QButtonGroup* pages_ = nullptr;
    QPushButton *start_, *stop_, *use_, *switch_;
    QMenu* start_menu_;
    QStackedWidget* stack_;
    QTableWidget *modules_, *given_, *switches_, *fields_;
};

}  // namespace divisi::panels
