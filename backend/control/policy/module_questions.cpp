// SPDX-License-Identifier: Apache-2.0
// Requests of functional modules besides advice: reading state stores and ordering checkpoints of tasks.
#include "backend/control/policy/modules.h"
#include "backend/control/queue/checkpoint_interval.h"
#include "backend/control/types/error_texts.h"
#include "backend/control/types/store_types.h"

namespace divisi::control::inline policy {

bool Modules::may_ask(const Message& message) {
    return holds_alternative<ListStores>(message) || holds_alternative<ReadStore>(message) ||
           holds_alternative<OrderCheckpoint>(message);
}

Result<void> Modules::let_ask(const Received& received) {
    Process* const process = find(received.peer);
    if (process == nullptr) return make_error(error_text("question-of-no-module"), kind_name(received.message));
    const ModuleInfo& info = process->view.info;
    if (!within_rate(*process, 0))
        return make_error(error_text("module-too-talkative"), info.name + " " + info.version);
    if (!process->advises())
        return make_error(
            process->view.state == ModuleState::off ? error_text("module-off") : error_text("module-stands-by"),
            info.name + " " + info.version);
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
        return make_error(error_text("module-off-for-checkpoints"), "module " + name, {id.value()});
    if (task->second.checkpoint.every == task::CheckpointRule::Every::never)
        return make_error(error_text("module-order-without-checkpoints"), id.value());
    const TimePoint now = context_.lived();
    std::erase_if(ordered_, [&](const auto& entry) { return now - entry.second >= shortest_checkpoint_interval; });
    if (ordered_.contains(id)) return make_error(error_text("module-orders-too-often"), id.value());
    return {};
}

}  // namespace divisi::control::inline policy
