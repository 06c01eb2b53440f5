// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <memory>

#include "app/model/estimates/planning.h"
#include "app/model/estimates/prices.h"
#include "backend/search/layer_methods.h"

namespace divisi::model {

/// A question for cuts, to be found by a search with prices.
struct SearchQuestion {
    TaskToPrice task;
    search::SegmentationRequest request;
};

/// Cuts with their simulated step time, or why there are none.
struct FoundCuts {
    Cuts cuts;
    double step_ms = 0;
    std::shared_ptr<const price::Prediction> prediction = {};  ///< set when the search has ended
    QString problem = {};
    bool asked_by_task = false;  ///< the search was for the task's own request, see PriceBoard::request_split()

    bool ok() const { return problem.isEmpty(); }
};

/// Returns the request of "Optimize", which equals divisictl plan with split.method = "tabu": the fastest plan of this
/// many stages. Uses the bounds, scopes and tabu parameters of the task's own request.
search::SegmentationRequest fastest_of(search::SegmentationRequest request, std::int32_t stages);

/// Finds cuts as task::choose_split() does, on a worker thread. Only one search runs at a time: a newer one ends it,
/// and its answer is dropped.
class CutSearch : public QObject {
    Q_OBJECT
public:
    CutSearch(PlanningService& planning, PlanningService::Priority priority, QObject* parent = nullptr);

    void start(SearchQuestion question);
    void cancel() { line_.cancel(); }

Q_SIGNALS:
    void progressed(int percent, const divisi::model::FoundCuts& so_far);
    void answered(const divisi::model::FoundCuts& found);

private:
    using Kept = std::shared_ptr<std::unique_ptr<PricedTask>>;
    static FoundCuts find(const SearchQuestion& question, std::unique_ptr<PricedTask>& kept,
                          const std::function<bool(const search::SearchProgress&)>& watch);

    Kept kept_ = std::make_shared<std::unique_ptr<PricedTask>>();  ///< used only on the line's worker thread
    PlanningLine line_;
};

}  // namespace divisi::model
