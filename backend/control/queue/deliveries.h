// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "backend/control/core/orchestrator_context.h"
#include "backend/control/protocol/plan_summary.h"

namespace divisi::control::inline queue {

/// Returns whether a client uploads any of these files, so that nodes name them by hash. Otherwise the nodes read the
/// files at their original paths.
bool has_brought_files(const std::vector<FileRef>& files);

/// Returns the name by which the log identifies a client that uploads files. The name consists of the process, as the
/// client states it, and of the verified key (none for this machine's owner). No other client can use the name. An
/// empty name means that the client does not name its process and cannot come back.
std::string client_name(const Session& client);

/// Tracks the files that clients upload to nodes before their tasks start. The state records the nodes and whether the
/// files have arrived. This class knows the connection of each client, and how long to wait for a client that is away.
class Deliveries {
public:
    explicit Deliveries(OrchestratorContext& context) : context_(context) {}

    /// Returns the files that `client` must upload to each node if the plan runs on `nodes`. Data goes to the nodes
    /// that load it; weights go to the nodes whose stages read them. Fails if a node accepts no files, or none from
    /// this client.
    Result<std::vector<Upload>> uploads(PeerId client, const PlanSummary& plan, const std::vector<NodeId>& nodes,
                                        const std::vector<FileRef>& files) const;
    /// Records that `client` knows which files it must upload. The task waits for these files.
    void begin(const TaskId& task, PeerId client) { bringing_[task] = {client, {}}; }
    /// After a restart, waits for the clients of tasks whose files are missing; fails tasks without a named client.
    void adopt();
    void handle(const Received& received, const UploadsDone& message);
    /// Handles a lost client connection. `comes_back`: its process may reconnect.
    void client_gone(PeerId client, bool comes_back);
    /// Handles a hello from the process of `client`.
    void client_back(PeerId client);
    void check_deadlines();
    std::optional<TimePoint> next_deadline() const;  ///< earliest deadline, in lived time
    void follow(const Event& event);

private:
    struct Bringing {
        PeerId client;
        /// deadline for the client's return, in lived time (LivedTime); empty while the client is connected
        std::optional<TimePoint> awaited;
    };
    void fail(const TaskId& task);

    OrchestratorContext& context_;
    std::map<TaskId, Bringing> bringing_;  ///< tasks that wait for their files
};

}  // namespace divisi::control::inline queue
