// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/cut_search.h"

#include <QElapsedTimer>

namespace divisi::model {

namespace {

/// How often a search says how far it is: a person sees it move.
constexpr qint64 progress_interval_ms = 100;

}  // namespace

plan::SegmentationRequest fastest_of(plan::SegmentationRequest request, std::int32_t stages) {
    request.strategy = "layer";
    request.method = "tabu";
    request.stages = stages;
    request.cuts.clear();
    request.least_stages = request.most_stages = 0;
    return request;
}

CutSearch::CutSearch(QThread::Priority priority, QObject* parent)
    : QObject(parent), worker_(new QObject), kept_(std::make_shared<std::unique_ptr<PricedTask>>()) {
    worker_->moveToThread(&thread_);
    connect(&thread_, &QThread::finished, worker_, &QObject::deleteLater);
    thread_.start(priority);
}

CutSearch::~CutSearch() {
    cancel();
    thread_.quit();
    thread_.wait();
}

void CutSearch::cancel() {
    if (cancelled_) *cancelled_ = true;
}

void CutSearch::start(SearchQuestion question) {
    cancel();
    cancelled_ = std::make_shared<std::atomic<bool>>(false);
    // This object waits for its thread before it goes; what is still posted to it then is dropped.
    const auto tell = [this, cancelled = cancelled_](auto signal) {
        QMetaObject::invokeMethod(
            this,
            [cancelled, signal] {
                if (!*cancelled) signal();
            },
            Qt::QueuedConnection);
    };
    const auto work = [this, tell, kept = kept_, cancelled = cancelled_, question = std::move(question)] {
        if (*cancelled) return;
        QElapsedTimer timer;
        timer.start();
        const auto watch = [&](const plan::SearchProgress& progress) {
            if (timer.elapsed() >= progress_interval_ms) {
                timer.restart();
                tell([this, percent = static_cast<int>(progress.done * 100),
                      found = FoundCuts{progress.best, progress.best_step_ms}] { Q_EMIT progressed(percent, found); });
            }
            return !*cancelled;
        };
        tell([this, found = find(question, *kept, watch)] { Q_EMIT answered(found); });
    };
    QMetaObject::invokeMethod(worker_, work, Qt::QueuedConnection);
}

FoundCuts CutSearch::find(const SearchQuestion& question, std::unique_ptr<PricedTask>& kept,
                          const std::function<bool(const plan::SearchProgress&)>& watch) {
    FoundCuts found;
    const auto work = [&]() -> Result<void> {
        DIVISI_TRY(plan::check_request(question.request));
        DIVISI_TRY(price_task(question.task, kept));
        plan::LayerTask task = kept->layers();
        task.watch = watch;
        const bool tabu = question.request.method == "tabu";
        DIVISI_ASSIGN(const plan::LayerPlan plan,
                      tabu ? plan::tabu_layers(task, question.request) : plan::optimal_layers(task, question.request));
        DIVISI_ASSIGN(plan::Prediction prediction, kept->predict(plan.cuts, kept->place(plan.cuts)));
        found.cuts = plan.cuts;
        found.step_ms = prediction.step_ms;
        found.prediction = std::make_shared<const plan::Prediction>(std::move(prediction));
        return {};
    };
    if (const auto done = work(); !done.ok()) found.problem = QString::fromStdString(done.error().message());
    return found;
}

}  // namespace divisi::model
