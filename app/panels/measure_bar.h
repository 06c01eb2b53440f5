// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <optional>

#include "app/client/client.h"
#include "app/client/measurement.h"
#include "app/model/price_board.h"

namespace divisi::panels {

/// Shown while prices of stages that would run on devices like this machine's were not measured: what measuring is good
/// for, and the button that does it; then how far it is, with a button to cancel. New prices come by
/// themselves, as the pool watches the store.
class MeasureBar : public QFrame {
    Q_OBJECT
public:
    /// `client` may be null. `program`: divisi-instance.
    MeasureBar(model::TaskDraft& draft, model::PriceBoard& prices, client::Client* client,
               std::filesystem::path program, QWidget* parent = nullptr);

protected:
    void changeEvent(QEvent* event) override;

private:
    /// How the first stage on a device of this machine's type would run; empty where there is none that is unmeasured.
    std::optional<client::MeasurementWish> wanted() const;
    bool tasks_run() const;
    void start();
    void refresh();
    void retranslate();

    model::TaskDraft& draft_;
    model::PriceBoard& prices_;
    client::Client* client_;
    client::Measurement measurement_;
    QLabel* message_;
    QPushButton *measure_, *cancel_;
    QToolButton* close_;
    model::ModelPtr dismissed_;  ///< the model for which nobody wants to be asked
    QString problem_;
};

}  // namespace divisi::panels
