// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/estimates/planning.h"

#include <QCoreApplication>

namespace divisi::model {

namespace {

/// Numbers of threads that all planning lines share, by priority. The lines are seldom busy at the same time, and more
/// threads would only compete for a laptop's cores.
constexpr int threads_now = 4, threads_idle = 1;

/// Calls `call` in the GUI thread. The application object lives in that thread and outlives all other objects.
void post(std::function<void()> call) {
    QMetaObject::invokeMethod(QCoreApplication::instance(), std::move(call), Qt::QueuedConnection);
}

}  // namespace

PlanningService::PlanningService() {
    now_.setMaxThreadCount(threads_now);
    idle_.setMaxThreadCount(threads_idle);
    idle_.setThreadPriority(QThread::IdlePriority);
}

PlanningService::~PlanningService() {
    *ending_ = true;
    now_.waitForDone();
    idle_.waitForDone();
}

void JobContext::tell(std::function<void()> call) const {
    post([line = line_, cancelled = cancelled_, call = std::move(call)] {
        if (line && !*cancelled) call();
    });
}

void PlanningLine::enqueue(Job job) {
    waiting_ = std::move(job);
    if (!under_way_) return start_next();
    if (older_ == Older::drop) *under_way_->cancelled_ = true;
}

void PlanningLine::start_next() {
    if (!waiting_) return;
    JobContext context;
    context.line_ = this;
    context.cancelled_ = std::make_shared<std::atomic<bool>>(false);
    context.ending_ = service_.ending_;
    under_way_ = context;
    QThreadPool& pool = priority_ == PlanningService::Priority::now ? service_.now_ : service_.idle_;
    pool.start([context, job = std::move(*waiting_)] {
        const Deliver deliver = context.cancelled() ? Deliver() : job(context);
        post([context, deliver] {
            if (context.line_) context.line_->finish(deliver);
        });
    });
    waiting_.reset();
}

void PlanningLine::finish(const Deliver& deliver) {
    const bool wanted = !*under_way_->cancelled_;
    under_way_.reset();
    start_next();
    if (wanted && deliver) deliver();
}

void PlanningLine::cancel() {
    waiting_.reset();
    if (under_way_) *under_way_->cancelled_ = true;
}

}  // namespace divisi::model

#include "moc_planning.cpp"
