// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPointer>
#include <QTimer>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/client/client.h"
#include "app/model/tracking/live_step.h"
#include "app/model/tracking/time_cursor.h"

namespace divisi::timeline {

/// Provides the measured step to show for a running task. This is the step that the user has chosen, otherwise the step
/// at the time cursor or, if live, the newest step. Requests spans from the cluster only while the view is visible.
class LiveSpans : public QObject {
    Q_OBJECT
public:
    /// `looks` is a function that returns whether the view is visible.
    LiveSpans(client::Client* client, std::function<bool()> looks, QObject* parent = nullptr);

    /// Sets the task; empty: none.
    void set_task(const TaskId& task);
    /// `cursor` must outlive this object.
    void use_cursor(model::TimeCursor& cursor);
    /// Sets the programs of the current plan, in force since generation `since`; null if unknown. A step that ran under
    /// a different plan is shown without programs.
    void set_programs(std::shared_ptr<const plan::Programs> programs, Generation since);
    /// Shows this step as soon as it is received, until the time cursor moves or another task is set. If empty, follows
    /// the cursor again.
    void show_step(std::optional<std::int64_t> number);
    const std::optional<std::int64_t>& wanted() const { return wanted_; }
    /// Returns the numbers of the task's kept steps, ascending.
    std::vector<std::int64_t> kept() const;
    /// Requests spans immediately, because the view has become visible.
    void ask();

    /// Returns the step to show; null if no step has been received.
    const std::shared_ptr<const model::LiveStep>& step() const { return step_; }
    /// Returns whether the task is running, so that further steps are expected.
    bool awaits() const;
    /// Returns model::live_note() and, if the chosen step was not kept, a remark that says this.
    QString note() const;

Q_SIGNALS:
    void changed();

private:
    /// Identifies the shown step and its plan. If these change, the step is rebuilt.
    struct Shown {
        Generation generation = 0;
        std::int64_t step = 0;
        std::size_t instances = 0;
        std::uint64_t lost = 0;
        Generation plan_since = 0;  ///< first generation of the task's current plan
        bool operator==(const Shown&) const = default;
    };
    void poll();
    void follow_cursor();
    const client::MeasuredStep* find() const;
    /// Returns the first generation of the task's current plan; 0 if the task is unknown.
    Generation plan_since() const;

    client::Client* client_;
    std::function<bool()> looks_;
    QPointer<model::TimeCursor> cursor_;
    TaskId task_;
    std::shared_ptr<const plan::Programs> programs_;
    Generation since_ = 0;  ///< first generation of `programs_`
    std::optional<std::int64_t> wanted_;
    std::optional<Shown> shown_;
    std::shared_ptr<const model::LiveStep> step_;
    QTimer again_;
};

}  // namespace divisi::timeline
