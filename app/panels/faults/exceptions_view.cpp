// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/faults/exceptions_view.h"

#include <QHeaderView>
#include <QScrollBar>
#include <algorithm>

#include "app/client/refusal_text.h"
#include "app/model/tracking/unit_graph.h"
#include "app/model/wording/event_line.h"
#include "app/model/wording/sorted_rows.h"
#include "app/model/wording/states.h"
#include "app/model/wording/text.h"
#include "app/panels/tables/plain_table.h"
#include "app/panels/tables/text_table.h"
#include "backend/control/protocol/task_events.h"

namespace divisi::panels {

namespace {

/// Interval for repeating the query for the log of the chosen exception.
constexpr int tick_ms = 500;

enum Column { number, task, failed, recovered, node, error, column_count };
enum LogColumn { time, what, log_columns };

QString text_of(const std::string& text) { return QString::fromStdString(text); }

QString recovered_times(std::uint32_t times) {
    return times == 0 ? ExceptionsView::tr("never") : model::count_text(times);
}

QString recovery_text(const control::Recovery& one) {
    const QString from =
        one.step > 0 ? ExceptionsView::tr("from step %1").arg(one.step) : ExceptionsView::tr("from the beginning");
    const QString whose = one.culprit.value().empty() ? QString() : text_of(one.culprit.value()) + QStringLiteral(": ");
    return ExceptionsView::tr("generation %1, %2").arg(one.generation).arg(from) + QStringLiteral("; ") + whose +
           client::quoted(one.reason);
}

/// Returns the sort key of a column.
QVariant key_of(const control::ExceptionEntry& entry, int column) {
    switch (column) {
        case number: return QVariant::fromValue<qulonglong>(entry.number);
        case task: return text_of(entry.task.value());
        case failed: return QVariant::fromValue<qlonglong>(entry.time.time_since_epoch().count());
        case recovered: return entry.recovered;
        case node: return text_of(entry.node.value());
        default: return client::quoted(entry.error);
    }
}

/// Returns the names and values of the fields; fields without a value are left out.
std::vector<std::pair<QString, QString>> fields_of(const control::ExceptionEntry& entry) {
    std::vector<std::pair<QString, QString>> rows;
    const auto add = [&](const QString& name, const QString& value) {
        if (!value.isEmpty()) rows.emplace_back(name, value);
    };
    add(ExceptionsView::tr("Error"), client::quoted_problem(entry.error));
    add(ExceptionsView::tr("Where"), text_of(entry.error.where));
    add(ExceptionsView::tr("What to do"), client::quoted_next(entry.error));
    add(ExceptionsView::tr("Node"), text_of(entry.node.value()));
    add(ExceptionsView::tr("Instance"), text_of(entry.instance.value()));
    add(ExceptionsView::tr("Operation"), model::operation_text(entry.operation));
    add(ExceptionsView::tr("Steps done"), model::count_text(entry.step));
    add(ExceptionsView::tr("Recovered"), recovered_times(entry.recovered));
    for (const control::Recovery& one : entry.tried) add(model::date_text(one.time), recovery_text(one));
    return rows;
}

}  // namespace

ExceptionsView::ExceptionsView(client::Client* client, QWidget* parent)
    : ListPage("exception", client, parent),
      retry_(new QPushButton(this)),
      edit_(new QPushButton(this)),
      drop_(new QPushButton(this)),
      opened_(new QTabWidget(this)),
      table_(make_text_table("exceptionTable", column_count, this)),
      fields_(new QTableWidget(0, 2, this)),
      log_(make_text_table("exceptionLog", log_columns, this)) {
    setObjectName(QStringLiteral("exceptions"));
    build();
    poll_every(tick_ms);
    connect(retry_, &QPushButton::clicked, this, &ExceptionsView::retry);
    connect(edit_, &QPushButton::clicked, this, &ExceptionsView::edit);
    connect(drop_, &QPushButton::clicked, this, &ExceptionsView::drop);
    connect(table_->horizontalHeader(), &QHeaderView::sortIndicatorChanged, this, &ExceptionsView::refresh);
    connect(table_, &QTableWidget::itemSelectionChanged, this, [this] {
        if (filling_) return;
        show_chosen();
        refresh_bar();
        poll();
    });
    if (client_) connect_client();
    retranslate();
}

void ExceptionsView::build() {
    retry_->setObjectName(QStringLiteral("retryException"));
    edit_->setObjectName(QStringLiteral("editException"));
    drop_->setObjectName(QStringLiteral("dropException"));
    show_sorting(*table_);
    fields_->setObjectName(QStringLiteral("exceptionFields"));
    make_fields(*fields_);
    opened_->setObjectName(QStringLiteral("exceptionOpened"));
    opened_->addTab(fields_, QString());
    opened_->addTab(log_, QString());
    set_list(*table_, *opened_, {1, 1}, Details::below_if_narrow);
    add_count();
    for (QPushButton* button : {retry_, edit_, drop_}) {
        bar().addWidget(button);
        offer_in_menu(*table_, *button);
    }
    drop_by_key(*table_, *drop_);
}

void ExceptionsView::connect_client() {
    connect(client_, &client::Client::dataChanged, this, &ExceptionsView::refresh);
    connect(client_, &client::Client::statusChanged, this, &ExceptionsView::refresh);
    client_->on_answer<control::QueryLog>(this, &ExceptionsView::take);
    connect(client_, &client::Client::refused, this, [this](const QString& why) {
        if (!std::exchange(asked_, std::nullopt)) return;
        show_notice(why, true);
        refresh_bar();
    });
}

void ExceptionsView::poll() {
    const control::ExceptionEntry* one = chosen();
    if (!one || !is_on_screen()) return;
    if (!excerpt_ || excerpt_->number != one->number) client_->poll(control::log_around(*one));
}

void ExceptionsView::take(const control::QueryLog& question, const control::LogPage& page) {
    const control::ExceptionEntry* one = chosen();
    const auto same = [&](const control::QueryLog& other) {
        return other.task == question.task && other.before == question.before && other.kind == question.kind;
    };
    if (!one || !same(control::log_around(*one))) return;
    excerpt_ = LogExcerpt{one->number, page};
    show_log();
    log_->scrollToBottom();
}

void ExceptionsView::filter_rows(const QString& text) { show_only(*table_, text); }

void ExceptionsView::refresh() {
    answered();
    if (!isVisible()) return;
    fill_table();
    show_chosen();
    refresh_bar();
}

/// Reports that the requested drop or resubmission of an exception has succeeded, which is known when the exception has
/// disappeared from the state.
void ExceptionsView::answered() {
    if (!asked_ || !client_ || client_->data().state.exceptions.contains(*asked_)) return;
    show_notice(tr("Exception %1 is closed.").arg(*asked_), false);
    asked_.reset();
}

/// Returns the exceptions sorted by the pressed header; if none is pressed, the newest first.
std::vector<const control::ExceptionEntry*> ExceptionsView::sorted() const {
    std::vector<const control::ExceptionEntry*> entries;
    if (!client_) return entries;
    for (const auto& [id, entry] : client_->data().state.exceptions) entries.push_back(&entry);
    std::ranges::reverse(entries);
    const QHeaderView& header = *table_->horizontalHeader();
    const int column = header.sortIndicatorSection();
    const bool descending = header.sortIndicatorOrder() == Qt::DescendingOrder;
    if (column < 0) return entries;
    std::ranges::stable_sort(entries, [&](const auto* one, const auto* other) {
        if (descending) std::swap(one, other);
        return model::sorts_before(key_of(*one, column), key_of(*other, column));
    });
    return entries;
}

/// Fills the table and keeps the chosen exception in place.
void ExceptionsView::fill_table() {
    const control::ExceptionEntry* before = chosen();
    const std::optional<std::uint64_t> kept = before ? std::optional(before->number) : std::nullopt;
    const std::vector<const control::ExceptionEntry*> all = sorted();
    filling_ = true;
    model::KeptPlace<QTableView> place(*table_);
    numbers_.clear();
    set_rows(*table_, all.size());
    for (const control::ExceptionEntry* one : all) {
        const control::ExceptionEntry& entry = *one;
        fill_row(*table_, static_cast<int>(numbers_.size()),
                 {QString::number(entry.number), text_of(entry.task.value()), model::date_text(entry.time),
                  recovered_times(entry.recovered), text_of(entry.node.value()), client::quoted(entry.error)});
        mark_row(*table_->item(static_cast<int>(numbers_.size()), 0), entry.time,
                 model::things_of(entry.instance, entry.node, entry.task));
        numbers_.push_back(entry.number);
    }
    const auto row = kept ? std::ranges::find(numbers_, *kept) : numbers_.end();
    if (row != numbers_.end()) table_->setCurrentCell(static_cast<int>(row - numbers_.begin()), number);
    else table_->setCurrentIndex({});
    place.current_is(table_->currentRow());
    show_only(*table_, filter_text());
    filling_ = false;
}

std::vector<model::Selected> ExceptionsView::about(const QModelIndex& row) const {
    const control::ExceptionEntry* one = at(row.row());
    if (!one) return {};
    return model::things_of(one->instance, one->node, one->task);
}

const control::ExceptionEntry* ExceptionsView::chosen() const { return at(table_->currentRow()); }

const control::ExceptionEntry* ExceptionsView::at(int row) const {
    if (!client_ || row < 0 || row >= static_cast<int>(numbers_.size())) return nullptr;
    const auto& all = client_->data().state.exceptions;
    const auto found = all.find(numbers_[static_cast<std::size_t>(row)]);
    return found == all.end() ? nullptr : &found->second;
}

void ExceptionsView::show_chosen() {
    const control::ExceptionEntry* one = chosen();
    opened_->setVisible(one != nullptr);
    if (one) show_fields(*fields_, fields_of(*one));
    show_log();
}

void ExceptionsView::show_log() {
    const control::ExceptionEntry* one = chosen();
    const bool known = one && excerpt_ && excerpt_->number == one->number;
    set_rows(*log_, known ? excerpt_->page.events.size() : 0);
    if (!known) return;
    int row = 0;
    for (const control::Event& event : excerpt_->page.events) {
        fill_row(*log_, row,
                 {model::clock_text(event.time),
                  model::event_line(control::kind_name(event.body), control::describe(event.body))});
        mark_row(*log_->item(row++, 0), event.time, model::things_of({}, {}, control::task_of(event.body)));
    }
}

bool ExceptionsView::has_rows() const { return !client_->data().state.exceptions.empty(); }

QString ExceptionsView::no_rows_text() const {
    return tr("No exceptions. A task that fails for good is listed here until it is retried or dropped.");
}

void ExceptionsView::refresh_bar() {
    const QString why = why_not_changed(tr("Your role is read-only. Operators and admins handle exceptions."));
    show_list();
    set_count(numbers_.empty() ? QString() : tr("%1 failed for good").arg(numbers_.size()));
    const control::ExceptionEntry* one = chosen();
    const bool may = one && why.isEmpty() && !asked_;
    const QString choose = tr("Choose an exception in the table first");
    const std::pair<QPushButton*, QString> tips[] = {
        {retry_, tr("Submit the failed task again unchanged, with the files that are already on the nodes")},
        {edit_, tr("Open the failed task in the form; Run then submits it and closes the exception")},
        {drop_, tr("Remove the exception from the list as handled")}};
    for (const auto& [button, tip] : tips) {
        button->setEnabled(may);
        button->setToolTip(!why.isEmpty() ? why : one ? tip : choose);
    }
}

void ExceptionsView::retry() {
    const control::ExceptionEntry* one = chosen();
    if (!one) return;
    asked_ = one->number;
    refresh_bar();
    client_->order(control::RetryException{one->number, {}});
}

void ExceptionsView::drop() {
    const control::ExceptionEntry* one = chosen();
    if (!one) return;
    asked_ = one->number;
    refresh_bar();
    client_->order(control::DropException{one->number});
}

void ExceptionsView::edit() {
    const control::ExceptionEntry* one = chosen();
    if (!one) return;
    const auto& tasks = client_->data().state.tasks;
    const auto found = tasks.find(one->task);
    if (found == tasks.end()) return show_notice(tr("The cluster has no text of this task."), true);
    Q_EMIT editRequested(one->number, text_of(found->second.text), text_of(found->second.folder));
}

void ExceptionsView::retranslate() {
    retry_->setText(tr("Retry"));
    edit_->setText(tr("Edit and resubmit\u2026"));
    drop_->setText(tr("Drop"));
    opened_->setTabText(opened_->indexOf(fields_), tr("Details"));
    opened_->setTabText(opened_->indexOf(log_), tr("Log"));
    set_filter_texts(tr("Show only exceptions with this text"), tr("Filter of the exceptions"));
    table_->setAccessibleName(tr("Exceptions"));
    fields_->setAccessibleName(tr("Fields of the selected exception"));
    log_->setAccessibleName(tr("The log around the selected exception"));
    table_->setHorizontalHeaderLabels(
        {tr("Number"), tr("Task"), tr("Failed"), tr("Recovered"), tr("Node"), tr("Error")});
    log_->setHorizontalHeaderLabels({tr("Time"), tr("What happened")});
    refresh();
    refresh_bar();
}

}  // namespace divisi::panels

#include "moc_exceptions_view.cpp"
