// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "backend/control/core/orchestrator_context.h"
#include "backend/control/protocol/plan_summary.h"

namespace divisi::control::inline queue {

/// Returns whether a client brought some of these files to nodes, which name them by hash. Otherwise the nodes read the
/// files at their original paths.
bool has_brought_files(const std::vector<FileRef>& files);

/// Returns the name under which the log knows a client that brings files, so that no other client can return in its
/// place. It consists of the process, as the client states it, and the verified key. An empty name means that the
/// client names no process and cannot come back.
std::string client_name(const Session& client);

/// The files that clients bring to the nodes before their tasks start. The state records the nodes and whether the
/// files are there. This class knows each client's connection, and how long to wait for a client that is away.
class Deliveries {
public:
    explicit Deliveries(OrchestratorContext& context) : context_(context) {}

    /// Returns the files that `client` must bring to each node if the plan runs on `nodes`. Data go to the nodes that
    /// load them, weights to the nodes of stages that read them. Fails if a node takes no files, or none from this
    /// client.
    Result<std::vector<Upload>> uploads(PeerId client, const PlanSummary& plan, const std::vector<NodeId>& nodes,
                                        const std::vector<FileRef>& files) const;
    /// Records that `client` was told which files to bring for a task that waits for them.
    void begin(const TaskId& task, PeerId client) { bringing_[task] = {client, {}}; }
    /// After a restart: waits for the clients of all tasks that need their files.
    void adopt();
    void handle(const Received& received, const UploadsDone& message);
    /// Handles a lost client connection. `comes_back`: its process may reconnect.
    void client_gone(PeerId client, bool comes_back);
    /// Handles a hello from the process of `client`.
    void client_back(PeerId client);
    void check_deadlines();
    std::optional<TimePoint> next_deadline() const;  ///< in lived time
    void follow(const Event& event);

private:
    struct Bringing {
        PeerId client;
        std::optional<TimePoint> awaited;  ///< while the client is away: how long to wait, in lived time
    };
    void fail(const TaskId& task);

    OrchestratorContext& context_;
    std::map<TaskId, Bringing> bringing_;  ///< tasks that wait for their files
};

}  // namespace divisi::control::inline queue
