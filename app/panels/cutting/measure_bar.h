// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include "app/client/client.h"
#include "app/client/measurement.h"
#include "app/model/estimates/measurable.h"
#include "app/model/estimates/price_board.h"

namespace divisi::panels {

/// A bar that is visible while prices on screen are unmeasured, and explains the benefit of measuring. A button
/// measures the operators for the next device whose type this machine has; if there is none, the bar says why.
/// During a measurement the bar shows the progress and a cancel button. If a task starts, the bar cancels the
/// measurement. New prices appear automatically, because PoolWatch watches the stored prices.
class MeasureBar : public QFrame {
    Q_OBJECT
public:
    /// `client` may be null. `program` is divisi-instance.
    MeasureBar(model::TaskDraft& draft, model::PriceBoard& prices, client::Client* client,
               std::filesystem::path program, QWidget* parent = nullptr);

    /// Shows the bar and gives it the keyboard focus, even if the user has dismissed the bar or all prices are
    /// measured.
    void offer();

protected:
    void changeEvent(QEvent* event) override;

private:
    enum class Ended { none, failed, by_task };

    /// Returns which of the displayed prices can be measured; nothing if there are no prices.
    model::Measurable wanted() const;
    bool tasks_run() const;
    void start();
    void make_way();
    void refresh();
    QString text(const model::Measurable& wanted) const;
    void retranslate();

    model::TaskDraft& draft_;
    model::PriceBoard& prices_;
    client::Client* client_;
    client::Measurement measurement_;
    QLabel* message_;
    QPushButton *measure_, *cancel_;
    QToolButton* close_;
    model::ModelPtr dismissed_;  ///< model for which the user dismissed the bar
    model::ModelPtr model_;      ///< model that asked_ and ended_ refer to
    bool asked_ = false;         ///< whether the user has asked to see the bar
    Ended ended_ = Ended::none;  ///< why the last measurement ended early
    QString problem_;            ///< why the last measurement failed
};

}  // namespace divisi::panels
