// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QWidget>
#include <optional>
#include <vector>

#include "app/client/client.h"
#include "app/model/price_board.h"

namespace divisi::panels {

/// Plans side by side: the one on screen, those that were kept to compare, and the best found; what each would take,
/// need and send. Below them, for the followed run, what was predicted and what was measured of every stage, with
/// the error. A kept plan comes back with a double click, as one undo step.
class PlansPanel : public QWidget {
    Q_OBJECT
public:
    PlansPanel(model::GraphDocument& document, model::PriceBoard& board, client::Client* client,
               QWidget* parent = nullptr);

    void keep();
    void show_task(const TaskId& task);

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    struct Plan {
        QString name;
        model::Split split;
        std::size_t stages = 0;
        double step_ms = 0, slowest_ms = 0, bubble = 0;
        Bytes memory = 0, sent = 0;
    };
    static Plan plan_of(const model::Prices& prices);
    /// The plan on screen, then the kept ones; the best found where it is another.
    std::vector<Plan> plans() const;
    void refresh();
    void refresh_run();
    void restore(int row);
    void retranslate();

    model::GraphDocument& document_;
    model::PriceBoard& board_;
    client::Client* client_;
    TaskId task_;
    std::optional<model::Prices> run_;  ///< the prices of the followed run's plan, from when it was submitted
    model::ModelPtr model_;             ///< that the kept plans cut
    std::vector<Plan> kept_;
    QLabel* run_title_;
    QPushButton *keep_, *forget_;
    QTableWidget *table_, *run_table_;
};

}  // namespace divisi::panels
