// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/client/client.h"
#include "backend/control/protocol/message.h"

namespace divisi::client {

/// Limit for events, beyond which the mailbox requests a snapshot instead, and for measurements, beyond which it drops
/// new ones. It covers a GUI that is blocked for a minute.
inline constexpr std::size_t mailbox_limit = 20000;

/// A question to the registry and its answer.
struct ServicesAnswer {
    control::WatchServices question;
    control::ServiceChanges answer;
};

/// Lines of the log and the question that they answer.
struct LogAnswer {
    control::QueryLog question;
    control::LogPage page;
};

/// A question about a node's stores and its answer.
struct StoresAnswer {
    control::ListStores question;
    control::StoreList answer;
};
struct StoreRowsAnswer {
    control::ReadStore question;
    control::StorePage answer;
};
/// A question for process output and its answer: the lines, or why there are none.
struct LinesAnswer {
    control::QueryLines question;
    Result<control::LinesPage> answer;
};

/// Everything that the connection's thread has received since the GUI last took it.
struct Mail {
    std::optional<Status> status;
    std::optional<control::ClusterState> snapshot;  ///< applies before `events`
    std::vector<control::Event> events;
    std::vector<control::InstanceLoad> loads;
    std::vector<control::NodeMachine> nodes;
    std::uint64_t loads_left_out = 0;      ///< dropped measurements of both kinds
    std::vector<control::SpanPush> spans;  ///< see add_spans()
    std::uint64_t spans_lost = 0;
    std::optional<std::optional<Upload>> upload;  ///< set if it has changed
    std::vector<std::string> submitted;
    std::vector<std::string> saved;  ///< result files written
    std::vector<std::string> refused;
    std::optional<control::MeshState> mesh;
    std::optional<control::Signals> signal_messages;
    std::optional<ServicesAnswer> services;
    std::optional<control::LogPage> receipts;
    std::optional<LogAnswer> log;
    std::optional<control::PoliciesState> policies;
    std::optional<std::uint64_t> policy_set;
    std::optional<control::PolicyTrial> policy_trial;
    std::optional<control::ModulesState> modules;
    std::size_t modules_changed = 0;
    std::vector<std::pair<TaskId, Result<control::RecutDone>>> recuts;
    std::vector<StoresAnswer> stores;
    std::vector<StoreRowsAnswer> store_rows;
    std::vector<LinesAnswer> lines;
    std::vector<std::pair<std::uint64_t, std::string>> exported;  ///< version numbers and their files
    std::vector<std::pair<TaskId, Result<control::RecutAdvised>>> advices;
    bool heard = false;  ///< anything that confirms the state is current, including heartbeats
};

/// Adds events for the GUI. Returns false and removes all events if the GUI cannot keep up with them.
bool add_events(Mail& mail, const std::vector<control::Event>& events);
/// Adds measurements for the GUI. Those that do not fit are dropped and counted: newer ones will come, and no state
/// depends on them.
void add_loads(Mail& mail, const std::vector<control::InstanceLoad>& loads);
void add_nodes(Mail& mail, const std::vector<control::NodeMachine>& nodes);
/// Updates `data`: first the snapshot, then the events after it, then the loads of instances and nodes. Removes data
/// about anything that is no longer in the state.
void take(ClusterData& data, Mail& mail, std::chrono::steady_clock::time_point now);

/// Passes mail between the two threads. Holds only values. Nothing else is shared by the two threads.
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
