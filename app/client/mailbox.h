// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/client/client.h"

namespace divisi::client {

/// Maximum number of events; beyond it, a snapshot is requested instead. Also the maximum number of measurements of
/// each kind; beyond it, new ones are dropped. The limit is enough for a GUI that is blocked for a minute.
inline constexpr std::size_t mailbox_limit = 20000;

/// Everything that the connection's thread has received since the GUI last took its data.
struct Mail {
    std::optional<Status> status;
    std::optional<control::ClusterState> snapshot;  ///< state that applies before `events`
    std::vector<control::Event> events;
    std::vector<control::InstanceLoad> loads;
    std::vector<control::NodeMachine> nodes;
    std::uint64_t loads_left_out = 0;      ///< number of dropped measurements of instances and nodes
    std::vector<control::SpanPush> spans;  ///< reports of operations, see add_spans()
    std::uint64_t spans_lost = 0;
    std::optional<std::optional<Upload>> upload;  ///< new state of the upload; set if it has changed
    std::vector<Answered> answers;                ///< answers in the order in which they came
    std::vector<std::string> submitted;
    std::vector<std::string> saved;  ///< paths of the result files that were written
    std::vector<Error> refused;
    std::size_t modules_changed = 0;
    std::vector<std::pair<std::uint64_t, std::string>> exported;  ///< numbers of exported versions, with the paths of
                                                                  ///< their files
    bool heard = false;  ///< whether anything arrived that confirms the state, including heartbeats

    template <control::Question Q>
    void add(const Q& question, const typename Q::Answer& answer) {
        answers.push_back({question, control::Message(answer)});
    }
    /// Returns the newest answer of type A; null if no such answer came.
    template <typename A>
    const A* answer() const {
        const A* newest = nullptr;
        for (const Answered& one : answers)
            if (const A* found = one.answer.ok() ? get_if<A>(&*one.answer) : nullptr) newest = found;
        return newest;
    }
    template <typename A>
    A* answer() {
        return const_cast<A*>(std::as_const(*this).answer<A>());
    }
};

/// Adds events for the GUI. If there are too many events because the GUI does not empty the mailbox, removes all events
/// and returns false.
bool add_events(Mail& mail, const std::vector<control::Event>& events);
/// Adds measurements for the GUI. Beyond the limit, measurements are dropped and counted, because newer measurements
/// will arrive and no state depends on them.
void add_loads(Mail& mail, const std::vector<control::InstanceLoad>& loads);
void add_nodes(Mail& mail, const std::vector<control::NodeMachine>& nodes);
/// Updates `data` with the snapshot, then with the events after the snapshot, then with the measurements of instances
/// and nodes and the measured steps. Removes data about tasks, instances and nodes that are no longer in the state.
void take(ClusterData& data, Mail& mail, std::chrono::steady_clock::time_point now);

/// Passes mail from the connection's thread to the GUI thread. The two threads share no other data.
class Mailbox {
public:
    Mail take() {
        const std::lock_guard lock(mutex_);
        return std::exchange(mail_, {});
    }
    template <typename Write>
    void put(Write write) {
        const std::lock_guard lock(mutex_);
        write(mail_);
    }

private:
    std::mutex mutex_;
    Mail mail_;
};

}  // namespace divisi::client
