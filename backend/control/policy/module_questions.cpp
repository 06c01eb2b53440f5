// SPDX-License-Identifier: Apache-2.0
// Requests of functional modules besides advice: reading state stores and ordering checkpoints of tasks.
#include "backend/control/policy/modules.h"
#include "backend/control/queue/checkpoint_interval.h"

namespace divisi::control::inline policy {

bool Modules::may_ask(const Message& message) {
    return holds_alternative<ListStores>(message) || holds_alternative<ReadStore>(message) ||
           holds_alternative<OrderCheckpoint>(message);
}

Result<void> Modules::let_ask(const Received& received) {
    Process* const process = find(received.peer);
    if (process == nullptr)
        return Error{ErrorCode::denied, "only a module asks this", kind_name(received.message), "describe it first"};
    const ModuleInfo& info = process->view.info;
    if (!within_rate(*process, 0))
        return Error{ErrorCode::exhausted, "it says more than 20 things a second", info.name + " " + info.version,
                     "ask less often"};
    if (!process->advises())
        return Error{ErrorCode::denied, std::string("the module ") + to_string(process->view.state),
                     info.name + " " + info.version, "ask when it advises"};
    const auto* order = get_if<OrderCheckpoint>(&received.message);
    if (order == nullptr) return {};
    auto let = let_order(*process, order->task);
    if (!let) note_refused_order(*process, order->task, let.error());
    return let;
}

void Modules::order_answered(PeerId peer, const TaskId& task, const Result<std::int64_t>& ordered) {
    Process* const process = find(peer);
    if (process == nullptr) return;  // the order is not from a module
    if (!ordered) return note_refused_order(*process, task, ordered.error());
    ordered_.emplace(task, context_.lived());
    context_.append(Noted{Severity::info, "module " + process->view.info.name, task.value(),
                          "orders a checkpoint after step " + std::to_string(*ordered)});
}

/// Logs a refused checkpoint order, at a limited rate.
void Modules::note_refused_order(Process& process, const TaskId& task, const Error& why) {
    const auto line = process.notes.pass("orders a checkpoint, and is refused: " + why.message(), context_.now());
    if (line) context_.append(Noted{Severity::info, "module " + process.view.info.name, task.value(), *line});
}

/// Checks whether a module may order a checkpoint of a task. An operator's order is always allowed. A module must
/// respect the task file, and may order no more often than the orchestrator itself does. An order for a task that does
/// not train passes here and is refused later, as from any client.
Result<void> Modules::let_order(const Process& process, const TaskId& id) {
    const std::string& name = process.view.info.name;
    const auto task = context_.state().tasks.find(id);
    if (task == context_.state().tasks.end()) return context_.no_such_task(id);
    if (task->second.phase != TaskPhase::exchange) return {};
    if (!policies_.module_is_on(name, id))
        return Error{ErrorCode::denied, "the module is off for " + id.value(), "module " + name,
                     "order checkpoints of other tasks"};
    if (task->second.checkpoint.every == task::CheckpointRule::Every::never)
        return Error{ErrorCode::conflict, "its task file says that it makes no checkpoints", id.value(),
                     "an operator may order one: 'divisictl checkpoint'"};
    const TimePoint now = context_.lived();
    std::erase_if(ordered_, [&](const auto& entry) { return now - entry.second >= shortest_checkpoint_interval; });
    if (ordered_.contains(id))
        return Error{ErrorCode::exhausted, "a module has ordered one less than 5 s ago", id.value(),
                     "leave 5 s between two"};
    return {};
}

}  // namespace divisi::control::inline policy
