// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTextBrowser>
#include <QWidget>

#include "app/model/documents/graph_document.h"

namespace divisi::panels {

/// Shows information about the selected block, or about the model if nothing is selected.
class Inspector : public QWidget {
    Q_OBJECT
public:
    explicit Inspector(model::GraphDocument& document, QWidget* parent = nullptr);

    void show_block(std::int32_t block);

protected:
    void changeEvent(QEvent* event) override;

private:
    void refresh();
    QString model_text() const;
    QString block_text(const model::Block& block) const;
    QString operator_text(const graph::Node& node) const;

    model::GraphDocument& document_;
    QTextBrowser* text_;
    std::int32_t block_ = -1;
    QString shown_;  ///< style and text that are shown now
};

}  // namespace divisi::panels
