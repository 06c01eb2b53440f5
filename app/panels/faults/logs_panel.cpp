// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/faults/logs_panel.h"

#include <QAbstractProxyModel>
#include <QScrollBar>
#include <algorithm>
#include <chrono>
#include <tuple>

#include "app/panels/tables/plain_table.h"
#include "app/panels/tables/text_table.h"

namespace divisi::panels {

namespace {

/// Interval for requesting lines while the view is visible.
constexpr int tick_ms = 1000;
/// Number of ticks without an answer after which a query counts as lost, because the connection broke or the query was
/// never sent.
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
    : ListPage("log", client, parent),
      task_(make_filter(QStringLiteral("logTask"), this)),
      unit_(make_filter(QStringLiteral("logUnit"), this)),
      node_(make_filter(QStringLiteral("logNode"), this)),
      level_(new QComboBox(this)),
      since_(new QComboBox(this)),
      events_only_(new QCheckBox(this)),
      older_(new QPushButton(this)),
      table_(new RowTable("logTable", model_, this)) {
    build();
    poll_every(tick_ms);
    typed_.setInterval(typing_ms);
    typed_.setSingleShot(true);
    connect(&typed_, &QTimer::timeout, this, &LogsPanel::restart);
    for (QLineEdit* line : {task_, unit_, node_})
        connect(line, &QLineEdit::textChanged, this, [this] { typed_.start(); });
    for (QComboBox* box : {level_, since_}) connect(box, &QComboBox::activated, this, &LogsPanel::restart);
    connect(events_only_, &QCheckBox::toggled, this, &LogsPanel::restart);
    connect(older_, &QPushButton::clicked, this, &LogsPanel::ask_older);
    if (client_) connect_client();
    retranslate();
}

void LogsPanel::build() {
    level_->setObjectName(QStringLiteral("logLevel"));
    since_->setObjectName(QStringLiteral("logSince"));
    events_only_->setObjectName(QStringLiteral("logEvents"));
    older_->setObjectName(QStringLiteral("olderLines"));
    for (QLineEdit* line : {&filter(), task_, unit_, node_}) line->setMinimumWidth(80);
    for (std::size_t i = 0; i < std::size(levels); ++i) level_->addItem(QString());
    for (const auto& [name, seconds] : spans_s) since_->addItem(QString(), seconds);
    offer_in_menu(*table_, *older_);
    bar().setStretchFactor(&filter(), 3);
    for (QLineEdit* line : {task_, unit_, node_}) bar().addWidget(line, 2);
    for (QWidget* widget : {static_cast<QWidget*>(level_), static_cast<QWidget*>(since_),
                            static_cast<QWidget*>(events_only_), static_cast<QWidget*>(older_)})
        bar().addWidget(widget);
    set_list(*table_);
}

void LogsPanel::filter_rows(const QString& text) {
    table_->set_filter(text);
    refresh_bar();
    typed_.start();
}

void LogsPanel::connect_client() {
    connect(client_, &client::Client::dataChanged, this, &LogsPanel::refresh);
    client_->on_answer<control::QueryLog>(this, &LogsPanel::take_events);
    client_->on_answer<control::QueryLines>(this, &LogsPanel::take_lines);
    client_->on_failure<control::QueryLines>(this, [this](const control::QueryLines&, const client::Answered& failed) {
        if (!std::exchange(lines_asked_, std::nullopt)) return;
        show_notice(tr("Only events are shown: %1").arg(failed.why), true);
    });
    connect(client_, &client::Client::statusChanged, this, [this] {
        events_asked_.reset();
        lines_asked_.reset();
        refresh_bar();
    });
}

void LogsPanel::show_task(const TaskId& task) {
    for (QLineEdit* line : {&filter(), unit_, node_}) line->clear();
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

/// Returns whether a past time is displayed. False for a recording, whose events end at its displayed time.
bool LogsPanel::shows_past() const { return cursor_ && !cursor_->live() && client_ && !client_->status().replayed; }

/// Shows the displayed time in the table. Scrolls only when the marked row changes, so that a user who scrolls is not
/// disturbed.
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
    while (row >= 0 && !place(row).isValid()) --row;  // skip rows that the filter hides
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

/// Restarts with a different filter, and requests everything again.
void LogsPanel::restart() {
    typed_.stop();
    model_.set_filter(wanted());
    events_asked_.reset();
    lines_asked_.reset();
    hide_notice();
    history_ = more_events_ = more_lines_ = true;
    refresh();
    poll();
}

/// Returns whether the displayed time of a recording has changed, so that the filter by age selects other entries.
bool LogsPanel::moment_changed() const {
    const TimePoint since = model_.filter().since, wanted_since = wanted().since;
    if (!client_->status().replayed || since == TimePoint{}) return false;
    return wanted_since < since || wanted_since - since > std::chrono::seconds(since_->currentData().toInt());
}

void LogsPanel::refresh() {
    if (!client_ || !isVisible()) return;
    if (moment_changed()) return restart();
    const auto& recent = client_->data().state.recent;
    // lower event numbers mean that the events come from a different cluster
    if (!recent.empty() && recent.back().sequence < model_.newest_event()) model_.clear();
    model_.set_colours(model::colours_of(palette()));
    const QScrollBar* bar = table_->verticalScrollBar();
    const bool at_end = bar->value() >= bar->maximum() - 1;
    for (const control::Event& event : recent) model_.add(event);
    if (at_end && !shows_past()) table_->scrollToBottom();
    show_moment();
    refresh_bar();
}

void LogsPanel::poll() {
    if (!client_ || !is_on_screen()) return;
    if ((events_asked_ || lines_asked_) && ++waited_ > patient_ticks) {
        events_asked_.reset();
        lines_asked_.reset();
    }
    if (!is_connected()) return;
    if (!lines_asked_ && !model_.filter().events_only) ask_lines(0);
    // If a filter is set, also ask for events that are no longer in the state.
    const LogFilter& filter = model_.filter();
    const bool bounded = !(filter == LogFilter{}) || !contained().empty();
    if (!events_asked_ && history_ && bounded) ask_events(0);
}

void LogsPanel::ask_events(std::uint64_t before) {
    events_asked_ = model_.filter().events_question(contained(), before);
    waited_ = 0;
    client_->poll(*events_asked_);
}

void LogsPanel::ask_lines(std::uint64_t before) {
    lines_asked_ = model_.filter().lines_question(contained(), before);
    waited_ = 0;
    client_->ask(*lines_asked_);
}

void LogsPanel::ask_older() {
    if (more_events_) ask_events(model_.oldest_event());
    if (more_lines_ && !model_.filter().events_only) ask_lines(model_.oldest_line());
}

void LogsPanel::take_events(const control::QueryLog& question, const control::LogPage& page) {
    const auto& asked = events_asked_;
    if (!asked || asked->task != question.task || asked->before != question.before || asked->sid != question.sid ||
        asked->node != question.node || asked->contains != question.contains || asked->level != question.level ||
        asked->since != question.since || asked->kind != question.kind)
        return;  // the answer belongs to an earlier filter
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
    // The newest lines are requested repeatedly. Only the first answer, and answers for older lines, show whether there
    // are more old lines.
    if (question.before != 0 || model_.oldest_line() == 0) more_lines_ = page.more;
    lines_asked_.reset();
    hide_notice();
    const QScrollBar* bar = table_->verticalScrollBar();
    const bool at_end = bar->value() >= bar->maximum() - 1 && question.before == 0;
    for (const control::LogLine& line : page.lines) model_.add(line);
    if (at_end && !shows_past()) table_->scrollToBottom();
    show_moment();
    refresh_bar();
}

QString LogsPanel::no_rows_text() const {
    if (lines_asked_ || events_asked_) return tr("Asking the cluster\u2026");
    if (!(wanted() == LogFilter{}) || !contained().empty())
        return tr("No log line matches. Clear a filter or choose a longer time.");
    return tr("No log lines yet.");
}

void LogsPanel::refresh_bar() {
    show_list();
    const bool more = more_events_ || (more_lines_ && !model_.filter().events_only);
    older_->setEnabled(is_connected() && more && !model_.full());
    older_->setToolTip(model_.full() ? tr("The line limit is reached; narrow the filters to see older lines")
                       : more        ? tr("Load lines older than the oldest one shown")
                                     : tr("There are no older lines"));
}

void LogsPanel::appear() {
    marked_.clear();  // the table may have scrolled while hidden
    refresh();
    poll();
}

void LogsPanel::retranslate() {
    set_filter_texts(tr("Show only lines with this text"), tr("Filter of the log"));
    const std::tuple<QLineEdit*, QString, QString> lines[] = {
        {task_, tr("Task"), tr("Only this task, such as gpt-1")},
        {unit_, tr("Unit"), tr("Only this unit, such as gpt-1/stage-1, gpt-1/stage-1/0 or gpt-1/stage-1/0#2")},
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
    restart();  // also updates the texts of events
}

}  // namespace divisi::panels

#include "moc_logs_panel.cpp"
