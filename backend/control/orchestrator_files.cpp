// SPDX-License-Identifier: Apache-2.0
// Files that clients bring to the nodes, models that the orchestrator keeps, and whose keys the blob stores let in.
#include <algorithm>
#include <cstdio>

#include "backend/base/hash.h"
#include "backend/control/limits.h"
#include "backend/control/needed_blobs.h"
#include "backend/control/orchestrator.h"

namespace divisi::control {
namespace {

Error model_lost(const TaskId& task) {
    return {ErrorCode::corrupt, "the orchestrator's copy of the model is gone or damaged",
            "skeletons/" + task.value() + ".onnx in its data folder", "submit the task again"};
}

}  // namespace

/// Data go where they are loaded, weights where a stage reads them.
Result<std::vector<Upload>> Orchestrator::uploads(PeerId client, const PlanSummary& plan,
                                                  const std::vector<NodeId>& nodes,
                                                  const std::vector<FileRef>& files) const {
    std::map<NodeId, std::set<std::string>> wanted;
    for (const FileRef& file : files) {
        if (file.hash.empty()) continue;
        if (file.purpose == "weights") {
            for (const std::int32_t stage : plan.weighted)
                wanted[nodes[static_cast<std::size_t>(stage)]].insert(file.hash);
        } else {
            wanted[plan.data_node.empty() ? nodes.front() : nodes.back()].insert(file.hash);
        }
    }
    std::vector<Upload> uploads;
    for (const auto& [node, hashes] : wanted) {
        const NodeInfo& info = state_.nodes.at(node).info;
        const bool local = info.blob_endpoint.starts_with("ipc:");
        if (info.blob_endpoint.empty() || (local && !peers_.at(client).credentials.owner))
            return Error{ErrorCode::unavailable,
                         local ? "the node takes files from its own machine only" : "the node takes no files",
                         "node " + node.value(),
                         "start its agent with the tcp connection file, place the task on other nodes, or name files "
                         "that lie there as node:/path"};
        uploads.push_back({node, info.blob_endpoint, info.blob_key, {hashes.begin(), hashes.end()}});
    }
    return uploads;
}

void Orchestrator::handle(const Received& received, const UploadsDone& message) {
    const auto found = deliveries_.find(message.task);
    if (found == deliveries_.end() || found->second.done)
        return refuse(received, {ErrorCode::not_found, "the task waits for no files", message.task.value(),
                                 "list tasks with 'divisictl tasks'"});
    if (found->second.client != received.peer)
        return deny(received, {ErrorCode::denied, "another client brings this task's files", message.task.value(),
                               "only the connection that submitted it says when they are there"});
    found->second.done = true;
    if (message.error) append(TaskEnded{message.task, Outcome::failed, message.error});
    else append(PhaseChanged{message.task, TaskPhase::queued, ""});
    answer(received, Done{});
}

void Orchestrator::handle(const Received& received, const WhichBlobs& message) {
    answer(received, NeededBlobs{needed_blobs(state_, message.hashes)});
}

std::string Orchestrator::skeleton_name(const std::string& bytes) {
    char text[40];
    std::snprintf(text, sizeof text, "%016llx-%zu", static_cast<unsigned long long>(fnv1a(bytes)), bytes.size());
    return bytes.empty() ? "" : text;
}

void Orchestrator::restore_skeleton(const TaskId& task, std::string bytes) {
    const auto found = state_.tasks.find(task);
    if (found != state_.tasks.end() && found->second.skeleton == skeleton_name(bytes))
        skeletons_[task] = std::move(bytes);
}

/// Queued tasks whose model the store has lost.
void Orchestrator::end_without_model() {
    std::vector<TaskId> lost;
    for (const auto& [id, task] : state_.tasks)
        if (!task.over() && !task.skeleton.empty() && !skeletons_.contains(id)) lost.push_back(id);
    for (const TaskId& task : lost)
        if (state_.tasks.at(task).phase == TaskPhase::queued)
            append(TaskEnded{task, Outcome::failed, model_lost(task)});
}

void Orchestrator::handle(const Received& received, const FetchSkeleton& message) {
    const auto found = skeletons_.find(message.task);
    if (found == skeletons_.end()) {
        const auto task = state_.tasks.find(message.task);
        if (task != state_.tasks.end() && !task->second.skeleton.empty())
            return refuse(received, model_lost(message.task));
        return refuse(received, {ErrorCode::not_found, "the task has no imported model", message.task.value(),
                                 "zoo models are rebuilt from the task file"});
    }
    answer(received, SkeletonData{found->second});
}

/// Nobody else can bring what a client that is gone had begun to bring.
void Orchestrator::client_gone(PeerId client, bool comes_back) {
    std::vector<TaskId> failed;
    for (auto& [task, delivery] : deliveries_) {
        if (delivery.done || delivery.client != client) continue;
        if (comes_back && !delivery.process.empty()) delivery.awaited = lived_ + limits_.away;
        else failed.push_back(task);
    }
    for (const TaskId& task : failed) fail_delivery(task);
}

void Orchestrator::client_back(PeerId client) {
    const std::string& process = peers_.at(client).process;
    for (auto& [task, delivery] : deliveries_) {
        if (process.empty() || delivery.process != process) continue;
        delivery.client = client;
        delivery.awaited.reset();
    }
}

void Orchestrator::fail_delivery(const TaskId& task) {
    append(TaskEnded{task, Outcome::failed,
                     Error{ErrorCode::unavailable, "its client left before all files were there", task.value(),
                           "submit it again; what has arrived is kept"}});
}

/// Where the task's files are, as long as all of these nodes are there; else where the plan fits.
Result<std::vector<NodeId>> Orchestrator::place(const TaskId& task, const PlanSummary& plan, const NodeUse& use) const {
    const auto delivery = deliveries_.find(task);
    if (delivery == deliveries_.end()) return place_plan(state_, plan, use);
    for (const NodeId& node : delivery->second.nodes)
        if (state_.nodes.at(node).state != NodeState::ready)
            return Error{ErrorCode::unavailable, "the node that holds the task's files is away", node.value(),
                         "bring it back, or stop the task and submit it again"};
    return delivery->second.nodes;
}

void Orchestrator::send_policy(PeerId peer) {
    std::vector<KeyChanged> keys = fixed_keys_;
    for (const auto& [key, change] : state_.keys) keys.push_back(change);
    for (const auto& [id, other] : peers_)
        if (!other.key.empty()) keys.push_back({other.key, other.credentials.name, Role::operate, false});
    std::size_t sent = 0;
    std::uint32_t page = 0;
    do {
        const std::size_t end = std::min(keys.size(), sent + policy_page_keys);
        const auto from = keys.begin() + static_cast<std::ptrdiff_t>(sent);
        const auto to = keys.begin() + static_cast<std::ptrdiff_t>(end);
        send(peer, Policy{{from, to}, page++, end < keys.size()});
        sent = end;
    } while (sent < keys.size());
}

void Orchestrator::send_policy() {
    for (const auto& [id, peer] : peers_)
        if (!peer.node.value().empty()) send_policy(id);
}

}  // namespace divisi::control
