// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QWidget>
#include <vector>

#include "app/graphview/diagram/graph_view.h"

namespace divisi::graphview {

/// Searches operators by name, operator type or output while the user types. Enter and F3 go to the next match,
/// Shift+Enter to the previous one, Esc closes the bar.
class SearchBar : public QWidget {
    Q_OBJECT
public:
    SearchBar(GraphView& view, const model::GraphDocument& document, QWidget* parent = nullptr);

    void open();
    void dismiss();
    void go(int by);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void search();
    void show_count();
    void retranslate();

    GraphView& view_;
    const model::GraphDocument& document_;
    QLineEdit* input_;
    QLabel* count_;
    QToolButton *previous_, *next_, *close_;
    std::vector<graph::NodeIndex> matches_;
    int current_ = -1;
};

}  // namespace divisi::graphview
