// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "app/client/client.h"
#include "app/model/tracking/series_store.h"

namespace divisi::model {

/// Records every value that the cluster reports, as curves. Curves of tasks are by step. Curves of instances, links and
/// nodes are by time, in seconds since the Unix epoch, on the clock of the cluster or of the recorded cluster. Adds new
/// data when the client emits its signals. Removes the curves of everything that is no longer in the cluster's state,
/// also when a replay goes back.
class Telemetry : public QObject {
    Q_OBJECT
public:
    /// `client` may be null.
    explicit Telemetry(client::Client* client, QObject* parent = nullptr);

    const SeriesStore& store() const { return store_; }
    /// Returns the time that the client showed when this object was made, in seconds since the Unix epoch.
    double began() const { return began_; }
    /// Returns the name of a task's curve by step: "loss", "validation", "accuracy" (a share, for validations that have
    /// one), "samples_per_s", "step_ms", "head|NAME".
    static std::string of_task(const TaskId& task, const std::string& figure);
    /// Returns the name of an instance's curve by time: "busy" and "wait" (shares of wall time, 0 to 1), "memory" and
    /// "resident" (bytes), "sent" and "received" (bytes/s).
    static std::string of_instance(const InstanceId& instance, const std::string& figure);
    /// Returns the name of a curve by time for one direction of a link, as its sender reports it: "rate" (bytes/s),
    /// "latency" (s), "queued" and "credit" (bytes). The latency is the median from a chunk's sending to its release.
    static std::string of_link(const std::string& from, const std::string& to, const std::string& figure);

    /// Returns the name of a curve by time for a node's machine: "cpu" (share of the time of all cores, 0 to 1), "used"
    /// (memory, bytes), "temperature" (degrees Celsius) and "power" (W). The last two exist only if the machine reports
    /// them.
    static std::string of_node(const NodeId& node, const std::string& figure);

    /// Returns the directions of links that have reports and whose ends are in the mesh, with their last report times.
    const std::map<std::pair<std::string, std::string>, TimePoint>& links() const { return links_; }
    /// Return the time at which a step was completed, and the last step completed by a given time; empty for steps
    /// before this console connected.
    std::optional<double> seconds_of(const TaskId& task, double step) const;
    std::optional<double> step_at(const TaskId& task, double seconds) const;

private:
    /// The last record that was taken for a curve by step.
    struct Mark {
        Generation generation = 0;
        std::int64_t step = 0;
        std::map<Generation, std::int64_t> began;  ///< first recorded step of each generation
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
    /// Returns the time of measurement, or of arrival if that is unknown.
    double seconds(TimePoint measured, Time came) const;

    client::Client* client_;
    SeriesStore store_;
    double began_ = 0;
    double shown_ = 0;  ///< displayed time at the last update
    std::map<TaskId, TaskMarks> tasks_;
    std::map<InstanceId, std::uint64_t> loads_;  ///< number of the last sample taken
    std::map<NodeId, std::uint64_t> machines_;   ///< number of the last sample taken
    std::map<std::pair<std::string, std::string>, TimePoint> links_;
};

}  // namespace divisi::model
