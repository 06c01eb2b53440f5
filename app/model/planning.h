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

/// Where all planning of the console runs: compiling, pricing, searching, checking against a model. Nothing of that is
/// done on the GUI thread. Ends what is under way, and waits for it, before it goes.
class PlanningService {
public:
    enum class Hurry {
        now,   ///< somebody looks at what it is for
        idle,  ///< no step of a training may be slower for it
    };
    PlanningService();
    ~PlanningService();

private:
    friend class PlanningLine;
    QThreadPool now_, idle_;
    std::shared_ptr<std::atomic<bool>> ending_ = std::make_shared<std::atomic<bool>>(false);
};

/// What a work that runs beside the GUI thread knows of it.
class Beside {
public:
    /// True once nobody wants the answer. Long work looks at it, and returns early with anything.
    bool cancelled() const { return *cancelled_ || *ending_; }
    /// Calls in the GUI thread, while the answer is still wanted.
    void tell(std::function<void()> call) const;

private:
    friend class PlanningLine;
    QPointer<PlanningLine> line_;  ///< read in the GUI thread only
    std::shared_ptr<std::atomic<bool>> cancelled_, ending_;
};

/// A line of questions to the service, of which only the newest counts. One is under way at a time, so what its works
/// keep between questions needs no lock. Answers come in the GUI thread, and never after the line is gone: a line is
/// a member of the object that its answers are for, behind what they use.
class PlanningLine : public QObject {
    Q_OBJECT
public:
    /// What a newer question does to the one under way.
    enum class Older {
        drop,  ///< ends it; its answer is not shown
        show,  ///< lets it answer first: something moves on screen, and questions come faster than answers
    };
    explicit PlanningLine(PlanningService& service, Older older = Older::drop,
                          PlanningService::Hurry hurry = PlanningService::Hurry::now)
        : service_(service), older_(older), hurry_(hurry) {}
    ~PlanningLine() override { cancel(); }

    /// `work(const Beside&)` runs beside the GUI thread and owns what it uses; `then(answer)` takes its answer here.
    template <typename Work, typename Then>
    void ask(Work work, Then then) {
        enqueue([work = std::move(work), then = std::move(then)](const Beside& beside) -> Deliver {
            const auto answer = std::make_shared<decltype(work(beside))>(work(beside));
            return [answer, then] { then(std::move(*answer)); };
        });
    }
    /// Forgets what was asked; no answer comes.
    void cancel();
    /// Whether an answer is still to come.
    bool busy() const { return waiting_.has_value() || (under_way_ && !*under_way_->cancelled_); }

private:
    using Deliver = std::function<void()>;
    using Job = std::function<Deliver(const Beside&)>;
    void enqueue(Job job);
    void start_next();
    void finish(const Deliver& deliver);

    PlanningService& service_;
    Older older_;
    PlanningService::Hurry hurry_;
    std::optional<Beside> under_way_;
    std::optional<Job> waiting_;
};

}  // namespace divisi::model
