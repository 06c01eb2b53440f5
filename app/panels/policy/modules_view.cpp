// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/policy/modules_view.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QHeaderView>
#include <algorithm>

#include "app/model/wording/sorted_rows.h"
#include "app/model/wording/states.h"
#include "app/model/wording/text.h"
#include "app/panels/tables/plain_table.h"
#include "app/panels/tables/text_table.h"
#include "backend/control/protocol/policy_messages.h"

namespace divisi::panels {

namespace {

using control::ModuleState;

constexpr int tick_ms = 500;

enum ModuleColumn { module, version, state, taken, refused, expired, answers, heard, newest, module_columns };
enum AdviceColumn { advised, kind, target, value, standing, valid, effect, because, confidence, given, advice_columns };

QString text_of(const std::string& text) { return QString::fromStdString(text); }

bool is_reachable(const control::ModuleView& module) {
    return module.state != ModuleState::gone && module.state != ModuleState::cut_off;
}

void align_right(QTableWidget& table, int row, std::initializer_list<int> columns) {
    for (const int column : columns) table.item(row, column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
}

// Returns the id of a module's row. The id stays the same when rows move.
QString id_of(const control::ModuleView& module) {
    return QStringLiteral("%1 %2 %3").arg(module.info.pid).arg(text_of(module.info.name), text_of(module.info.version));
}
QString id_of(const control::ModuleView& module, const control::AdviceView& advice) {
    return id_of(module) + QStringLiteral(" %1").arg(advice.echo.number);
}

// Makes a cell with its sort key. A missing value is shown as a dash and sorts last.
RowCell count_cell(std::uint64_t number, const QColor& colour = {}) {
    return {model::count_text(static_cast<std::int64_t>(number)), QVariant::fromValue<qulonglong>(number), colour};
}
RowCell time_cell(const QString& text, TimePoint time) {
    return {text, time == TimePoint{} ? QVariant() : QVariant::fromValue<qlonglong>(time.time_since_epoch().count())};
}

TableRow row_of(const control::ModuleView& one, TimePoint now, const model::Colours& colours) {
    const model::StateLook look = model::look_of(one.state, colours);
    const QString last = one.newest.empty() ? QString() : short_text(one.newest.front().echo.advice);
    return {id_of(one),
            {{text_of(one.info.name)},
             {text_of(one.info.version)},
             {look.text(), {}, look.colour},
             count_cell(one.taken),
             count_cell(one.refused, one.refused > 0 ? colours.warning : QColor()),
             count_cell(one.expired),
             {answer_text(one), one.answer_ms > 0 ? QVariant(one.answer_ms) : QVariant()},
             time_cell(ago_text(one.heard, now), one.heard),
             {last}}};
}

TableRow row_of(const control::ModuleView& from, const control::AdviceView& one, TimePoint now,
                const model::Colours& colours) {
    const control::Advice& advice = one.echo.advice;
    const model::StateLook look = model::look_of(one.echo.outcome, colours);
    const bool of_node = advice.kind == control::AdviceKind::node_avoidance;
    return {id_of(from, one),
            {{text_of(from.info.name)},
             {kind_text(advice.kind)},
             {target_text(advice)},
             {value_text(advice), of_node ? QVariant() : QVariant::fromValue<qlonglong>(advice.value)},
             {look.text(), {}, look.colour},
             time_cell(until_text(one, now), one.until),
             {effect_text(one.echo)},
             {text_of(advice.reason)},
             {model::percent(advice.confidence), advice.confidence},
             time_cell(model::clock_text(one.given), one.given)},
            one.given};
}

}  // namespace

ModulesView::ModulesView(client::Client* client, QWidget* parent)
    : ListPage("module", client, parent),
      start_(new QPushButton(this)),
      stop_(new QPushButton(this)),
      use_(new QPushButton(this)),
      switch_(new QPushButton(this)),
      start_menu_(new QMenu(this)),
      stack_(new QStackedWidget(this)),
      modules_(make_text_table("moduleTable", module_columns, this)),
      given_(make_text_table("adviceTable", advice_columns, this)),
      switches_(make_text_table("moduleSwitches", 1, this)),
      fields_(new QTableWidget(0, 2, this)) {
    setObjectName(QStringLiteral("modules"));
    build_bar();
    build_pages();
    poll_every(tick_ms);
    connect(start_menu_, &QMenu::aboutToShow, this, &ModulesView::fill_start_menu);
    connect(stop_, &QPushButton::clicked, this, &ModulesView::stop);
    connect(use_, &QPushButton::clicked, this, &ModulesView::use);
    connect(switch_, &QPushButton::clicked, this, &ModulesView::switch_chosen);
    connect(modules_, &QTableWidget::itemSelectionChanged, this, &ModulesView::refresh_bar);
    connect(modules_, &QTableWidget::itemSelectionChanged, this, &ModulesView::show_chosen);
    connect(modules_, &QTableWidget::customContextMenuRequested, this, &ModulesView::show_menu);
    connect(given_, &QTableWidget::itemSelectionChanged, this, &ModulesView::show_chosen);
    connect(switches_, &QTableWidget::itemChanged, this, &ModulesView::toggled);
    connect(pages_, &QButtonGroup::idClicked, this, [this](int page) {
        stack_->setCurrentIndex(page);
        refresh();
    });
    connect_client();
    retranslate();
}

void ModulesView::connect_client() {
    if (!client_) return;
    client_->on_answer<control::QueryModules>(this, [this](const control::ModulesState& came) {
        seen_ = SeenModules{came, std::chrono::steady_clock::now()};
        refresh();
    });
    connect(client_, &client::Client::moduleChanged, this, &ModulesView::answered);
    const auto policies_set = [this](const control::PolicyNumber&) { answered(); };
    client_->on_answer<control::SetPolicies>(this, policies_set);
    client_->on_answer<control::RollBackPolicies>(this, policies_set);
    connect(client_, &client::Client::refused, this, [this](const QString& why) {
        if (!std::exchange(asked_, std::nullopt)) return;
        show_notice(why, true);
        refresh();
    });
    connect(client_, &client::Client::statusChanged, this, &ModulesView::status_changed);
}

void ModulesView::build_bar() {
    pages_ = &add_pages({"showModules", "showAdvice", "showModuleTasks"});
    start_->setObjectName(QStringLiteral("startModule"));
    start_->setMenu(start_menu_);
    start_menu_->setObjectName(QStringLiteral("startModuleMenu"));
    stop_->setObjectName(QStringLiteral("stopModule"));
    use_->setObjectName(QStringLiteral("useModule"));
    switch_->setObjectName(QStringLiteral("switchModule"));
    for (QPushButton* button : {switch_, use_, stop_, start_}) bar().addWidget(button);
    setTabOrder(switch_, &filter());
}

void ModulesView::build_pages() {
    modules_->setContextMenuPolicy(Qt::CustomContextMenu);
    switches_->setSelectionBehavior(QAbstractItemView::SelectItems);
    for (QTableWidget* table : {modules_, given_, switches_}) {
        table->setMinimumWidth(200);
        stack_->addWidget(table);
        show_sorting(*table);
        connect(table->horizontalHeader(), &QHeaderView::sortIndicatorChanged, this, &ModulesView::refresh);
    }
    fields_->setObjectName(QStringLiteral("moduleFields"));
    make_fields(*fields_);
    fields_->setMinimumWidth(260);
    fields_->hide();
    clear_by_escape(set_list(*stack_, *fields_, {3, 2}, Details::beside), {modules_, given_});
}

// --- data from the cluster ----------------------------------------------------------------------

void ModulesView::poll() {
    if (!client_ || !is_on_screen()) return;
    client_->poll(control::QueryModules{});
    refresh();  // updates ages even without an answer
}

void ModulesView::status_changed() {
    const bool connected = is_connected();
    if (std::exchange(connected_, connected) != connected) {
        seen_.reset();
        asked_.reset();
        hide_notice();
    }
    refresh();
}

void ModulesView::ask(const QString& done) {
    asked_ = done;
    refresh_bar();
}

void ModulesView::answered() {
    if (!asked_) return;
    show_notice(*asked_, false);
    asked_.reset();
    poll();
    refresh();
}

void ModulesView::refresh() {
    if (isVisible()) {
        const model::Colours& colours = model::colours_of(palette());
        filling_ = true;  // ignore selection changes that result from filling the table
        fill_modules(colours);
        fill_advice(colours);
        fill_tasks(colours);
        filter_rows(filter_text());
        filling_ = false;
        show_chosen();
    }
    refresh_bar();
}

void ModulesView::filter_rows(const QString& text) {
    for (QTableWidget* table : {modules_, given_, switches_}) show_only(*table, text);
}

void ModulesView::fill_modules(const model::Colours& colours) {
    std::vector<TableRow> rows;
    if (seen_)
        for (const control::ModuleView& one : seen_->state.modules) rows.push_back(row_of(one, seen_->time(), colours));
    show_rows(*modules_, std::move(rows));
    for (int row = 0; row < modules_->rowCount(); ++row)
        align_right(*modules_, row, {taken, refused, expired, answers});
    if (!seen_) return;
    for (const control::ModuleView& one : seen_->state.modules)
        if (!one.detail.empty())
            modules_->item(panels::row_of(*modules_, id_of(one)), state)->setToolTip(text_of(one.detail));
}

/// Shows the advice of all modules, newest first until a header is pressed.
void ModulesView::fill_advice(const model::Colours& colours) {
    std::vector<AdvicePlace> all = advice();
    std::ranges::stable_sort(all, std::ranges::greater(), [](const AdvicePlace& one) { return one.second->given; });
    std::vector<TableRow> rows;
    for (const auto& [from, one] : all) rows.push_back(row_of(*from, *one, seen_->time(), colours));
    show_rows(*given_, std::move(rows));
    for (int row = 0; row < given_->rowCount(); ++row) align_right(*given_, row, {value});
}

std::vector<ModulesView::AdvicePlace> ModulesView::advice() const {
    std::vector<AdvicePlace> all;
    if (seen_)
        for (const control::ModuleView& from : seen_->state.modules)
            for (const control::AdviceView& one : from.newest) all.emplace_back(&from, &one);
    return all;
}

/// Returns the tasks below the row for all tasks, by name. If a module's header is pressed, the tasks for which the
/// module is on come first.
std::vector<TaskId> ModulesView::sorted_tasks() const {
    std::vector<TaskId> tasks;
    if (client_)
        for (const auto& [id, task] : client_->data().state.tasks)
            if (!task.over()) tasks.push_back(id);
    const std::vector<std::string> columns = names();
    const QHeaderView& header = *switches_->horizontalHeader();
    const int column = header.sortIndicatorSection();
    if (column < 0 || column > static_cast<int>(columns.size())) return tasks;
    const auto key = [&](const TaskId& task) {
        if (column == 0) return QVariant(text_of(task.value()));
        return QVariant(switch_of(columns[static_cast<std::size_t>(column - 1)], task).on() ? 0 : 1);
    };
    const bool descending = header.sortIndicatorOrder() == Qt::DescendingOrder;
    std::ranges::stable_sort(tasks, [&](const TaskId& one, const TaskId& other) {
        return descending ? model::sorts_before(key(other), key(one)) : model::sorts_before(key(one), key(other));
    });
    return tasks;
}

/// Adds a switch for each module and task and, above these, a switch for each module as a whole.
void ModulesView::fill_tasks(const model::Colours& colours) {
    const int before = switches_->currentRow();
    const bool some = before >= 0 && before < static_cast<int>(tasks_.size());
    const TaskId kept = some ? tasks_[static_cast<std::size_t>(before)] : TaskId();
    tasks_ = sorted_tasks();
    tasks_.insert(tasks_.begin(), TaskId());
    const std::vector<std::string> columns = names();
    QStringList headers{tr("Task")};
    for (const std::string& name : columns) headers.append(text_of(name));
    if (switches_->columnCount() != headers.size()) switches_->setColumnCount(static_cast<int>(headers.size()));
    switches_->setHorizontalHeaderLabels(headers);
    set_rows(*switches_, tasks_.size());
    for (int row = 0; row < switches_->rowCount(); ++row) {
        const TaskId& task = tasks_[static_cast<std::size_t>(row)];
        QTableWidgetItem* name = switches_->item(row, 0);
        if (!name) switches_->setItem(row, 0, name = new QTableWidgetItem);
        name->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
        name->setText(task.value().empty() ? tr("Every task") : text_of(task.value()));
        for (int column = 1; column < switches_->columnCount(); ++column) fill_switch(row, column, task, colours);
    }
    const auto found = std::ranges::find(tasks_, kept);
    const int now = found == tasks_.end() ? -1 : static_cast<int>(found - tasks_.begin());  // -1 if the task has ended
    if (some && now != switches_->currentRow()) switches_->setCurrentCell(now, switches_->currentColumn());
}

ModulesView::Switch ModulesView::switch_of(const std::string& name, const TaskId& task) const {
    Switch found;
    for (const control::ModuleView& one : seen_->state.modules) {
        if (one.info.name != name) continue;
        found.off = found.off || one.state == ModuleState::off;
        found.without = found.without || std::ranges::find(one.without, task.value()) != one.without.end();
    }
    return found;
}

void ModulesView::fill_switch(int row, int column, const TaskId& task, const model::Colours& colours) {
    const std::string name = names()[static_cast<std::size_t>(column - 1)];
    const Switch now = switch_of(name, task);
    const bool off = now.off, on = now.on(), one_task = !task.value().empty();
    const bool may = why_not().isEmpty() && !asked_ && !(off && one_task);
    QTableWidgetItem* item = switches_->item(row, column);
    if (!item) switches_->setItem(row, column, item = new QTableWidgetItem);
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable |
                   (may ? Qt::ItemIsUserCheckable : Qt::ItemFlag::NoItemFlags));
    item->setCheckState(on ? Qt::Checked : Qt::Unchecked);
    item->setText(on ? tr("on") : off && one_task ? tr("off for every task") : tr("off"));
    item->setForeground(on ? QBrush() : QBrush(colours.faint));
    const QString about = one_task ? text_of(task.value()) : tr("every task");
    item->setToolTip(!why_not().isEmpty() ? why_not()
                     : off && one_task    ? tr("%1 is off for every task; first switch it on in the row of every "
                                                  "task")
                                             .arg(text_of(name))
                     : on ? tr("Space or a click: %1 no longer advises about %2").arg(text_of(name), about)
                          : tr("Space or a click: %1 advises about %2 again").arg(text_of(name), about));
}

void ModulesView::show_chosen() {
    const model::Colours& colours = model::colours_of(palette());
    const int page = pages_->checkedId();
    Fields rows;
    if (const control::ModuleView* one = chosen(); page == modules_page && one)
        rows = fields_of(*one, seen_->time(), colours);
    if (page == advice_page)
        for (const auto& [from, one] : advice())
            if (id_of(*from, *one) == chosen_id(*given_)) rows = fields_of(*from, *one, seen_->time(), colours);
    fields_->setVisible(!rows.empty());
    if (!rows.empty()) show_fields(*fields_, rows);
}

// --- actions ------------------------------------------------------------------------------------

std::vector<std::string> ModulesView::names() const {
    std::vector<std::string> names;
    if (seen_)
        for (const control::ModuleView& one : seen_->state.modules)
            if (names.empty() || names.back() != one.info.name) names.push_back(one.info.name);
    return names;
}

const control::ModuleView* ModulesView::chosen() const {
    if (!seen_) return nullptr;
    const QString id = chosen_id(*modules_);
    const auto& all = seen_->state.modules;
    const auto found = std::ranges::find_if(all, [&](const control::ModuleView& one) { return id_of(one) == id; });
    return found == all.end() ? nullptr : &*found;
}

bool ModulesView::other_versions(const control::ModuleView& module) const {
    return std::ranges::any_of(seen_->state.modules, [&](const control::ModuleView& one) {
        return one.info.name == module.info.name && one.info.version != module.info.version && is_reachable(one);
    });
}

QString ModulesView::why_not() const {
    return why_not_changed(tr("Your role is read-only. Operators and admins change modules."));
}

QString ModulesView::no_modules_text() const {
    if (client_->status().embedded)
        return tr(
            "No module advises. Start one above: link-trend moves tensors off a path that degrades, compute-routing "
            "weighs paths and nodes by their load.");
    return tr(
        "No module advises. Add one as [[module]] to the cluster file, or run its program with --connect and the "
        "cluster's connection file.");
}

bool ModulesView::has_rows() const {
    if (!is_connected() || !seen_ || seen_->state.modules.empty()) return false;
    return pages_->checkedId() != advice_page || !advice().empty();
}

QString ModulesView::no_rows_text() const {
    if (!seen_) return tr("Asking for modules\u2026");
    if (seen_->state.modules.empty()) return no_modules_text();
    return tr("No advice yet. A module gives advice when it sees a reason in the running tasks that it observes.");
}

void ModulesView::refresh_bar() {
    const QString why = why_not();
    show_list();
    const control::ModuleView* one = chosen();
    const bool may = why.isEmpty() && !asked_, embedded = client_ && client_->status().embedded;
    const bool on = !one || one->state != ModuleState::off;
    start_->setEnabled(may && embedded);
    stop_->setEnabled(may && one && (is_reachable(*one) || embedded));
    use_->setEnabled(may && one && one->state == ModuleState::stands_by);
    switch_->setEnabled(may && one);
    for (QPushButton* button : {stop_, use_, switch_}) button->setVisible(pages_->checkedId() == modules_page);
    switch_->setText(on ? tr("Switch off") : tr("Switch on"));
    const QString choose = tr("Choose a module in the table first");
    const auto tip = [&](const QString& text) { return !why.isEmpty() ? why : one ? text : choose; };
    start_->setToolTip(!why.isEmpty() ? why
                       : embedded     ? tr("Run a module for this cluster, also after a restart of the cluster")
                                      : tr("The console starts modules only for an embedded cluster. Add the module as "
                                               "[[module]] to the cluster file, or run its program with --connect."));
    stop_->setToolTip(tip(tr("Stop the module and do not start it again")));
    use_->setToolTip(tip(one && one->state != ModuleState::stands_by
                             ? tr("Only a standby version can take over")
                             : tr("Let this version advise, and put the current version on standby")));
    switch_->setToolTip(
        tip(on ? tr("Ignore the module's advice and withdraw advice that is in force; the page Tasks does this for a "
                    "single task")
               : tr("Accept the module's advice again")));
}

void ModulesView::fill_start_menu() {
    start_menu_->clear();
    for (const std::string& name : client_->known_modules())
        connect(start_menu_->addAction(text_of(name)), &QAction::triggered, this, [this, name] { start(name, {}); });
    if (!start_menu_->isEmpty()) start_menu_->addSeparator();
    connect(start_menu_->addAction(tr("Another program\u2026")), &QAction::triggered, this,
            &ModulesView::choose_program);
}

void ModulesView::choose_program() {
    auto* dialog = new QFileDialog(this, tr("The program of a functional module"));
    dialog->setObjectName(QStringLiteral("moduleProgram"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
        QString name = QFileInfo(file).completeBaseName();
        name.remove(QStringLiteral("divisi-module-"));
        start(name.toStdString(), file.toStdString());
    });
    dialog->open();
}

void ModulesView::start(const std::string& name, const std::string& program) {
    ask(tr("%1 was started.").arg(text_of(name)));
    show_notice(tr("Starting %1\u2026").arg(text_of(name)), false);
    client_->order(client::StartModule{name, program});
}

/// Stops the chosen version of a module. If there is no other version, stops the whole module permanently, even if its
/// process hangs.
void ModulesView::stop() {
    const control::ModuleView* one = chosen();
    if (!one) return;
    const std::string name = one->info.name, number = other_versions(*one) ? one->info.version : std::string();
    ask(number.empty() ? tr("%1 was stopped.").arg(text_of(name))
                       : tr("%1 %2 was stopped.").arg(text_of(name), text_of(number)));
    client_->order(control::ChangeModule{name, true, number});
}

void ModulesView::use() {
    const control::ModuleView* one = chosen();
    if (!one) return;
    ask(tr("%1 %2 advises now.").arg(text_of(one->info.name), text_of(one->info.version)));
    client_->order(control::ChangeModule{one->info.name, false, one->info.version});
}

void ModulesView::switch_chosen() {
    if (const control::ModuleView* one = chosen())
        switch_module(one->info.name, TaskId(), one->state == ModuleState::off);
}

/// Sets the policy entry of a module, as `divisictl modules enable` and `disable` do.
void ModulesView::switch_module(const std::string& name, const TaskId& task, bool on) {
    const QString about = task.value().empty() ? tr("every task") : text_of(task.value());
    ask((on ? tr("%1 is on for %2.") : tr("%1 is off for %2.")).arg(text_of(name), about));
    const std::string about_task = task.value().empty() ? "" : ":" + task.value();
    client_->order(control::SetPolicies{{"module:" + name + about_task + (on ? "=default" : "=off")}});
}

void ModulesView::toggled(QTableWidgetItem* item) {
    if (filling_ || item->column() == 0) return;
    const auto row = static_cast<std::size_t>(item->row()), column = static_cast<std::size_t>(item->column());
    const std::vector<std::string> columns = names();
    if (row < tasks_.size() && column <= columns.size())
        switch_module(columns[column - 1], tasks_[row], item->checkState() == Qt::Checked);
}

void ModulesView::show_menu(const QPoint& at) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("moduleMenu"));
    menu->setToolTipsVisible(true);
    if (const control::ModuleView* one = chosen()) fill_menu(*menu, *one);
    offer_sorting(*menu, *modules_);
    offer_copies(*menu, *modules_);
    menu->popup(modules_->viewport()->mapToGlobal(at));
}

void ModulesView::fill_menu(QMenu& menu, const control::ModuleView& one) {
    for (QPushButton* button : {switch_, use_, stop_}) {
        QAction* action = menu.addAction(button->text());
        action->setEnabled(button->isEnabled());
        action->setToolTip(button->toolTip());
        connect(action, &QAction::triggered, button, &QPushButton::click);
    }
    menu.addSection(tr("Advises about"));
    for (std::size_t row = 1; row < tasks_.size(); ++row) {
        const TaskId task = tasks_[row];
        QAction* action = menu.addAction(text_of(task.value()));
        action->setCheckable(true);
        action->setChecked(std::ranges::find(one.without, task.value()) == one.without.end());
        action->setEnabled(switch_->isEnabled() && one.state != ModuleState::off);
        connect(action, &QAction::toggled, this,
                [this, name = one.info.name, task](bool on) { switch_module(name, task, on); });
    }
}

// --- window events ------------------------------------------------------------------------------

void ModulesView::appear() {
    poll();
    refresh();
}

void ModulesView::retranslate() {
    set_filter_texts(tr("Show only rows with this text"), tr("Filter of modules, advice and tasks"));
    pages_->button(modules_page)->setText(tr("Modules"));
    pages_->button(modules_page)->setToolTip(tr("Functional modules and their state"));
    pages_->button(advice_page)->setText(tr("Advice"));
    pages_->button(advice_page)->setToolTip(tr("Recent advice and its outcome"));
    pages_->button(tasks_page)->setText(tr("Tasks"));
    pages_->button(tasks_page)->setToolTip(tr("Modules switched on, by task"));
    start_->setText(tr("Start"));
    stop_->setText(tr("Stop"));
    use_->setText(tr("Use"));
    modules_->setAccessibleName(tr("Functional modules"));
    given_->setAccessibleName(tr("Advice of functional modules"));
    switches_->setAccessibleName(tr("Switches of functional modules by task"));
    fields_->setAccessibleName(tr("Fields of the selected module or advice"));
    modules_->setHorizontalHeaderLabels({tr("Module"), tr("Version"), tr("State"), tr("Taken"), tr("Refused"),
                                         tr("Expired"), tr("Response time"), tr("Last heard"), tr("Newest advice")});
    given_->setHorizontalHeaderLabels({tr("Module"), tr("Advice"), tr("Target"), tr("Value"), tr("State"), tr("Valid"),
                                       tr("Outcome"), tr("Because"), tr("Confidence"), tr("Given")});
    refresh();
}

}  // namespace divisi::panels

#include "moc_modules_view.cpp"
