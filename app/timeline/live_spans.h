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
#include "app/model/live_step.h"
#include "app/model/time_cursor.h"

namespace divisi::timeline {

/// The measured step of a running task that was chosen, else the one that the time cursor stands on; live the newest.
/// Asks the cluster for spans only while somebody looks.
class LiveSpans : public QObject {
    Q_OBJECT
public:
    /// `looks`: whether somebody does.
    LiveSpans(client::Client* client, std::function<bool()> looks, QObject* parent = nullptr);

    /// Empty: none.
    void set_task(const TaskId& task);
    /// Must outlive it.
    void use_cursor(model::TimeCursor& cursor);
    /// Of the plan that is in force since generation `since`; null: not known. What ran by another plan is shown
    /// without them.
    void set_programs(std::shared_ptr<const plan::Programs> programs, Generation since);
    /// Shows this step as soon as it is kept, until the time cursor is moved or another task is set; none: again what
    /// the cursor says.
    void show_step(std::optional<std::int64_t> number);
    const std::optional<std::int64_t>& wanted() const { return wanted_; }
    /// Numbers of the steps of the task that are kept, ascending.
    std::vector<std::int64_t> kept() const;
    /// Asks at once: somebody has begun to look.
    void ask();

    /// Null where no step came.
    const std::shared_ptr<const model::LiveStep>& step() const { return step_; }
    /// Whether a task runs whose steps could come.
    bool awaits() const;
    /// model::live_note(), and that the step which was chosen is not kept.
    QString note() const;

Q_SIGNALS:
    void changed();

private:
    /// What is shown: it is made anew when more of it comes.
    struct Shown {
        Generation generation = 0;
        std::int64_t step = 0;
        std::size_t instances = 0;
        std::uint64_t lost = 0;
        Generation plan_since = 0;  ///< of the task
        bool operator==(const Shown&) const = default;
    };
    void look();
    void follow_cursor();
    const client::MeasuredStep* find() const;
    /// 0: the task is not known.
    Generation plan_since() const;

    client::Client* client_;
    std::function<bool()> looks_;
    QPointer<model::TimeCursor> cursor_;
    TaskId task_;
    std::shared_ptr<const plan::Programs> programs_;
    Generation since_ = 0;  ///< of `programs_`
    std::optional<std::int64_t> wanted_;
    std::optional<Shown> shown_;
    std::shared_ptr<const model::LiveStep> step_;
    QTimer again_;
};

}  // namespace divisi::timeline
