// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "app/client/client.h"
#include "app/model/series_store.h"

namespace divisi::model {

/// Curves of what the cluster tells, with every value that came: of tasks by step, of instances, links and nodes by
/// time, which is seconds since the Unix epoch in the time of events: of a recording as of then. Takes what is new
/// whenever the client says so, and forgets what is no longer in the cluster's state, also where a replay goes back.
class Telemetry : public QObject {
    Q_OBJECT
public:
    /// `client` may be null.
    explicit Telemetry(client::Client* client, QObject* parent = nullptr);

    const SeriesStore& store() const { return store_; }
    /// The moment that was shown when it began to listen.
    double began() const { return began_; }
    /// Of a task by step: "loss", "validation", "accuracy" (a share, of validations that have one), "samples_per_s",
    /// "step_ms", "head|NAME".
    static std::string of_task(const TaskId& task, const std::string& figure);
    /// Of an instance by time: "busy" and "wait" (shares of wall time, 0 to 1), "memory" and "resident" (bytes), "sent"
    /// and "received" (bytes/s).
    static std::string of_instance(const InstanceId& instance, const std::string& figure);
    /// Of a direction of a link by time, as its sender reports it: "rate" (bytes/s), "latency" (s, the median from a
    /// chunk's going to its freeing), "queued" and "credit" (bytes).
    static std::string of_link(const std::string& from, const std::string& to, const std::string& figure);

    /// Of a node's machine by time: "cpu" (of all its cores' time, 0 to 1), "used" (memory, bytes), "temperature"
    /// (degrees Celsius) and "power" (W), the last two where it tells.
    static std::string of_node(const NodeId& node, const std::string& figure);

    /// Directions of links that anything was heard of, between devices that are there.
    const std::map<std::pair<std::string, std::string>, TimePoint>& links() const { return links_; }
    /// When a step was done, and which was the last at a moment; empty for what was done before this console looked.
    std::optional<double> seconds_of(const TaskId& task, double step) const;
    std::optional<double> step_at(const TaskId& task, double seconds) const;

private:
    /// What was taken last of a curve by step.
    struct Mark {
        Generation generation = 0;
        std::int64_t step = 0;
        std::map<Generation, std::int64_t> began;  ///< the first step that was taken of each
    };
    struct TaskMarks {
        Mark steps, evaluations;
    };
    using Time = std::chrono::steady_clock::time_point;

    void take();
    void take_links_back();
    void take_steps(const control::TaskView& task, TaskMarks& marks);
    void take_moment(const TaskId& task, const control::StepRecord& step, bool seen);
    void take_evaluations(const control::TaskView& task, TaskMarks& marks);
    void take_loads(const InstanceId& instance, const std::deque<client::LoadSample>& samples);
    void take_machine(const NodeId& node, const std::deque<client::NodeSample>& samples);
    void take_mesh(const control::MeshState& mesh);
    void forget_links(const control::MeshState& mesh);
    void forget_what_is_gone();
    void cut_steps(const TaskId& task, std::int64_t from);
    double shown() const;
    double seconds(Time time) const;
    /// When it was measured; where nobody says, when it came.
    double seconds(TimePoint measured, Time came) const;

    client::Client* client_;
    SeriesStore store_;
    double began_ = 0;
    double shown_ = 0;  ///< the moment that was taken last
    std::map<TaskId, TaskMarks> tasks_;
    std::map<InstanceId, std::uint64_t> loads_;  ///< the number of the last sample that was taken
    std::map<NodeId, std::uint64_t> machines_;   ///< likewise
    std::map<std::pair<std::string, std::string>, TimePoint> links_;
};

}  // namespace divisi::model
