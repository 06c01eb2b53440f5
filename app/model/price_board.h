// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <memory>
#include <optional>

#include "app/model/cut_search.h"
#include "app/model/prices.h"
#include "app/model/task_draft.h"

namespace divisi::model {

/// The fastest plan found of so many stages; `complete` when its search came to an end.
struct Fastest {
    Cuts cuts;
    double step_ms = 0;
    bool complete = false;
    std::shared_ptr<const price::Prediction> prediction = {};  ///< when complete
};

/// What the shown cuts would cost, found beside the GUI thread while the pointer moves, and the fastest plan of as many
/// stages. One question is under way at a time; newer ones replace the one that waits.
class PriceBoard : public QObject {
    Q_OBJECT
public:
    PriceBoard(GraphDocument& document, TaskDraft& draft, PlanningService& planning, QObject* parent = nullptr);

    /// Where plans would run from now on; asks anew.
    void set_pool(price::NodePool pool);
    /// For what answers say in the language that they were found in.
    void ask_again() { later_.start(); }
    /// The cut whose landscape is shown: the one that is dragged or focused; -1 for the first.
    void set_moving(int which);
    /// A legal position of that cut whose price by full simulation is wanted as well; -1 for none.
    void set_probe(std::int32_t legal);

    /// Wants the fastest plan of so many stages, or the cuts that the task's own request asks for. Answered by
    /// found() or searchFailed(); searching() tells meanwhile how far it is. Whatever else changes the cuts, or
    /// cancel_search(), ends the wish with searchEnded() alone.
    void request_fastest(std::int32_t stages);
    void request_split();
    void cancel_search();

    /// The newest answer; empty before the first, and after the model was closed.
    const std::optional<Prices>& prices() const { return prices_; }
    /// Of so many stages, or of as many as are shown; empty while none is known.
    std::optional<Fastest> fastest(std::int32_t stages) const;
    std::optional<Fastest> fastest() const;
    /// The same where prices() may be compared with it: both are of as many stages, of the same task, nodes and prices,
    /// and both are simulated. Empty as long as one of them is still of what was there before.
    std::optional<Fastest> comparable() const;
    /// Why a cut may not be dropped at a legal position, as far as is known: the plan could not run there, and could
    /// where the cut is now. A plan that cannot run as it is may be mended in several moves.
    QString refusal(int cut, std::int32_t legal) const;
    /// True while the answer for what is shown is being found.
    bool busy() const { return later_.isActive() || line_.busy(); }

Q_SIGNALS:
    void pricesChanged();
    void searching(int percent);
    void searchEnded();  ///< also before found() and searchFailed()
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
    QTimer later_;                                                 ///< several changes in a row are one question
    std::shared_ptr<Pricer> pricer_ = std::make_shared<Pricer>();  ///< used by the line's works only

    /// What was found for this model, task and cluster; without cuts where nothing can be.
    std::vector<std::pair<search::SegmentationRequest, Fastest>> known_;
    ModelPtr known_model_;
    std::string known_task_;
    std::uint64_t known_cluster_ = 0;
    std::uint64_t era_ = 0;                                 ///< counts models, tasks and clusters
    std::uint64_t priced_era_ = 0;                          ///< that prices() are of
    std::optional<search::SegmentationRequest> wish_;       ///< that somebody waits for
    std::optional<search::SegmentationRequest> searching_;  ///< that is under way
    FoundCuts so_far_;                                      ///< of searching_
    CutSearch quick_;                                       ///< for who waits
    CutSearch idle_;                                        ///< for the distance
    bool quickly_ = false;                                  ///< which of them is at searching_
    PlanningLine line_;                                     ///< of prices
};

}  // namespace divisi::model
