// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>
#include <QWidget>

#include "app/model/graph_document.h"

namespace divisi::panels {

/// The segments as a table: what the Graph view draws, readable by keyboard and screen reader. A segment's row
/// ends with the cut below it.
class SplitPanel : public QWidget {
    Q_OBJECT
public:
    explicit SplitPanel(model::GraphDocument& document, QWidget* parent = nullptr);

    int stages() const { return stages_->value(); }

Q_SIGNALS:
    void equalRequested();
    void cutChosen(int which);  ///< the one that ends the row chosen, -1 for the last segment

protected:
    void changeEvent(QEvent* event) override;

private:
    void refresh();
    void retranslate();

    model::GraphDocument& document_;
    QLabel *stages_label_, *summary_;
    QSpinBox* stages_;
    QPushButton* equal_;
    QTableWidget* table_;
};

}  // namespace divisi::panels
