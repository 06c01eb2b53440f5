// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>
#include <QWidget>

#include "app/model/estimates/price_board.h"
#include "app/panels/tables/row_table.h"

namespace divisi::panels {

/// Shows the segments of the Graph view and their costs as a table, which the keyboard and screen readers can use. Rows
/// are in pipeline order, or sorted by a header. A column shows the cut at the end of each segment. A line above the
/// table shows the step time, and how much slower the plan is than the best plan found.
class SplitPanel : public QWidget {
    Q_OBJECT
public:
    SplitPanel(model::GraphDocument& document, model::PriceBoard& board, QWidget* parent = nullptr);

    int stages() const { return stages_->value(); }

Q_SIGNALS:
    void equalRequested();
    void optimumRequested();
    void cutChosen(int which);        ///< the cut at the end of the chosen segment; -1 for the last segment
    void segmentChosen(int segment);  ///< a painted segment, which has no cut at its end

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fit_cut_column();
    /// A segment as shown, with tooltips for details that its cells do not show.
    struct Segment {
        TableRow row;
        QString work_tip, memory_tip, cut_tip;
    };
    void choose();
    void show_model();
    void refresh();
    void refresh_prices();
    /// Returns whether the last price belongs to the shown cuts.
    bool has_price() const;
    Segment segment_of(int number, const model::SegmentSummary& summary, bool last) const;
    void add_price(int number, Segment& segment) const;
    void fill();
    void show_price();
    QString distance_text(double step_ms) const;
    static QString link_text(price::LinkSource source);
    QString summary(const std::vector<model::SegmentSummary>& segments) const;
    void retranslate();

    model::GraphDocument& document_;
    model::ModelPtr model_;  ///< model shown last; another version of it keeps the number of stages
    model::PriceBoard& board_;
    QLabel *stages_label_, *price_, *summary_;
    QSpinBox* stages_;
    QPushButton *equal_, *optimize_;
    QTableWidget* table_;
};

}  // namespace divisi::panels
