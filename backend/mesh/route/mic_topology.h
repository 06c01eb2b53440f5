// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/ids.h"

namespace divisi::mesh::inline route::mic {

/// A unit of the task graph. It depends on other units, in its own MIC or in another MIC.
struct Unit {
    Sid sid;
    std::string kind;  ///< load, preprocess, forward, backward, loss, optimizer
    InstanceId instance;
    std::vector<Sid> depends_on;
    bool operator==(const Unit&) const = default;
};
struct Instance {
    InstanceId id;
    MicId mic;
    bool runs = false;  ///< whether the instance is training and has not finished its last step
    bool operator==(const Instance&) const = default;
};
/// The part of a task that a MIC must know: the units in the MIC, and the units of other MICs on which they depend or
/// that depend on them.
struct Part {
    TaskId task;
    Generation generation = 1;
    std::vector<Instance> instances;
    std::vector<Unit> units;
    bool operator==(const Part&) const = default;
};

/// The progress of an instance, according to its own report.
struct Progress {
    TaskId task;
    Generation generation = 1;
    InstanceId instance;
    std::int64_t step = 0;
    std::string operation;              ///< current operation, such as "forward 3 of step 12"; empty while the instance
                                        ///< waits
    Duration computes{};                ///< duration of the operation so far
    std::vector<InstanceId> waits_for;  ///< instances whose tensors or free slots this instance waits for
    Duration waits{};                   ///< duration of the wait so far
};

/// `to` needs the output of `from`.
struct Edge {
    Sid from, to;
    MicId from_mic, to_mic;
    bool operator==(const Edge&) const = default;
};
/// The dependency topology of the units of one task that run in this MIC.
struct Topology {
    TaskId task;
    Generation generation = 1;
    std::vector<Sid> units;
    std::vector<Edge> edges;  ///< edges with at least one end in this MIC
    bool operator==(const Topology&) const = default;
};

enum class Cause : std::uint8_t {
    nothing_arrives = 1,  ///< the producer is idle or does not run, and the needed tensor does not arrive
    stands = 2,           ///< the producer has all inputs but does not finish
    silent = 3,           ///< the producer sends no reports
};
const char* to_string(Cause cause);

/// A dependency at which a chain has stalled.
struct Broken {
    Edge edge;  ///< without `to` if a unit has stalled and no unit in this MIC waits for it
    Cause cause = Cause::nothing_arrives;
    TimePoint since{};
    bool operator==(const Broken&) const = default;
};

struct Limits {
    std::int64_t steps = 10;  ///< longest time without an input or a result, in multiples of the instance's step time
    Duration least = std::chrono::seconds(5);  ///< lower limit of that time if steps are short; equals control's
                                               ///< peer_timeout
    Duration before_a_step = std::chrono::seconds(60);   ///< limit while the step time is not known
    Duration fresh = std::chrono::milliseconds(2500);    ///< maximum age of a report that proves a break
    Duration settled = std::chrono::milliseconds(1500);  ///< how long a break must last before it is reported
    /// if poll() is not called for this long, this process itself has been paused
    Duration own_pause = std::chrono::seconds(2);
};

/// The active part of a microservice instance cluster (MIC; draft 002, 4.4 and 5.3). It builds the dependency topology
/// of the units in the MIC, monitors the progress of their chains, and names the dependency at which a chain stalls. If
/// instances of this MIC wait for instances of another MIC, this MIC reports the break, because it sees the effect.
class Dependencies {
public:
    explicit Dependencies(MicId own, Limits limits = {}) : own_(std::move(own)), limits_(limits) {}

    /// Adds or changes a part. A part without units of this MIC removes the task.
    void set(const Part& part, TimePoint now);
    void take(const Progress& progress, TimePoint now);
    /// Forgets everything, because the connection to the reporting devices is lost. The devices report everything again
    /// after they have reconnected.
    void cut_off();
    /// Checks all tasks, and returns the tasks whose state has changed. Called several times a second.
    std::vector<TaskId> poll(TimePoint now);

    /// Returns the topology; null if no unit of the task is in this MIC.
    const Topology* topology(const TaskId& task) const;
    std::vector<Broken> broken(const TaskId& task) const;
    std::vector<TaskId> tasks() const;

private:
    struct Played {
        Instance instance;
        std::optional<Progress> last;
        TimePoint heard{};  ///< time of the last report, or time since which one could have arrived
        TimePoint stepped{};
        Duration step{};  ///< smoothed duration of the instance's steps; 0: not known yet
    };
    struct StallReport {
        InstanceId by;
        Broken what;
        bool operator==(const StallReport&) const = default;
    };
    struct Task {
        Part part;
        Topology topology;
        std::map<InstanceId, Played> played;
        using Key = std::tuple<Sid, Sid>;
        std::map<Key, TimePoint> seen;  ///< breaks seen now, and when they were first seen
        std::map<Key, StallReport> said;
        bool fresh = true;  ///< whether the task's current state has not been reported yet
    };

    Topology topology_of(const Part& part) const;
    bool here(const Played& played) const { return played.instance.mic == own_; }
    Duration limit(const Played& played) const;
    bool waits_too_long(const Played& played, TimePoint now) const;
    std::optional<Cause> cause_between(const Task& task, const Played& waiting, const InstanceId& awaited,
                                       TimePoint now) const;
    Edge edge_between(const Task& task, const InstanceId& from, const InstanceId& to) const;
    bool is_heard(const Played& played, TimePoint now) const;
    std::vector<StallReport> judge(const Task& task, TimePoint now) const;
    bool update(Task& task, TimePoint now) const;
    void forgive(Duration pause);

    MicId own_;
    Limits limits_;
    std::map<TaskId, Task> tasks_;
    std::vector<TaskId> over_;
    std::optional<TimePoint> looked_;
};

}  // namespace divisi::mesh::inline route::mic
