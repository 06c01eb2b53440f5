// SPDX-License-Identifier: Apache-2.0
#include "backend/control/queue/models.h"

#include <cstdio>
#include <vector>

#include "backend/base/hash.h"
#include "backend/control/protocol/batch_group.h"
#include "backend/control/types/error_texts.h"

namespace divisi::control::inline queue {
namespace {

Error model_lost(const TaskId& task) {
    return make_error(error_text("model-copy-lost"), "skeletons/" + task.value() + ".onnx in its data folder");
}

}  // namespace

void Models::restore(const TaskId& task, std::string bytes) {
    const auto found = context_.state().tasks.find(task);
    if (found != context_.state().tasks.end() && found->second.skeleton == skeleton_name(bytes))
        keep(task, std::move(bytes));
}

void Models::adopt() {
    std::vector<TaskId> lost;
    for (const auto& [id, task] : context_.state().tasks)
        if (task.phase == TaskPhase::queued && !task.skeleton.empty() && !skeletons_.contains(id)) lost.push_back(id);
    for (const TaskId& task : lost) context_.append(TaskEnded{task, Outcome::failed, model_lost(task)});
}

/// Forgets the skeletons of tasks that are no longer in the state. When one task ends, the state may forget another
/// task.
void Models::follow(const Event& event) {
    if (!holds_alternative<TaskEnded>(event.body)) return;
    std::erase_if(skeletons_, [&](const auto& entry) {
        if (context_.state().tasks.contains(entry.first)) return false;
        context_.output().forgotten.push_back(entry.first);
        return true;
    });
}

void Models::handle(const Received& received, const FetchSkeleton& message) {
    const auto found = skeletons_.find(message.task);
    if (found != skeletons_.end()) return context_.answer(received, SkeletonData{found->second});
    const auto task = context_.state().tasks.find(message.task);
    if (task != context_.state().tasks.end() && !task->second.skeleton.empty())
        return context_.refuse(received, model_lost(message.task));
    context_.refuse(received, make_error(error_text("no-imported-model"), message.task.value()));
}

const std::string& Models::of(const TaskId& task) const {
    static const std::string none;
    const auto found = skeletons_.find(task);
    return found == skeletons_.end() ? none : found->second;
}

}  // namespace divisi::control::inline queue
