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
#include "app/panels/module_text.h"

namespace divisi::panels {

/// Functional modules (draft 002, 4.2): who advises the orchestrator, what became of the advice, and for which tasks
/// each is on. Who may, starts, stops, exchanges and switches them here.
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
    /// An advice of what the cluster said last, and whose it is.
    using AdvicePlace = std::pair<const control::ModuleView*, const control::AdviceView*>;
    /// Whether modules of a name advise about a task.
    struct Switch {
        bool off = false;      ///< for every task
        bool without = false;  ///< for this one
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
    /// Why nothing may be changed; empty where it may.
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
    /// What was asked of the cluster is under way; `done` is said once it is.
    void ask(const QString& done);
    void answered();
    void retranslate();

    client::Client* client_;
    std::optional<SeenModules> seen_;
    std::vector<TaskId> tasks_;  ///< rows of the page of tasks; the first, which is empty, stands for all
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
