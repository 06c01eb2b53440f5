// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include "app/client/client.h"
#include "app/client/measurement.h"
#include "app/model/measurable.h"
#include "app/model/price_board.h"

namespace divisi::panels {

/// Shown while prices on screen were not measured: what measuring is good for, and the button that does it on the next
/// of their devices that is like one of this machine; where none is, why not. Then how far it is, with a button to
/// cancel; a task that starts meanwhile ends it. New prices come by themselves, as the pool watches the store.
class MeasureBar : public QFrame {
    Q_OBJECT
public:
    /// `client` may be null. `program`: divisi-instance.
    MeasureBar(model::TaskDraft& draft, model::PriceBoard& prices, client::Client* client,
               std::filesystem::path program, QWidget* parent = nullptr);

    /// Shows it also where nobody wanted to be asked, and where nothing is left to measure; takes the keys.
    void offer();

protected:
    void changeEvent(QEvent* event) override;

private:
    enum class Ended { none, failed, by_task };

    /// Of the prices on screen; nothing while there are none.
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
    model::ModelPtr dismissed_;  ///< the model for which nobody wants to be asked
    model::ModelPtr model_;      ///< that the rest is about
    bool asked_ = false;         ///< somebody wants to see it
    Ended ended_ = Ended::none;  ///< how the last measuring ended before its end
    QString problem_;            ///< why it failed
};

}  // namespace divisi::panels
