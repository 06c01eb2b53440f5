// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>
#include <QWidget>

#include "app/model/price_board.h"

namespace divisi::panels {

/// The segments as a table: what the Graph view draws and what each would cost, readable by keyboard and screen
/// reader. A segment's row ends with the cut below it. Above it what a step would take and how far that is from the
/// best plan found.
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
    void choose(int row);
    void show_model();
    void refresh();
    void refresh_prices();
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
