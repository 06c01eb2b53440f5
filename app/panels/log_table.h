// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/model/colours.h"
#include "app/model/selection.h"
#include "backend/control/protocol/message.h"
#include "backend/control/state/event.h"
#include "backend/control/types/log_types.h"

namespace divisi::panels {

/// Which events and lines are wanted; what is empty, or TimePoint{}, bounds nothing.
struct LogFilter {
    std::string task, sid, node;
    Severity level = Severity::debug;  ///< and above
    TimePoint since{};
    bool events_only = false;
    bool operator==(const LogFilter&) const = default;

    /// An event is told as the orchestrator's log tells it: its line names the SID, or the node.
    bool wants(const control::Event& event) const;
    /// The questions of which the answers pass. `before`: older than this number; 0: the newest.
    control::QueryLog events_question(const std::string& contains, std::uint64_t before) const;
    control::QueryLines lines_question(const std::string& contains, std::uint64_t before) const;
};

/// Events of the cluster and lines that its processes wrote, by their times, each once however often it is told.
class LogTable : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { time, level, task, source, what, column_count };
    /// So many are kept, the newest.
    static constexpr std::size_t most_rows = 20'000;

    using QAbstractTableModel::QAbstractTableModel;

    /// Forgets all rows.
    void set_filter(LogFilter filter);
    const LogFilter& filter() const { return filter_; }
    void clear();
    /// Those that the filter wants.
    void add(const control::Event& event);
    /// The cluster has filtered them already.
    void add(const control::LogLine& line);
    /// What came after this moment is faint, the row that stands for it is marked (-1: none is); none: now is shown.
    void show_moment(std::optional<TimePoint> moment, int marked);
    /// The last row of that moment or before; -1: all are later.
    int row_until(TimePoint moment) const;
    void set_colours(const model::Colours& colours) { colours_ = &colours; }
    /// Of the oldest event, or line, that there is; 0: none.
    std::uint64_t oldest_event() const { return events_.empty() ? 0 : *events_.begin(); }
    std::uint64_t oldest_line() const { return lines_.empty() ? 0 : *lines_.begin(); }
    std::uint64_t newest_event() const { return events_.empty() ? 0 : *events_.rbegin(); }
    bool full() const { return rows_.size() >= most_rows; }
    /// What a row is about: an instance or a device, a node, a task; whatever it names.
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
        std::string task, source, text;  ///< `source`: kind_name() of an event, the component of a line
        model::Selected names;           ///< the closest of what it is about
        NodeId node;
    };
    bool is_marked(const Row& row) const { return marked_ == std::pair(row.event, row.number); }
    void insert(Row row);
    QString text_of(const Row& row, int column) const;

    LogFilter filter_;
    std::vector<Row> rows_;
    std::set<std::uint64_t> events_, lines_;                ///< numbers that there are
    std::optional<TimePoint> moment_;                       ///< none: now
    std::optional<std::pair<bool, std::uint64_t>> marked_;  ///< whether it is an event, and its number
    const model::Colours* colours_ = &model::dark_colours();
};

}  // namespace divisi::panels
