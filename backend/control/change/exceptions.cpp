// SPDX-License-Identifier: Apache-2.0
#include "backend/control/change/exceptions.h"

#include <algorithm>
#include <utility>

#include "backend/control/protocol/input_limits.h"
#include "backend/control/queue/resubmission.h"
#include "backend/control/types/error_texts.h"

namespace divisi::control::inline change {
namespace {

/// Returns the instance whose failure ended the task: a failed instance that reported the task's error, else the last
/// one to fail.
const InstanceView* culprit_of(const ClusterState& state, const TaskId& task, const Error& error) {
    const std::string said = clipped(error.message());
    const InstanceView* last = nullptr;
    for (const InstanceView* one : instances_of(state, task)) {
        if (one->state != InstanceState::failed) continue;
        if (one->detail == said) return one;
        if (!last || last->since <= one->since) last = one;
    }
    return last;
}

}  // namespace

const ExceptionEntry* Exceptions::find(const Received& received, std::uint64_t number) {
    const auto found = context_.state().exceptions.find(number);
    if (found != context_.state().exceptions.end()) return &found->second;
    context_.refuse(received, make_error(error_text("no-such-exception"), std::to_string(number)));
    return nullptr;
}

void Exceptions::handle(const Received& received, const RetryException& message) {
    const ExceptionEntry* entry = find(received, message.number);
    if (!entry) return;
    const TaskView& task = context_.state().tasks.at(entry->task);
    const auto again = resubmission(context_.state(), task, message.text, models_.of(task.id));
    if (!again) return context_.refuse(received, again.error());
    queue_.submit_again(received, *again, message.number);
}

void Exceptions::handle(const Received& received, const DropException& message) {
    const ExceptionEntry* entry = find(received, message.number);
    if (!entry) return;
    const std::string by = context_.sessions().at(received.peer).credentials.name;
    context_.append(ExceptionClosed{entry->number, TaskId(entry->task), by, "dropped"});
    context_.answer(received, Done{});
}

void Exceptions::follow(const Event& event) {
    if (const auto* ending = get_if<TaskEnding>(&event.body); ending && ending->error) {
        const InstanceView* culprit = culprit_of(context_.state(), ending->task, *ending->error);
        if (!culprit || ending->outcome != Outcome::failed) return;
        for (const InstanceLoad& load : reports_.loads())
            if (load.instance == culprit->id) operations_[ending->task] = load.operation;
    } else if (const auto* ended = get_if<TaskEnded>(&event.body)) {
        if (ended->outcome == Outcome::failed) failed_.push_back(ended->task);
        else operations_.erase(ended->task);
    }
}

void Exceptions::settle() {
    if (failed_.empty()) return;
    for (const TaskId& id : std::exchange(failed_, {})) {
        const auto task = context_.state().tasks.find(id);
        if (task == context_.state().tasks.end()) continue;  // the task's submission could not be read from the log
        context_.append(ExceptionRaised{entry_of(task->second)});
        operations_.erase(id);
    }
    keep_bounds();
}

ExceptionEntry Exceptions::entry_of(const TaskView& task) const {
    ExceptionEntry entry;
    entry.number = context_.state().sequence + 1;  // number of the event that raises the exception
    entry.task = task.id;
    entry.time = task.ended;
    entry.error = task.error.value_or(make_error(error_text("no-reason-given"), task.id.value()));
    if (const InstanceView* culprit = culprit_of(context_.state(), task.id, entry.error)) {
        entry.instance = culprit->id;
        entry.node = culprit->node;
    }
    if (const auto found = operations_.find(task.id); found != operations_.end()) entry.operation = found->second;
    entry.step = task.step;
    entry.generation = task.generation;
    entry.recovered = task.recovered;
    entry.tried = task.recoveries;
    return entry;
}

/// Evicts the oldest entries beyond the limits and logs each eviction. The task of an evicted entry is kept like any
/// other task that has ended.
void Exceptions::keep_bounds() {
    const auto& exceptions = context_.state().exceptions;
    std::size_t bytes = 0;
    for (const auto& [number, entry] : exceptions)
        bytes += kept_bytes(context_.state().tasks.at(entry.task)) + models_.of(entry.task).size();
    while (exceptions.size() > 1 && (exceptions.size() > most_exceptions || bytes > exception_bytes)) {
        const auto [number, entry] = *exceptions.begin();
        bytes -= kept_bytes(context_.state().tasks.at(entry.task)) + models_.of(entry.task).size();
        context_.append(Noted{Severity::warning, "orchestrator", entry.task.value(),
                              "exception " + std::to_string(number) + " was dropped for newer ones; at most " +
                                  std::to_string(most_exceptions) + " are kept, so drop exceptions that are handled"});
        context_.append(ExceptionClosed{number, entry.task, "", "dropped for newer ones"});
    }
}

}  // namespace divisi::control::inline change
