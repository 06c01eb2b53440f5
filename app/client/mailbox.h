// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/client/client.h"
#include "backend/control/protocol/message.h"

namespace divisi::client {

/// Events that the mailbox holds before it asks for a snapshot instead, and measurements that it holds before it leaves
/// out what comes: a GUI that stands still for a minute.
inline constexpr std::size_t mailbox_limit = 20000;

/// What the registry answered, and to which question.
struct ServicesAnswer {
    control::WatchServices question;
    control::ServiceChanges answer;
};

/// Lines of the log, and the question that they answer.
struct LogAnswer {
    control::QueryLog question;
    control::LogPage page;
};

/// What a node said of its stores, and what was asked of it.
struct StoresAnswer {
    control::ListStores question;
    control::StoreList answer;
};
struct StoreRowsAnswer {
    control::ReadStore question;
    control::StorePage answer;
};
/// Lines that processes wrote, or why there are none.
struct LinesAnswer {
    control::QueryLines question;
    Result<control::LinesPage> answer;
};

/// What the connection's thread heard since the GUI last looked.
struct Mail {
    std::optional<Status> status;
    std::optional<control::ClusterState> snapshot;  ///< comes before `events`
    std::vector<control::Event> events;
    std::vector<control::InstanceLoad> loads;
    std::vector<control::NodeMachine> nodes;
    std::uint64_t loads_left_out = 0;      ///< measurements of both that there was no room for
    std::vector<control::SpanPush> spans;  ///< see add_spans()
    std::uint64_t spans_lost = 0;
    std::optional<std::optional<Upload>> upload;  ///< where it changed
    std::vector<std::string> submitted;
    std::vector<std::string> saved;  ///< files of results
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
    std::vector<std::pair<std::uint64_t, std::string>> exported;  ///< versions, and their files
    std::vector<std::pair<TaskId, Result<control::RecutAdvised>>> advices;
    bool heard = false;  ///< anything that brings the state up to date, heartbeats included
};

/// Adds events for the GUI; false, and none are left, where there are too many for it to follow.
bool add_events(Mail& mail, const std::vector<control::Event>& events);
/// Adds measurements for the GUI. Those that there is no room for are left out and counted: newer ones will come, and
/// no state hangs on them.
void add_loads(Mail& mail, const std::vector<control::InstanceLoad>& loads);
void add_nodes(Mail& mail, const std::vector<control::NodeMachine>& nodes);
/// Brings `data` up to date: the snapshot, the events after it, then the loads of instances and nodes that there are.
/// What is no longer in the state is forgotten.
void take(ClusterData& data, Mail& mail, std::chrono::steady_clock::time_point now);

/// The one place where both threads meet; everything in it is a value.
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
