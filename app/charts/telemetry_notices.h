// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QWidget>
#include <cstdint>

namespace divisi::charts {

/// Shows lines of text above the charts: a problem or a finished export, and how many measurements are missing. A line
/// without text is hidden.
class TelemetryNotices : public QWidget {
    Q_OBJECT
public:
    explicit TelemetryNotices(QWidget* parent = nullptr);

    /// Shows a problem in place of a finished export.
    void show_problem(const QString& sentence);
    /// Shows a finished export in place of a problem.
    void show_saved(const QString& sentence);
    /// Removes the line about a problem or a finished export.
    void clear();
    /// Warns that `count` measurements were dropped, so that curves are incomplete. The states of tasks are always
    /// complete. `replayed`: the measurements are missing in the shown recording.
    void show_left_out(std::uint64_t count, bool replayed);

private:
    QLabel *problem_, *saved_, *left_out_;
};

}  // namespace divisi::charts
