// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/faults/logs_panel.h"

#include <QAbstractProxyModel>
#include <QEvent>
#include <QHBoxLayout>
#include <QScrollBar>
#include <QVBoxLayout>
#include <algorithm>
#include <chrono>
#include <tuple>

#include "app/panels/tables/notice.h"
#include "app/panels/tables/plain_table.h"

namespace divisi::panels {

namespace {

/// Interval for requesting lines while the view is visible.
constexpr int tick_ms = 1000;
/// After this many ticks without an answer, a query counts as lost: the connection broke, or the query was never sent.
constexpr int patient_ticks = 20;
/// Delay after typing, so that not every key press sends a query.
constexpr int typing_ms = 300;

constexpr std::pair<const char*, int> spans_s[] = {{QT_TRANSLATE_NOOP("divisi::panels::LogsPanel", "Any time"), 0},
                                                   {QT_TRANSLATE_NOOP("divisi::panels::LogsPanel", "Last 10 min"), 600},
                                                   {QT_TRANSLATE_NOOP("divisi::panels::LogsPanel", "Last hour"), 3600},
                                                   {QT_TRANSLATE_NOOP("divisi::panels::LogsPanel", "Last day"), 86400}};
constexpr const char* levels[] = {QT_TRANSLATE_NOOP("divisi::panels::LogsPanel", "All levels"),
                                  QT_TRANSLATE_NOOP("divisi::panels::LogsPanel", "Info and above"),
                                  QT_TRANSLATE_NOOP("divisi::panels::LogsPanel", "Warnings and errors"),
                                  QT_TRANSLATE_NOOP("divisi::panels::LogsPanel", "Errors")};

std::string typed_in(const QLineEdit& line) { return line.text().trimmed().toStdString(); }

}  // namespace

LogsPanel::LogsPanel(client::Client* client, QWidget* parent)
    : QWidget(parent),
      client_(client),
      filter_(new QLineEdit(this)),
      task_(new QLineEdit(this)),
      unit_(new QLineEdit(this)),
      node_(new QLineEdit(this)),
      level_(new QComboBox(this)),
      since_(new QComboBox(this)),
      events_only_(new QCheckBox(this)),
      older_(new QPushButton(this)),
      notice_(new QLabel(this)),
      empty_(new QLabel(this)),
      table_(new RowTable("logTable", model_, this)) {
    build();
    tick_.setInterval(tick_ms);
    connect(&tick_, &QTimer::timeout, this, &LogsPanel::tick);
    typed_.setInterval(typing_ms);
    typed_.setSingleShot(true);
    connect(&typed_, &QTimer::timeout, this, &LogsPanel::restart);
    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
        table_->set_filter(text);  // filters the existing rows at once; others are requested later
        refresh_bar();
        typed_.start();
    });
    for (QLineEdit* line : {task_, unit_, node_})
        connect(line, &QLineEdit::textChanged, this, [this] { typed_.start(); });
    for (QComboBox* box : {level_, since_}) connect(box, &QComboBox::activated, this, &LogsPanel::restart);
    connect(events_only_, &QCheckBox::toggled, this, &LogsPanel::restart);
    connect(older_, &QPushButton::clicked, this, &LogsPanel::ask_older);
    if (client_) connect_client();
    retranslate();
}

void LogsPanel::build() {
    const std::pair<QWidget*, const char*> names[] = {
        {filter_, "logFilter"}, {task_, "logTask"},   {unit_, "logUnit"},          {node_, "logNode"},
        {level_, "logLevel"},   {since_, "logSince"}, {events_only_, "logEvents"}, {older_, "olderLines"},
        {notice_, "logNotice"}, {empty_, "logEmpty"}};
    for (const auto& [widget, name] : names) widget->setObjectName(QString::fromLatin1(name));
    for (QLineEdit* line : {filter_, task_, unit_, node_}) {
        line->setClearButtonEnabled(true);
        line->setMinimumWidth(80);
    }
    for (std::size_t i = 0; i < std::size(levels); ++i) level_->addItem(QString());
    for (const auto& [name, seconds] : spans_s) since_->addItem(QString(), seconds);
    notice_->setWordWrap(true);
    notice_->hide();
    empty_->setAlignment(Qt::AlignCenter);
    empty_->setWordWrap(true);
    empty_->setProperty("role", QStringLiteral("faint"));
    offer_in_menu(*table_, *older_);
    auto* bar = new QHBoxLayout;
    bar->addWidget(filter_, 3);
    bar->addWidget(task_, 2);
    bar->addWidget(unit_, 2);
    bar->addWidget(node_, 2);
    for (QWidget* widget : {static_cast<QWidget*>(level_), static_cast<QWidget*>(since_),
                            static_cast<QWidget*>(events_only_), static_cast<QWidget*>(older_)})
        bar->addWidget(widget);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 8, 16, 8);
    column->setSpacing(8);
    column->addLayout(bar);
    column->addWidget(notice_);
    column->addWidget(empty_, 1);
    column->addWidget(table_, 1);
}

void LogsPanel::connect_client() {
    connect(client_, &client::Client::dataChanged, this, &LogsPanel::refresh);
    connect(client_, &client::Client::logCame, this, &LogsPanel::take_events);
    connect(client_, &client::Client::linesCame, this, &LogsPanel::take_lines);
    connect(client_, &client::Client::linesRefused, this, [this](const control::QueryLines&, const QString& why) {
        if (!std::exchange(lines_asked_, std::nullopt)) return;
        show_notice(notice_, tr("Only events are shown: %1").arg(why), true);
    });
    connect(client_, &client::Client::statusChanged, this, [this] {
        events_asked_.reset();
        lines_asked_.reset();
        refresh_bar();
    });
}

void LogsPanel::show_task(const TaskId& task) {
    for (QLineEdit* line : {filter_, unit_, node_}) line->clear();
    level_->setCurrentIndex(0);
    since_->setCurrentIndex(0);
    task_->setText(QString::fromStdString(task.value()));
    restart();
}

void LogsPanel::use_cursor(model::TimeCursor& cursor) {
    cursor_ = &cursor;
    connect(&cursor, &model::TimeCursor::moved, this, &LogsPanel::show_moment);
    connect(&cursor, &model::TimeCursor::modeChanged, this, &LogsPanel::show_moment);
}

std::vector<model::Selected> LogsPanel::about(const QModelIndex& row) const {
    return model_.about(static_cast<const QAbstractProxyModel&>(*table_->model()).mapToSource(row).row());
}

/// Returns whether a past moment is shown. A recording ends at its moment by itself.
bool LogsPanel::shows_past() const { return cursor_ && !cursor_->live() && client_ && !client_->status().replayed; }

/// Shows the moment. Scrolls only when the marked row changes, so that a user who scrolls is not disturbed.
void LogsPanel::show_moment() {
    if (!isVisible() || (!shows_past() && !was_past_)) return;
    was_past_ = shows_past();
    if (!was_past_) {
        marked_.clear();
        model_.show_moment(std::nullopt, -1);
        return table_->scrollToBottom();
    }
    const auto& shown = static_cast<const QAbstractProxyModel&>(*table_->model());
    const auto place = [&](int row) { return shown.mapFromSource(model_.index(row, 0)); };
    int row = model_.row_until(cursor_->at());
    while (row >= 0 && !place(row).isValid()) --row;  // the filter hides this row
    model_.show_moment(cursor_->at(), row);
    const QString marked = row < 0 ? QStringLiteral("none") : model_.index(row, 0).data(RowModel::id_role).toString();
    if (std::exchange(marked_, marked) == marked) return;
    if (row < 0) table_->scrollToTop();
    else table_->scrollTo(place(row), QAbstractItemView::PositionAtCenter);
}

LogFilter LogsPanel::wanted() const {
    LogFilter filter;
    filter.task = typed_in(*task_);
    filter.sid = typed_in(*unit_);
    filter.node = typed_in(*node_);
    filter.level = static_cast<Severity>(std::max(level_->currentIndex(), 0));
    const int span = since_->currentData().toInt();
    if (span > 0 && client_) filter.since = client_->shown() - std::chrono::seconds(span);
    filter.events_only = events_only_->isChecked();
    return filter;
}

std::string LogsPanel::contained() const { return typed_in(*filter_); }

/// Restarts with another filter, and asks for everything again.
void LogsPanel::restart() {
    typed_.stop();
    model_.set_filter(wanted());
    events_asked_.reset();
    lines_asked_.reset();
    notice_->hide();
    history_ = more_events_ = more_lines_ = true;
    refresh();
    tick();
}

/// Returns whether a recording shows another moment, so that "the last minutes" have changed.
bool LogsPanel::moment_changed() const {
    const TimePoint since = model_.filter().since, wanted_since = wanted().since;
    if (!client_->status().replayed || since == TimePoint{}) return false;
    return wanted_since < since || wanted_since - since > std::chrono::seconds(since_->currentData().toInt());
}

void LogsPanel::refresh() {
    if (!client_ || !isVisible()) return;
    if (moment_changed()) return restart();
    const auto& recent = client_->data().state.recent;
    // the events come from another cluster
    if (!recent.empty() && recent.back().sequence < model_.newest_event()) model_.clear();
    model_.set_colours(model::colours_of(palette()));
    const QScrollBar* bar = table_->verticalScrollBar();
    const bool at_end = bar->value() >= bar->maximum() - 1;
    for (const control::Event& event : recent) model_.add(event);
    if (at_end && !shows_past()) table_->scrollToBottom();
    show_moment();
    refresh_bar();
}

void LogsPanel::tick() {
    if (!client_ || visibleRegion().isEmpty()) return;  // Qt reports a dock behind another tab as visible
    if ((events_asked_ || lines_asked_) && ++waited_ > patient_ticks) {
        events_asked_.reset();
        lines_asked_.reset();
    }
    if (client_->status().connection != client::Connection::connected) return;
    if (!lines_asked_ && !model_.filter().events_only) ask_lines(0);
    // If a filter is set, also ask for events that are no longer in the state.
    const LogFilter& filter = model_.filter();
    const bool bounded = !(filter == LogFilter{}) || !contained().empty();
    if (!events_asked_ && history_ && bounded) ask_events(0);
}

void LogsPanel::ask_events(std::uint64_t before) {
    events_asked_ = model_.filter().events_question(contained(), before);
    waited_ = 0;
    client_->ask_log(*events_asked_);
}

void LogsPanel::ask_lines(std::uint64_t before) {
    lines_asked_ = model_.filter().lines_question(contained(), before);
    waited_ = 0;
    client_->ask_lines(*lines_asked_);
}

void LogsPanel::ask_older() {
    if (more_events_) ask_events(model_.oldest_event());
    if (more_lines_ && !model_.filter().events_only) ask_lines(model_.oldest_line());
}

void LogsPanel::take_events(const control::QueryLog& question, const control::LogPage& page) {
    const auto& asked = events_asked_;
    if (!asked || asked->task != question.task || asked->before != question.before || asked->sid != question.sid ||
        asked->node != question.node || asked->contains != question.contains || asked->level != question.level ||
        asked->since != question.since)
        return;  // the answer belongs to another view
    more_events_ = page.more;
    history_ = false;
    events_asked_.reset();
    for (const control::Event& event : page.events) model_.add(event);
    refresh();
}

void LogsPanel::take_lines(const control::QueryLines& question, const control::LinesPage& page) {
    const auto& asked = lines_asked_;
    if (!asked || asked->task != question.task || asked->before != question.before || asked->sid != question.sid ||
        asked->node != question.node || asked->contains != question.contains || asked->level != question.level ||
        asked->since != question.since)
        return;
    // The newest lines are requested repeatedly. Only the first answer, and answers for older lines, tell whether there
    // are more old lines.
    if (question.before != 0 || model_.oldest_line() == 0) more_lines_ = page.more;
    lines_asked_.reset();
    notice_->hide();
    const QScrollBar* bar = table_->verticalScrollBar();
    const bool at_end = bar->value() >= bar->maximum() - 1 && question.before == 0;
    for (const control::LogLine& line : page.lines) model_.add(line);
    if (at_end && !shows_past()) table_->scrollToBottom();
    show_moment();
    refresh_bar();
}

/// Returns why there is nothing to see, and what to do; empty if there is something.
QString LogsPanel::empty_text() const {
    if (!client_) return client::no_cluster_text();
    if (table_->shown() > 0) return {};
    if (client_->status().connection != client::Connection::connected)
        return tr("There is no connection to a cluster; see its state at the lower right.");
    if (lines_asked_ || events_asked_) return tr("Asking the cluster\u2026");
    if (!(wanted() == LogFilter{}) || !contained().empty())
        return tr("No log line matches. Clear a filter or choose a longer time.");
    return tr("No log lines yet.");
}

void LogsPanel::refresh_bar() {
    const QString empty = empty_text();
    empty_->setText(empty);
    empty_->setVisible(!empty.isEmpty());
    table_->setVisible(empty.isEmpty());
    const bool connected = client_ && client_->status().connection == client::Connection::connected;
    const bool more = more_events_ || (more_lines_ && !model_.filter().events_only);
    older_->setEnabled(connected && more && !model_.full());
    older_->setToolTip(model_.full() ? tr("The line limit is reached; narrow the filters to see older lines")
                       : more        ? tr("Load lines older than the oldest one shown")
                                     : tr("There are no older lines"));
}

void LogsPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    tick_.start();
    marked_.clear();  // the table may have scrolled while hidden
    refresh();
    tick();
}

void LogsPanel::hideEvent(QHideEvent* event) {
    tick_.stop();
    QWidget::hideEvent(event);
}

void LogsPanel::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    QWidget::changeEvent(event);
}

void LogsPanel::retranslate() {
    filter_->setPlaceholderText(tr("Show only lines with this text"));
    filter_->setAccessibleName(tr("Filter of the log"));
    const std::tuple<QLineEdit*, QString, QString> lines[] = {
        {task_, tr("Task"), tr("Only this task, such as gpt-1")},
        {unit_, tr("Unit"), tr("Only this unit: gpt-1/stage-1, gpt-1/stage-1/0 or gpt-1/stage-1/0#2")},
        {node_, tr("Node"), tr("Only this node, such as mic-1/node-1")}};
    for (const auto& [line, name, tip] : lines) {
        line->setPlaceholderText(name);
        line->setAccessibleName(name);
        line->setToolTip(tip);
    }
    for (std::size_t i = 0; i < std::size(levels); ++i) level_->setItemText(static_cast<int>(i), tr(levels[i]));
    for (std::size_t i = 0; i < std::size(spans_s); ++i) since_->setItemText(static_cast<int>(i), tr(spans_s[i].first));
    level_->setAccessibleName(tr("Level"));
    since_->setAccessibleName(tr("Time"));
    events_only_->setText(tr("Events only"));
    events_only_->setToolTip(tr("Hide the output of processes"));
    older_->setText(tr("Older"));
    table_->setAccessibleName(tr("Log of the cluster"));
    restart();  // updates the texts of events too
}

}  // namespace divisi::panels
