// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <memory>

#include "app/model/estimates/planning.h"
#include "app/model/estimates/prices.h"
#include "backend/search/layer_methods.h"

namespace divisi::model {

/// The inputs of a search for cuts by their prices.
struct SearchQuestion {
    TaskToPrice task;
    search::SegmentationRequest request;
};

/// The cuts found, with their simulated step time, or the reason why no cuts were found.
struct FoundCuts {
    Cuts cuts;
    double step_ms = 0;
    /// prediction for the cuts; set when the search has ended
    std::shared_ptr<const price::Prediction> prediction = {};
    QString problem = {};
    bool asked_by_task = false;  ///< whether the search used the request in the task file, see
                                 ///< PriceBoard::request_split()

    bool ok() const { return problem.isEmpty(); }
};

/// Returns the search request of "Optimize", for the fastest plan with this many stages. The search is the same as in
/// `divisictl plan` with split.method = "tabu". Uses the bounds, scopes and tabu parameters of the task's own request.
search::SegmentationRequest fastest_of(search::SegmentationRequest request, std::int32_t stages);

/// Finds cuts as task::choose_split() does, on a worker thread. Only one search runs at a time: a newer search cancels
/// the older one, whose answer is dropped.
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
