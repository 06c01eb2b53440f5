// SPDX-License-Identifier: Apache-2.0
#include "backend/control/queue/deliveries.h"

#include <algorithm>
#include <set>

#include "backend/control/types/error_texts.h"

namespace divisi::control::inline queue {
namespace {

bool waits_for_files(const TaskView& task) {
    return task.phase == TaskPhase::queued && task.queue == QueueState::files;
}

}  // namespace

bool has_brought_files(const std::vector<FileRef>& files) {
    return std::any_of(files.begin(), files.end(), [](const FileRef& file) { return !file.hash.empty(); });
}

std::string client_name(const Session& client) {
    if (client.process.empty() || client.credentials.owner) return client.process;
    return client.credentials.key + " " + client.process;
}

Result<std::vector<Upload>> Deliveries::uploads(PeerId client, const PlanSummary& plan,
                                                const std::vector<NodeId>& nodes,
                                                const std::vector<FileRef>& files) const {
    std::map<NodeId, std::set<std::string>> wanted;
    for (const FileRef& file : files) {
        if (file.hash.empty()) continue;
        if (file.purpose == "weights") {
            for (const std::int32_t stage : plan.weighted)
                wanted[nodes[static_cast<std::size_t>(stage)]].insert(file.hash);
        } else {
            const auto apart = static_cast<std::size_t>(plan.data_apart());
            if (apart == 0) wanted[nodes.front()].insert(file.hash);
            for (std::size_t i = nodes.size() - apart; i < nodes.size(); ++i) wanted[nodes[i]].insert(file.hash);
        }
    }
    std::vector<Upload> uploads;
    for (const auto& [node, hashes] : wanted) {
        const NodeInfo& info = context_.state().nodes.at(node).info;
        const bool local = info.blob_endpoint.starts_with("ipc:");
        if (info.blob_endpoint.empty() || (local && !context_.sessions().at(client).credentials.owner))
            return make_error(local ? error_text("node-takes-local-files-only") : error_text("node-takes-no-files"),
                              "node " + node.value());
        uploads.push_back({node, info.blob_endpoint, info.blob_key, {hashes.begin(), hashes.end()}});
    }
    return uploads;
}

void Deliveries::adopt() {
    std::vector<TaskId> nobody, nowhere;
    for (const auto& [id, task] : context_.state().tasks) {
        if (task.phase != TaskPhase::queued) continue;
        if (has_brought_files(task.files) && task.nodes.empty()) nowhere.push_back(id);
        else if (waits_for_files(task) && task.client.empty()) nobody.push_back(id);
        else if (waits_for_files(task)) bringing_[id] = {PeerId(), context_.lived() + context_.limits().away};
    }
    for (const TaskId& task : nobody) fail(task);
    for (const TaskId& task : nowhere)
        context_.append(
            TaskEnded{task, Outcome::failed, make_error(error_text("task-of-older-version"), task.value())});
}

void Deliveries::handle(const Received& received, const UploadsDone& message) {
    const auto found = bringing_.find(message.task);
    if (found == bringing_.end())
        return context_.refuse(received, make_error(error_text("task-waits-for-no-files"), message.task.value()));
    if (found->second.client != received.peer)
        return context_.deny(received, make_error(error_text("files-of-another-client"), message.task.value()));
    if (message.error) context_.append(TaskEnded{message.task, Outcome::failed, message.error});
    else context_.append(TaskQueued{message.task, QueueState::nodes});
    context_.answer(received, Done{});
}

/// Fails the tasks whose files the lost client was uploading, since no other client can upload them. If the client may
/// come back, waits for it first.
void Deliveries::client_gone(PeerId client, bool comes_back) {
    std::vector<TaskId> failed;
    for (auto& [task, bringing] : bringing_) {
        if (bringing.client != client) continue;
        if (comes_back && !context_.state().tasks.at(task).client.empty())
            bringing.awaited = context_.lived() + context_.limits().away;
        else failed.push_back(task);
    }
    for (const TaskId& task : failed) fail(task);
}

void Deliveries::client_back(PeerId client) {
    const std::string name = client_name(context_.sessions().at(client));
    if (name.empty()) return;
    for (auto& [task, bringing] : bringing_)
        if (context_.state().tasks.at(task).client == name) bringing = {client, {}};
}

void Deliveries::check_deadlines() {
    std::vector<TaskId> late;
    for (const auto& [task, bringing] : bringing_)
        if (bringing.awaited && context_.lived() >= *bringing.awaited) late.push_back(task);
    for (const TaskId& task : late) fail(task);
}

std::optional<TimePoint> Deliveries::next_deadline() const {
    std::optional<TimePoint> next;
    for (const auto& [task, bringing] : bringing_)
        if (bringing.awaited && (!next || *bringing.awaited < *next)) next = bringing.awaited;
    return next;
}

void Deliveries::fail(const TaskId& task) {
    context_.append(TaskEnded{task, Outcome::failed, make_error(error_text("client-left-before-files"), task.value())});
}

void Deliveries::follow(const Event& event) {
    if (const auto* ended = get_if<TaskEnded>(&event.body)) bringing_.erase(ended->task);
    else if (const auto* queued = get_if<TaskQueued>(&event.body); queued && queued->state != QueueState::files)
        bringing_.erase(queued->task);
}

}  // namespace divisi::control::inline queue
