// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <memory>

#include "app/model/planning.h"
#include "app/model/prices.h"
#include "backend/search/layer_methods.h"

namespace divisi::model {

/// Which cuts are wanted, by a method with prices.
struct SearchQuestion {
    TaskToPrice task;
    search::SegmentationRequest request;
};

/// Cuts with their simulated step time, or why there are none.
struct FoundCuts {
    Cuts cuts;
    double step_ms = 0;
    std::shared_ptr<const price::Prediction> prediction = {};  ///< once the search has ended
    QString problem = {};
    bool asked_by_task = false;  ///< the task's own request was searched, see PriceBoard::request_split()

    bool ok() const { return problem.isEmpty(); }
};

/// The request that "Optimize" means, and divisictl plan with split.method = "tabu": the fastest plan of so many
/// stages, with the bounds, scopes and tabu parameters of a task's own request.
search::SegmentationRequest fastest_of(search::SegmentationRequest request, std::int32_t stages);

/// Finds cuts as task::choose_split() does, beside the GUI thread. One search is under way at a time; a newer one ends
/// it, and its answer is dropped.
class CutSearch : public QObject {
    Q_OBJECT
public:
    CutSearch(PlanningService& planning, PlanningService::Hurry hurry, QObject* parent = nullptr);

    void start(SearchQuestion question);
    void cancel() { line_.cancel(); }

Q_SIGNALS:
    void progressed(int percent, const divisi::model::FoundCuts& so_far);
    void answered(const divisi::model::FoundCuts& found);

private:
    using Kept = std::shared_ptr<std::unique_ptr<PricedTask>>;
    static FoundCuts find(const SearchQuestion& question, std::unique_ptr<PricedTask>& kept,
                          const std::function<bool(const search::SearchProgress&)>& watch);

    Kept kept_ = std::make_shared<std::unique_ptr<PricedTask>>();  ///< used by the line's works only
    PlanningLine line_;
};

}  // namespace divisi::model
