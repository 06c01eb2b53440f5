// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/estimates/cut_search.h"

#include <QElapsedTimer>

#include "app/client/refusal_text.h"

namespace divisi::model {

namespace {

/// Interval at which a search reports its progress, short enough for visible movement.
constexpr qint64 progress_interval_ms = 100;

}  // namespace

search::SegmentationRequest fastest_of(search::SegmentationRequest request, std::int32_t stages) {
    request.strategy = "layer";
    request.method = "tabu";
    request.stages = stages;
    request.cuts.clear();
    request.least_stages = request.most_stages = 0;
    return request;
}

CutSearch::CutSearch(PlanningService& planning, PlanningService::Priority priority, QObject* parent)
    : QObject(parent), line_(planning, PlanningLine::Older::drop, priority) {}

void CutSearch::start(SearchQuestion question) {
    const auto work = [this, kept = kept_, question = std::move(question)](const JobContext& context) {
        QElapsedTimer timer;
        timer.start();
        return find(question, *kept, [&](const search::SearchProgress& progress) {
            if (timer.elapsed() >= progress_interval_ms) {
                timer.restart();
                context.tell(
                    [this, percent = static_cast<int>(progress.done * 100),
                     found = FoundCuts{progress.best, progress.best_step_ms}] { Q_EMIT progressed(percent, found); });
            }
            return !context.cancelled();
        });
    };
    line_.ask(work, [this](const FoundCuts& found) { Q_EMIT answered(found); });
}

FoundCuts CutSearch::find(const SearchQuestion& question, std::unique_ptr<PricedTask>& kept,
                          const std::function<bool(const search::SearchProgress&)>& watch) {
    FoundCuts found;
    const auto work = [&]() -> Result<void> {
        DIVISI_TRY(search::check_request(question.request));
        DIVISI_TRY(price_task(question.task, kept));
        search::LayerTask task = kept->layers();
        task.watch = watch;
        const bool tabu = question.request.method == "tabu";
        DIVISI_ASSIGN(const search::LayerPlan plan, tabu ? search::tabu_layers(task, question.request)
                                                         : search::optimal_layers(task, question.request));
        DIVISI_ASSIGN(price::Prediction prediction, kept->predict(plan.cuts, kept->place(plan.cuts)));
        found.cuts = plan.cuts;
        found.step_ms = prediction.step_ms;
        found.prediction = std::make_shared<const price::Prediction>(std::move(prediction));
        return {};
    };
    if (const auto done = work(); !done.ok()) found.problem = client::quoted(done.error());
    return found;
}

}  // namespace divisi::model

#include "moc_cut_search.cpp"
