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
    std::shared_ptr<const price::Prediction> prediction = {};  ///< prediction for the cuts; set if it is complete
};

/// Prices the shown cuts on a worker thread while the pointer moves, and finds the fastest plan with the same number of
/// stages. Only one question runs at a time; a newer one replaces the waiting one.
class PriceBoard : public QObject {
    Q_OBJECT
public:
    PriceBoard(GraphDocument& document, TaskDraft& draft, PlanningService& planning, QObject* parent = nullptr);

    /// Sets the pool on which plans would run, and repeats the questions.
    void set_pool(price::NodePool pool);
    /// Repeats the questions, for example to get the answers in another language.
    void ask_again() { later_.start(); }
    /// Sets the cut whose landscape is shown: the dragged or focused one; -1 for the first.
    void set_moving(int which);
    /// Sets a legal position of the cut of set_moving() that is also priced by full simulation; -1 for none.
    void set_probe(std::int32_t legal);

    /// Request the fastest plan with this many stages, or the cuts that the task file requests. Answered by found() or
    /// searchFailed(); searching() reports the progress. If the user changes the cuts during the search,
    /// or after cancel_search(), only searchEnded() is sent.
    void request_fastest(std::int32_t stages);
    void request_split();
    void cancel_search();

    /// Returns the newest answer; empty before the first, and after the model was closed.
    const std::optional<Prices>& prices() const { return prices_; }
    /// Returns the fastest plan with this many stages, or with the number of stages that is shown; empty while unknown.
    std::optional<Fastest> fastest(std::int32_t stages) const;
    std::optional<Fastest> fastest() const;
    /// Returns the fastest plan if prices() can be compared with it: both plans are simulated, with the same number of
    /// stages, task, nodes and prices. Empty while one of the plans is outdated.
    std::optional<Fastest> comparable() const;
    /// Returns why a cut must not be dropped at a legal position; empty if it may, or if this is not known yet. The
    /// reason is that the plan can run now, but could not run with the cut at this position. If the plan cannot run
    /// now, dropping is allowed, because the repair may take several moves.
    QString refusal(int cut, std::int32_t legal) const;
    /// Returns whether the prices of the shown cuts are still being computed.
    bool busy() const { return later_.isActive() || line_.busy(); }

Q_SIGNALS:
    void pricesChanged();
    void searching(int percent);
    void searchEnded();  ///< a requested search has ended; sent before found() and searchFailed()
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
    QTimer later_;                                                 ///< combines several changes in a row into one
                                                                   ///< question
    std::shared_ptr<Pricer> pricer_ = std::make_shared<Pricer>();  ///< computes prices; used only by the line's jobs

    /// Results of searches for this model, task and cluster, by request. In a result of a search that found nothing,
    /// step_ms is 0.
    std::vector<std::pair<search::SegmentationRequest, Fastest>> known_;
    ModelPtr known_model_;
    std::string known_task_;
    std::uint64_t known_cluster_ = 0;
    std::uint64_t era_ = 0;                            ///< number of the current combination of model, task and cluster
    std::uint64_t priced_era_ = 0;                     ///< number of the combination to which prices() belong
    std::optional<search::SegmentationRequest> wish_;  ///< request that the user waits for
    std::optional<search::SegmentationRequest> searching_;  ///< request of the running search
    FoundCuts so_far_;                                      ///< best result for searching_ so far
    CutSearch quick_;                                       ///< runs the searches that the user requests
    CutSearch idle_;                                        ///< runs searches at low priority, for the comparison with
                                                            ///< the best plan
    bool quickly_ = false;                                  ///< whether quick_ runs the search for searching_;
                                                            ///< otherwise, idle_ runs it
    PlanningLine line_;                                     ///< computes prices
};

}  // namespace divisi::model
