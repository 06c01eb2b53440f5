// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTreeWidget>

#include "app/model/wording/receipt_totals.h"

namespace divisi::panels {

/// Shows the resources that submitters and their tasks have consumed, sorted by the chosen header, or by name. A row
/// keeps its selection and its expansion when it moves.
class TotalsTree : public QTreeWidget {
    Q_OBJECT
public:
    explicit TotalsTree(QWidget* parent);

    void show_totals(const model::ReceiptTotals& totals);
    void retranslate();

private:
    void sort();
};

}  // namespace divisi::panels
