// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <memory>
#include <optional>

#include "app/model/documents/task_draft.h"
#include "app/model/estimates/cut_search.h"
#include "app/model/estimates/prices.h"

namespace divisi::model {

/// The fastest plan found with a given number of stages. `complete` is set if its search finished.
struct Fastest {
    Cuts cuts;
    double step_ms = 0;
    bool complete = false;
    std::shared_ptr<const price::Prediction> prediction = {};  ///< set if complete
};

/// Prices the shown cuts on a worker thread while the pointer moves, and finds the fastest plan with as many stages.
/// Only one question runs at a time; a newer one replaces the waiting one.
class PriceBoard : public QObject {
    Q_OBJECT
public:
    PriceBoard(GraphDocument& document, TaskDraft& draft, PlanningService& planning, QObject* parent = nullptr);

    /// Sets where plans would run, and asks again.
    void set_pool(price::NodePool pool);
    /// Asks again, for answers in another language.
    void ask_again() { later_.start(); }
    /// Sets the cut whose landscape is shown: the dragged or focused one; -1 for the first.
    void set_moving(int which);
    /// Sets a legal position of that cut to be priced by full simulation too; -1 for none.
    void set_probe(std::int32_t legal);

    /// Request the fastest plan with this many stages, or the cuts that the task's own request asks for. Answered by
    /// found() or searchFailed(); searching() reports the progress. If the cuts change otherwise, or by
    /// cancel_search(), only searchEnded() comes.
    void request_fastest(std::int32_t stages);
    void request_split();
    void cancel_search();

    /// Returns the newest answer; empty before the first, and after the model was closed.
    const std::optional<Prices>& prices() const { return prices_; }
    /// Returns the fastest plan with this many stages, or with as many as are shown; empty while unknown.
    std::optional<Fastest> fastest(std::int32_t stages) const;
    std::optional<Fastest> fastest() const;
    /// Returns the fastest plan if prices() can be compared with it: both simulated, with equal stages, task, nodes and
    /// prices. Empty while one of them is outdated.
    std::optional<Fastest> comparable() const;
    /// Returns why a cut may not be dropped at a legal position, as far as is known: the plan could not run there, but
    /// can run with the cut's current position. A plan that cannot run at all may be repaired in several moves.
    QString refusal(int cut, std::int32_t legal) const;
    /// Returns whether the answer for the shown cuts is still being computed.
    bool busy() const { return later_.isActive() || line_.busy(); }

Q_SIGNALS:
    void pricesChanged();
    void searching(int percent);
    void searchEnded();  ///< also sent before found() and searchFailed()
    void found(const divisi::model::FoundCuts& cuts);
    void searchFailed(const QString& problem);

private:
    void ask();
    void take(Prices prices, std::uint64_t era);
    void wish(search::SegmentationRequest request);
    void end_wish();
    void forget_other_tasks();
    void search();
    void end_search();
    void take_found(const FoundCuts& cuts);
    void deliver(FoundCuts cuts);
    search::SegmentationRequest shown_request() const;
    const Fastest* known(const search::SegmentationRequest& request) const;

    GraphDocument& document_;
    TaskDraft& draft_;
    price::NodePool pool_;
    std::uint64_t cluster_ = 0;
    int moving_ = -1;
    std::int32_t probe_ = -1;
    std::optional<Prices> prices_;
    QTimer later_;                                                 ///< joins several changes in a row into one question
    std::shared_ptr<Pricer> pricer_ = std::make_shared<Pricer>();  ///< used only by the line's jobs

    /// Results for this model, task and cluster; without cuts if none are possible.
    std::vector<std::pair<search::SegmentationRequest, Fastest>> known_;
    ModelPtr known_model_;
    std::string known_task_;
    std::uint64_t known_cluster_ = 0;
    std::uint64_t era_ = 0;                            ///< number of the current combination of model, task and cluster
    std::uint64_t priced_era_ = 0;                     ///< era of prices()
    std::optional<search::SegmentationRequest> wish_;  ///< request that the user waits for
    std::optional<search::SegmentationRequest> searching_;  ///< running request
    FoundCuts so_far_;                                      ///< best result for searching_ so far
    CutSearch quick_;                                       ///< serves requests of the user
    CutSearch idle_;                                        ///< serves the comparison with the best plan
    bool quickly_ = false;                                  ///< quick_ is running searching_, not idle_
    PlanningLine line_;                                     ///< computes prices
};

}  // namespace divisi::model
