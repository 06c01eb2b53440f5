// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QLabel>
#include <QPushButton>
#include <QStackedLayout>
#include <QTabBar>
#include <QTableWidget>
#include <QWidget>
#include <vector>

#include "app/client/client.h"
#include "app/model/estimates/price_board.h"
#include "app/panels/cutting/run_table.h"
#include "app/panels/tables/row_table.h"

namespace divisi::panels {

/// Compares plans: the plan on screen, the fastest plan found with the same number of stages, and the plans that the
/// user has kept. Shows each plan's step time, memory and traffic, and how much slower it is than the fastest. A double
/// click restores a plan as one undo step. The second page compares prediction and measurement of the followed run.
class PlansPanel : public QWidget {
    Q_OBJECT
public:
    PlansPanel(model::GraphDocument& document, model::PriceBoard& board, client::Client* client,
               model::PlanningService& planning, QWidget* parent = nullptr);

    void keep();
    void show_task(const TaskId& task);

protected:
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    struct Plan {
        QString id, name;  ///< the id does not depend on the language
        model::Split split;
        std::size_t stages = 0;
        double step_ms = 0, slowest_ms = 0, bubble = 0;
        Bytes memory = 0, sent = 0;
    };
    static Plan plan_of(model::Split split, const price::Prediction& prediction);
    /// Returns the plan on screen, the fastest plan if different, and the kept plans.
    std::vector<Plan> plans() const;
    RowCell distance_cell(const Plan& plan) const;
    TableRow row_of(const Plan& plan, const Plan& first) const;
    void show_page(int page);
    void refresh();
    void restore_chosen();
    void retranslate();

    model::GraphDocument& document_;
    model::PriceBoard& board_;
    model::ModelPtr model_;  ///< model of the kept plans
    std::vector<Plan> kept_;
    QTabBar* pages_;
    QPushButton *keep_, *forget_;
    QStackedLayout* stack_;
    QTableWidget* table_;
    QAction* restore_;  ///< action in the table's menu that restores the chosen plan
    RunTable* run_;
};

}  // namespace divisi::panels
