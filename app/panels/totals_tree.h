// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTreeWidget>

#include "app/model/receipt_totals.h"

namespace divisi::panels {

/// What submitters and, within, their tasks have consumed, sorted by the header that was pressed, or by name. A row
/// stays chosen, and open or closed, wherever it comes to lie.
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
