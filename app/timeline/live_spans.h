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

/// Provides the measured step to show for a running task: the chosen step, else the step at the time cursor, or the
/// newest step if live. Asks the cluster for spans only while the view is visible.
class LiveSpans : public QObject {
    Q_OBJECT
public:
    /// `looks` returns whether the view is visible.
    LiveSpans(client::Client* client, std::function<bool()> looks, QObject* parent = nullptr);

    /// Sets the task; empty: none.
    void set_task(const TaskId& task);
    /// `cursor` must outlive this object.
    void use_cursor(model::TimeCursor& cursor);
    /// Sets the programs of the plan in force since generation `since`; null if unknown. A step that ran with another
    /// plan is shown without programs.
    void set_programs(std::shared_ptr<const plan::Programs> programs, Generation since);
    /// Shows this step as soon as it is kept, until the time cursor moves or another task is set. If empty, follows the
    /// cursor again.
    void show_step(std::optional<std::int64_t> number);
    const std::optional<std::int64_t>& wanted() const { return wanted_; }
    /// Returns the numbers of the task's kept steps, ascending.
    std::vector<std::int64_t> kept() const;
    /// Asks for spans at once, as the view has become visible.
    void ask();

    /// Returns the step to show; null if none has come.
    const std::shared_ptr<const model::LiveStep>& step() const { return step_; }
    /// Returns whether the task is running, so that steps may come.
    bool awaits() const;
    /// Returns model::live_note() and, if the chosen step is not kept, a remark that says so.
    QString note() const;

Q_SIGNALS:
    void changed();

private:
    /// Identifies what is shown. If it changes, the step is rebuilt.
    struct Shown {
        Generation generation = 0;
        std::int64_t step = 0;
        std::size_t instances = 0;
        std::uint64_t lost = 0;
        Generation plan_since = 0;  ///< generation since which the task's plan is in force
        bool operator==(const Shown&) const = default;
    };
    void poll();
    void follow_cursor();
    const client::MeasuredStep* find() const;
    /// Returns the generation of the task's plan; 0 if the task is unknown.
    Generation plan_since() const;

    client::Client* client_;
    std::function<bool()> looks_;
    QPointer<model::TimeCursor> cursor_;
    TaskId task_;
    std::shared_ptr<const plan::Programs> programs_;
    Generation since_ = 0;  ///< generation of `programs_`
    std::optional<std::int64_t> wanted_;
    std::optional<Shown> shown_;
    std::shared_ptr<const model::LiveStep> step_;
    QTimer again_;
};

}  // namespace divisi::timeline
