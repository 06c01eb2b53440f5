// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPen>
#include <QString>
#include <QWidget>
#include <utility>
#include <vector>

namespace divisi::charts {

/// Shows the names of lines, each beside a sample of its line, in as many rows as the width requires. QtCharts' own
/// legend omits names that do not fit side by side.
class LineLegend : public QWidget {
    Q_OBJECT
public:
    using Entry = std::pair<QString, QPen>;
    explicit LineLegend(QWidget* parent = nullptr);

    void show_entries(std::vector<Entry> entries);
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QFont small_font() const;
    /// Calls place(entry, left, top) for each entry. Returns the total height.
    template <typename Place>
    int arrange(int width, Place place) const;

    std::vector<Entry> entries_;
};

}  // namespace divisi::charts
