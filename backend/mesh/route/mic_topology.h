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

/// A unit of the task graph. What it depends on are units too, of its own MIC or of another.
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
    bool runs = false;  ///< it trains, and has not done its last step
    bool operator==(const Instance&) const = default;
};
/// What a MIC must know of a task: its own units, and those of other MICs at the far ends of their dependencies.
struct Part {
    TaskId task;
    Generation generation = 1;
    std::vector<Instance> instances;
    std::vector<Unit> units;
    bool operator==(const Part&) const = default;
};

/// Where an instance is, by its own account.
struct Progress {
    TaskId task;
    Generation generation = 1;
    InstanceId instance;
    std::int64_t step = 0;
    std::string operation;              ///< that it is in: "forward 3 of step 12"; empty while it waits
    Duration computes{};                ///< for how long already
    std::vector<InstanceId> waits_for;  ///< whose tensors or free slots it waits for
    Duration waits{};                   ///< for how long already
};

/// `to` needs what `from` makes.
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
    std::vector<Edge> edges;  ///< with at least one end in this MIC
    bool operator==(const Topology&) const = default;
};

enum class Cause : std::uint8_t {
    nothing_arrives = 1,  ///< what is needed has been made, or cannot be, and does not get there
    stands = 2,           ///< who makes it has its inputs and comes to no end with them
    silent = 3,           ///< who makes it says nothing any more
};
const char* to_string(Cause cause);

/// A dependency over which a chain stands still.
struct Broken {
    Edge edge;  ///< without `to` where a unit stands and nobody in this MIC waits for it
    Cause cause = Cause::nothing_arrives;
    TimePoint since{};
    bool operator==(const Broken&) const = default;
};

struct Limits {
    std::int64_t steps = 10;                             ///< of its own, without an input or an end, are too long
    Duration least = std::chrono::seconds(5);            ///< whatever a step takes: peer_timeout of control
    Duration before_a_step = std::chrono::seconds(60);   ///< while nobody knows what a step takes
    Duration fresh = std::chrono::milliseconds(2500);    ///< an account that is older accuses nobody
    Duration settled = std::chrono::milliseconds(1500);  ///< that it must have been seen for, before it is said
    Duration own_pause = std::chrono::seconds(2);        ///< between two looks: then this process has stood still
};

/// The part of a microservice instance cluster (MIC) that is an actor itself (draft 002, 4.4 and 5.3): it makes the
/// dependency topology of the units that run in it, watches whether their chains move, and names the dependency over
/// which one stands still. What instances outside are blamed for by those inside is said here, since here it is missed.
class Dependencies {
public:
    explicit Dependencies(MicId own, Limits limits = {}) : own_(std::move(own)), limits_(limits) {}

    /// A part that has come or changed. One without units of this MIC is over.
    void set(const Part& part, TimePoint now);
    void take(const Progress& progress, TimePoint now);
    /// Nobody says any more who is here and how far anybody is. Whoever comes back to that says all of it anew.
    void cut_off();
    /// Comes several times a second. The tasks of which there is something new to say.
    std::vector<TaskId> look(TimePoint now);

    /// None where no unit of the task is in this MIC.
    const Topology* topology(const TaskId& task) const;
    std::vector<Broken> broken(const TaskId& task) const;
    std::vector<TaskId> tasks() const;

private:
    struct Played {
        Instance instance;
        std::optional<Progress> last;
        TimePoint heard{};  ///< the last account, or since when there could be one
        TimePoint stepped{};
        Duration step{};  ///< what its steps take, smoothed; 0: not known yet
    };
    struct Accusation {
        InstanceId by;
        Broken what;
        bool operator==(const Accusation&) const = default;
    };
    struct Task {
        Part part;
        Topology topology;
        std::map<InstanceId, Played> played;
        using Key = std::tuple<Sid, Sid>;
        std::map<Key, TimePoint> seen;  ///< broken now, and since which look; maybe not for long enough to be said
        std::map<Key, Accusation> said;
        bool fresh = true;  ///< nobody was told of it as it is
    };

    Topology topology_of(const Part& part) const;
    bool here(const Played& played) const { return played.instance.mic == own_; }
    Duration limit(const Played& played) const;
    bool waits_too_long(const Played& played, TimePoint now) const;
    std::optional<Cause> cause_between(const Task& task, const Played& waiting, const InstanceId& awaited,
                                       TimePoint now) const;
    Edge edge_between(const Task& task, const InstanceId& from, const InstanceId& to) const;
    bool is_heard(const Played& played, TimePoint now) const;
    std::vector<Accusation> judge(const Task& task, TimePoint now) const;
    bool update(Task& task, TimePoint now) const;
    void forgive(Duration pause);

    MicId own_;
    Limits limits_;
    std::map<TaskId, Task> tasks_;
    std::vector<TaskId> over_;
    std::optional<TimePoint> looked_;
};

}  // namespace divisi::mesh::inline route::mic
