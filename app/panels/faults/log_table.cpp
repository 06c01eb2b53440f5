// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/faults/log_table.h"

#include <algorithm>

#include "app/model/wording/event_line.h"
#include "app/model/wording/states.h"
#include "app/panels/tables/row_table.h"
#include "backend/control/protocol/log_messages.h"

namespace divisi::panels {
namespace {

/// Number of rows in one answer, equal to the default of `divisictl logs`.
constexpr std::uint32_t log_page_rows = 200;

/// Returns the sender or subject named in a component, such as "instance gpt-1/stage-0/0", "node mic-1/node-2" or
/// "router sr-1".
model::Selected named(const std::string& component, const TaskId& task) {
    const std::size_t space = component.find(' ');
    if (space == std::string::npos) return {};
    const std::string kind = component.substr(0, space), name = component.substr(space + 1);
    if (kind == "instance") return model::Selected::of_instance(InstanceId(name), task);
    if (kind == "node") return model::Selected::of_node(NodeId(name));
    if (kind == "gateway" || kind == "router") return model::Selected::of_device(name);
    return {};
}

/// Returns the instance or node of an event, from the field names shared by all kinds.
template <typename Kind>
model::Selected named(const Kind& event, const TaskId& task) {
    if constexpr (std::is_same_v<Kind, control::Noted>) return named(event.component, task);
    if constexpr (requires { InstanceId(event.culprit); }) return model::Selected::of_instance(event.culprit, task);
    if constexpr (requires { InstanceId(event.instance); }) return model::Selected::of_instance(event.instance, task);
    if constexpr (requires { NodeId(event.node.id); }) return model::Selected::of_node(event.node.id);
    if constexpr (requires { NodeId(event.node); }) return model::Selected::of_node(event.node);
    return {};
}

}  // namespace

bool LogFilter::wants(const control::Event& event) const {
    if (control::severity_of(event.body) < level || event.time < since) return false;
    if (!task.empty() && control::task_of(event.body).value() != task) return false;
    if (sid.empty() && node.empty()) return true;
    const std::string line = control::describe(event.body);
    const auto names = [&](const std::string& name) { return line.find(name) != std::string::npos; };
    return names(sid) && names(node);
}

control::QueryLog LogFilter::events_question(const std::string& contains, std::uint64_t before) const {
    control::QueryLog question;
    question.task = task;
    question.contains = contains;
    question.limit = log_page_rows;
    question.before = before;
    question.sid = sid;
    question.node = node;
    question.level = level;
    question.since = since;
    return question;
}

control::QueryLines LogFilter::lines_question(const std::string& contains, std::uint64_t before) const {
    return {task, sid, node, level, since, TimePoint{}, contains, log_page_rows, before};
}

void LogTable::set_filter(LogFilter filter) {
    beginResetModel();
    filter_ = std::move(filter);
    rows_.clear();
    events_.clear();
    lines_.clear();
    endResetModel();
}

void LogTable::clear() { set_filter(filter_); }

void LogTable::add(const control::Event& event) {
    if (!filter_.wants(event) || !events_.insert(event.sequence).second) return;
    const TaskId task = control::task_of(event.body);
    insert({event.time,
            control::severity_of(event.body),
            true,
            event.sequence,
            task.value(),
            control::kind_name(event.body),
            control::describe(event.body),
            visit([&](const auto& one) { return named(one, task); }, event.body),
            {}});
}

void LogTable::add(const control::LogLine& line) {
    if (filter_.events_only || !lines_.insert(line.number).second) return;
    insert({line.time, line.severity, false, line.number, line.task.value(), line.component, line.text,
            named(line.component, line.task), line.node});
}

void LogTable::insert(Row row) {
    const auto place =
        std::ranges::upper_bound(rows_, row.time, {}, [](const Row& one) { return one.time; }) - rows_.begin();
    if (full() && place == 0) return;  // the table is full, and the row is older than all kept rows
    beginInsertRows({}, static_cast<int>(place), static_cast<int>(place));
    rows_.insert(rows_.begin() + place, std::move(row));
    endInsertRows();
    if (rows_.size() <= most_rows) return;
    beginRemoveRows({}, 0, 0);
    rows_.erase(rows_.begin());
    endRemoveRows();
}

std::vector<model::Selected> LogTable::about(int row) const {
    const Row& one = rows_[static_cast<std::size_t>(row)];
    std::vector<model::Selected> things = model::things_of({}, one.node, TaskId(one.task));
    if (!one.names.id.empty()) things.insert(things.begin(), one.names);
    return things;
}

int LogTable::row_until(TimePoint moment) const {
    const auto after = std::ranges::upper_bound(rows_, moment, {}, [](const Row& row) { return row.time; });
    return static_cast<int>(after - rows_.begin()) - 1;
}

/// Marks the row of the displayed time. Repaints only the rows between the old and the new time.
void LogTable::show_moment(std::optional<TimePoint> moment, int marked) {
    const auto end = [this](const std::optional<TimePoint>& of) { return of ? row_until(*of) : rowCount() - 1; };
    const auto place = std::ranges::find_if(rows_, [this](const Row& row) { return is_marked(row); });
    std::vector<int> rows{end(moment_), end(moment), marked};
    if (place != rows_.end()) rows.push_back(static_cast<int>(place - rows_.begin()));
    moment_ = moment;
    marked_.reset();
    if (marked >= 0) {
        const Row& row = rows_[static_cast<std::size_t>(marked)];
        marked_ = std::pair(row.event, row.number);
    }
    if (rows_.empty()) return;
    const auto [first, last] = std::ranges::minmax(rows);
    Q_EMIT dataChanged(index(std::max(first, 0), 0), index(std::max(last, 0), column_count - 1),
                       {Qt::ForegroundRole, Qt::FontRole, Qt::BackgroundRole});
}

int LogTable::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int LogTable::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

QString LogTable::text_of(const Row& row, int column) const {
    switch (column) {
        case time: return model::clock_text(row.time);
        case level:
            switch (row.severity) {
                case Severity::debug: return tr("debug");
                case Severity::info: return tr("info");
                case Severity::warning: return QStringLiteral("\u26a0 ") + tr("warning");
                case Severity::error: return QStringLiteral("\u2715 ") + tr("error");
            }
            return {};
        case task: return QString::fromStdString(row.task);
        case source: return row.event ? model::event_text(row.source) : QString::fromStdString(row.source);
        case what: return row.event ? model::event_line(row.source, row.text) : QString::fromStdString(row.text);
        default: return {};
    }
}

QVariant LogTable::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Row& row = rows_[static_cast<std::size_t>(index.row())];
    const int column = index.column();
    if (role == RowModel::id_role) return (row.event ? u'e' : u'l') + QString::number(row.number);
    if (role == model::time_role) return model::time_key(row.time);
    if (role == model::about_role) return QVariant::fromValue(about(index.row()));
    if (role == RowModel::key_role && column == time) return qlonglong(row.time.time_since_epoch().count());
    if (role == RowModel::key_role && column == level) return static_cast<int>(row.severity);
    if (role == Qt::ToolTipRole && column == time) return model::date_text(row.time);
    if (role == Qt::BackgroundRole && is_marked(row)) return model::chosen_ground(*colours_);
    if (role == Qt::FontRole && is_marked(row)) {
        QFont bold;
        bold.setBold(true);
        return bold;
    }
    if (role == Qt::ForegroundRole && moment_ && row.time > *moment_) return colours_->faint;
    if (role == Qt::ForegroundRole && (column == level || column == what)) {
        if (row.severity == Severity::warning) return colours_->warning;
        if (row.severity == Severity::error) return colours_->bad;
    }
    if (role == Qt::DisplayRole || role == Qt::ToolTipRole || role == RowModel::key_role) return text_of(row, column);
    return {};
}

QVariant LogTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
        case time: return tr("Time");
        case level: return tr("Level");
        case task: return tr("Task");
        case source: return tr("Event or process");
        case what: return tr("What happened");
        default: return {};
    }
}

}  // namespace divisi::panels

#include "moc_log_table.cpp"
