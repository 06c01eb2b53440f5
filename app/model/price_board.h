// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QThread>
#include <QTimer>
#include <memory>
#include <optional>

#include "app/model/prices.h"
#include "app/model/task_draft.h"

namespace divisi::model {

/// What the shown cuts would cost, found in a thread of its own while the pointer moves. One question is under way
/// at a time; newer ones replace those that wait, and an answer never replaces that to a newer question.
class PriceBoard : public QObject {
    Q_OBJECT
public:
    PriceBoard(GraphDocument& document, TaskDraft& draft, QObject* parent = nullptr);
    ~PriceBoard() override;

    /// Where plans would run from now on; asks anew.
    void set_pool(plan::NodePool pool);
    /// The cut whose landscape is shown: the one that is dragged or focused; -1 for the first.
    void set_moving(int which);

    /// Looks for the fastest plan of as many stages as are shown, also while a gesture is under way; optimumFound()
    /// tells it once.
    void request_optimum();

    /// The newest answer; empty before the first, and after the model was closed.
    const std::optional<Prices>& prices() const { return prices_; }
    /// True while the answer for what is shown is being found.
    bool busy() const { return asked_ != answered_; }

Q_SIGNALS:
    void pricesChanged();
    void optimumFound(const divisi::model::Cuts& cuts);

private:
    void ask();
    void start_next();
    void take(std::uint64_t ticket, const std::shared_ptr<Prices>& prices);

    GraphDocument& document_;
    TaskDraft& draft_;
    plan::NodePool pool_;
    std::uint64_t cluster_ = 0;
    int moving_ = -1;
    std::optional<Prices> prices_;
    plan::LatestOnly tickets_;
    plan::LatestOnly::Ticket asked_ = 0, answered_ = 0;
    std::optional<PriceQuestion> waiting_;  ///< its ticket is asked_
    QTimer later_;                          ///< several changes in a row are one question
    bool running_ = false;
    bool optimum_wanted_ = false;
    QThread thread_;
    QObject* worker_;                 ///< lives in thread_
    std::shared_ptr<Pricer> pricer_;  ///< used in thread_ only
};

}  // namespace divisi::model
