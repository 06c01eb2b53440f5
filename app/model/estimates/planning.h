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

/// Runs the console's long computations about plans on worker threads: compiling, pricing, searching, and checking
/// against a model. The destructor cancels running jobs and waits for them.
class PlanningService {
public:
    enum class Priority {
        now,   ///< the user is waiting for the result
        idle,  ///< runs at low priority, so that it does not slow down training
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
    QPointer<PlanningLine> line_;  ///< the planning line; read in the GUI thread only
    std::shared_ptr<std::atomic<bool>> cancelled_, ending_;
};

/// A sequence of questions to the service; only the newest question counts. Only one job runs at a time, so data that
/// the jobs keep between questions needs no lock. Answers arrive in the GUI thread, and never after the line is
/// destroyed. Make the line a member of the object that receives the answers, declared after the data that the answers
/// use.
class PlanningLine : public QObject {
    Q_OBJECT
public:
    /// Determines how a newer question affects the running one.
    enum class Older {
        drop,  ///< cancels it; its answer is not shown
        show,  ///< waits for the answer of the running question; used while dragging, when questions come faster than
               ///< answers
    };
    explicit PlanningLine(PlanningService& service, Older older = Older::drop,
                          PlanningService::Priority priority = PlanningService::Priority::now)
        : service_(service), older_(older), priority_(priority) {}
    ~PlanningLine() override { cancel(); }

    /// Runs `work(const JobContext&)` on a worker thread; `work` owns the data that it uses. Passes its answer to
    /// `then(answer)` in the GUI thread.
    template <typename Work, typename Then>
    void ask(Work work, Then then) {
        enqueue([work = std::move(work), then = std::move(then)](const JobContext& context) -> Deliver {
            const auto answer = std::make_shared<decltype(work(context))>(work(context));
            return [answer, then] { then(std::move(*answer)); };
        });
    }
    /// Cancels the question; its answer is not delivered.
    void cancel();
    /// Returns whether an answer is still expected.
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
