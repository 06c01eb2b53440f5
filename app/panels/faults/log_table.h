// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/model/tracking/selection.h"
#include "app/model/wording/colours.h"
#include "backend/control/protocol/message_fwd.h"
#include "backend/control/state/event.h"
#include "backend/control/types/log_types.h"

namespace divisi::panels {

/// Selects events and lines. Empty fields and TimePoint{} do not restrict.
struct LogFilter {
    std::string task, sid, node;
    Severity level = Severity::debug;  ///< shows this level and higher levels
    TimePoint since{};
    bool events_only = false;
    bool operator==(const LogFilter&) const = default;

    /// Returns whether an event passes the filter. If the filter has a SID or a node, the event's log line must contain
    /// it.
    bool wants(const control::Event& event) const;
    /// Return the queries for entries that pass the filter. `before`: only entries older than this number; 0: the
    /// newest.
    control::QueryLog events_question(const std::string& contains, std::uint64_t before) const;
    control::QueryLines lines_question(const std::string& contains, std::uint64_t before) const;
};

/// A model of events of the cluster and output lines of its processes, ordered by time, without duplicates.
class LogTable : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { time, level, task, source, what, column_count };
    /// Maximum number of rows; only the newest rows are kept.
    static constexpr std::size_t most_rows = 20'000;

    using QAbstractTableModel::QAbstractTableModel;

    /// Sets the filter and removes all rows.
    void set_filter(LogFilter filter);
    const LogFilter& filter() const { return filter_; }
    void clear();
    /// Adds the event if it passes the filter.
    void add(const control::Event& event);
    /// Adds a line, which the cluster has filtered already.
    void add(const control::LogLine& line);
    /// Dims the rows after `moment`, and marks the row `marked` (-1: none). If `moment` is empty, the displayed time is
    /// now.
    void show_moment(std::optional<TimePoint> moment, int marked);
    /// Returns the last row at or before a time; -1 if all rows are later.
    int row_until(TimePoint moment) const;
    void set_colours(const model::Colours& colours) { colours_ = &colours; }
    /// Returns the number of the oldest added event or line, even if it has no row any more; 0 if there is none.
    std::uint64_t oldest_event() const { return events_.empty() ? 0 : *events_.begin(); }
    std::uint64_t oldest_line() const { return lines_.empty() ? 0 : *lines_.begin(); }
    std::uint64_t newest_event() const { return events_.empty() ? 0 : *events_.rbegin(); }
    bool full() const { return rows_.size() >= most_rows; }
    /// Returns the subjects of a row: the instance or device that it names, and its node and task.
    std::vector<model::Selected> about(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Row {
        TimePoint time{};
        Severity severity = Severity::info;
        bool event = true;
        std::uint64_t number = 0;
        std::string task, source, text;  ///< `source`: kind_name() of an event, or the component of a line
        model::Selected names;           ///< closest subject of the row
        NodeId node;
    };
    bool is_marked(const Row& row) const { return marked_ == std::pair(row.event, row.number); }
    void insert(Row row);
    QString text_of(const Row& row, int column) const;

    LogFilter filter_;
    std::vector<Row> rows_;
    std::set<std::uint64_t> events_, lines_;                ///< numbers of all events and lines that were added
    std::optional<TimePoint> moment_;                       ///< displayed time; none: now
    std::optional<std::pair<bool, std::uint64_t>> marked_;  ///< whether the row is an event, and its number
    const model::Colours* colours_ = &model::dark_colours();
};

}  // namespace divisi::panels
