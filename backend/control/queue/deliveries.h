// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "backend/control/core/desk.h"
#include "backend/control/protocol/plan_summary.h"

namespace divisi::control::inline queue {

/// Whether some of these files lie on nodes by their hash; else the nodes read them where they are.
bool has_brought_files(const std::vector<FileRef>& files);

/// Under what the log knows a client that brings files, so that nobody else can come back as it: its process, as it
/// says itself, and its key, which is checked. Empty: it does not say, and cannot come back.
std::string client_name(const Session& client);

/// The files that clients bring to the nodes before their tasks start. Which nodes, and whether the files are there,
/// is in the state; over which connection the client speaks, and until when it is waited for, is known here.
class Deliveries {
public:
    explicit Deliveries(Desk& desk) : desk_(desk) {}

    /// What `client` has to bring where, if the plan runs on `nodes`: data go where they are loaded, weights where a
    /// stage reads them. Refuses nodes that take no files, or none from this client.
    Result<std::vector<Upload>> uploads(PeerId client, const PlanSummary& plan, const std::vector<NodeId>& nodes,
                                        const std::vector<FileRef>& files) const;
    /// `client` has been told what to bring for a task that waits for it.
    void begin(const TaskId& task, PeerId client) { bringing_[task] = {client, {}}; }
    /// After a restart: waits for the clients of all tasks that wait for their files.
    void adopt();
    void handle(const Received& received, const UploadsDone& message);
    /// A connection is gone; whether its process may come back.
    void client_gone(PeerId client, bool comes_back);
    /// The process of `client` has just said hello.
    void client_back(PeerId client);
    void check_deadlines();
    std::optional<TimePoint> next_deadline() const;  ///< in lived time
    void follow(const Event& event);

private:
    struct Bringing {
        PeerId client;
        std::optional<TimePoint> awaited;  ///< while it is away: until when, in lived time
    };
    void fail(const TaskId& task);

    Desk& desk_;
    std::map<TaskId, Bringing> bringing_;  ///< tasks that wait for their files
};

}  // namespace divisi::control::inline queue
