// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPointer>
#include <QThreadPool>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>

namespace divisi::model {

class PlanningLine;

/// Runs all planning of the console off the GUI thread: compiling, pricing, searching, checking against a model. The
/// destructor cancels running work and waits for it.
class PlanningService {
public:
    enum class Priority {
        now,   ///< the user is waiting for the result
        idle,  ///< must not slow down a training step
    };
    PlanningService();
    ~PlanningService();

private:
    friend class PlanningLine;
    QThreadPool now_, idle_;
    std::shared_ptr<std::atomic<bool>> ending_ = std::make_shared<std::atomic<bool>>(false);
};

/// The context that a job on a worker thread gets.
class JobContext {
public:
    /// Returns true once the answer is not wanted any more. Long jobs check it and return early with any value.
    bool cancelled() const { return *cancelled_ || *ending_; }
    /// Calls `call` in the GUI thread if the answer is still wanted.
    void tell(std::function<void()> call) const;

private:
    friend class PlanningLine;
    QPointer<PlanningLine> line_;  ///< read in the GUI thread only
    std::shared_ptr<std::atomic<bool>> cancelled_, ending_;
};

/// A sequence of questions to the service; only the newest question counts. Only one runs at a time, so data that its
/// jobs keep between questions needs no lock. Answers come in the GUI thread, and never after the line is destroyed.
/// Make the line a member of the object that receives the answers, declared after what they use.
class PlanningLine : public QObject {
    Q_OBJECT
public:
    /// Determines what a newer question does to the running one.
    enum class Older {
        drop,  ///< cancels it; its answer is not shown
        show,  ///< lets the running question be answered first, for dragging, where questions come faster than answers
    };
    explicit PlanningLine(PlanningService& service, Older older = Older::drop,
                          PlanningService::Priority priority = PlanningService::Priority::now)
        : service_(service), older_(older), priority_(priority) {}
    ~PlanningLine() override { cancel(); }

    /// Runs `work(const JobContext&)` on a worker thread; `work` owns what it uses. Passes its answer to `then(answer)`
    /// in the GUI thread.
    template <typename Work, typename Then>
    void ask(Work work, Then then) {
        enqueue([work = std::move(work), then = std::move(then)](const JobContext& context) -> Deliver {
            const auto answer = std::make_shared<decltype(work(context))>(work(context));
            return [answer, then] { then(std::move(*answer)); };
        });
    }
    /// Drops the question; no answer comes.
    void cancel();
    /// Returns whether an answer is still to come.
    bool busy() const { return waiting_.has_value() || (under_way_ && !*under_way_->cancelled_); }

private:
    using Deliver = std::function<void()>;
    using Job = std::function<Deliver(const JobContext&)>;
    void enqueue(Job job);
    void start_next();
    void finish(const Deliver& deliver);

    PlanningService& service_;
    Older older_;
    PlanningService::Priority priority_;
    std::optional<JobContext> under_way_;
    std::optional<Job> waiting_;
};

}  // namespace divisi::model
