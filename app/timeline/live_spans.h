// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPointer>
#include <QTimer>
#include <functional>
#include <memory>
#include <optional>

#include "app/client/client.h"
#include "app/model/live_step.h"
#include "app/model/time_cursor.h"

namespace divisi::timeline {

/// The measured step of a running task that the time cursor stands on; live the newest. Asks the cluster for spans only
/// while somebody looks.
class LiveSpans : public QObject {
    Q_OBJECT
public:
    /// `looks`: whether somebody does.
    LiveSpans(client::Client* client, std::function<bool()> looks, QObject* parent = nullptr);

    /// Empty: none.
    void set_task(const TaskId& task);
    /// Must outlive it.
    void use_cursor(model::TimeCursor& cursor);
    /// Of the plan that runs; null: not known.
    void set_programs(std::shared_ptr<const plan::Programs> programs);
    /// Asks at once: somebody has begun to look.
    void ask();

    /// Null where no step came.
    const std::shared_ptr<const model::LiveStep>& step() const { return step_; }
    /// Whether a task runs whose steps could come.
    bool awaits() const;
    /// model::live_note(); empty without a step.
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
        bool operator==(const Shown&) const = default;
    };
    void look();

    client::Client* client_;
    std::function<bool()> looks_;
    QPointer<model::TimeCursor> cursor_;
    TaskId task_;
    std::shared_ptr<const plan::Programs> programs_;
    std::optional<Shown> shown_;
    std::shared_ptr<const model::LiveStep> step_;
    QTimer again_;
};

}  // namespace divisi::timeline
