// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>
#include <QWidget>

#include "app/model/price_board.h"
#include "app/panels/row_table.h"

namespace divisi::panels {

/// The segments as a table: what the Graph view draws and what each would cost, readable by keyboard and screen
/// reader, in the order of the pipeline or as a header that was pressed sorts them. A segment's row ends with the cut
/// below it. Above it what a step would take and how far that is from the best plan found.
class SplitPanel : public QWidget {
    Q_OBJECT
public:
    SplitPanel(model::GraphDocument& document, model::PriceBoard& board, QWidget* parent = nullptr);

    int stages() const { return stages_->value(); }

Q_SIGNALS:
    void equalRequested();
    void optimumRequested();
    void cutChosen(int which);        ///< the one that ends the row chosen, -1 for the last segment
    void segmentChosen(int segment);  ///< painted ones, which no cut ends

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fit_cut_column();
    /// A segment as it is shown; what its cells do not say is their tips.
    struct Segment {
        TableRow row;
        QString work_tip, memory_tip, cut_tip;
    };
    void choose();
    void show_model();
    void refresh();
    void refresh_prices();
    /// Whether the last price is of the cuts that are shown.
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
    model::ModelPtr model_;  ///< that the wanted number of stages is for
    model::PriceBoard& board_;
    QLabel *stages_label_, *price_, *summary_;
    QSpinBox* stages_;
    QPushButton *equal_, *optimize_;
    QTableWidget* table_;
};

}  // namespace divisi::panels
