// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/tracking/selection.h"

#include <QScopedValueRollback>
#include <algorithm>

namespace divisi::model {

Selected Selected::of_task(const TaskId& task) { return {Kind::task, task.value(), {}, task}; }

Selected Selected::of_unit(const Sid& sid) {
    const std::string& path = sid.value();
    return {Kind::unit, path, {}, TaskId(path.substr(0, path.find('/')))};
}

Selected Selected::of_instance(const InstanceId& instance, const TaskId& task) {
    return {Kind::instance, instance.value(), {}, task};
}

Selected Selected::of_node(const NodeId& node) { return {Kind::node, node.value()}; }

Selected Selected::of_mic(const MicId& mic) { return {Kind::mic, mic.value()}; }

Selected Selected::of_device(const std::string& device) { return {Kind::device, device}; }

Selected Selected::of_link(const std::string& a, const std::string& b) {
    return {Kind::link, std::min(a, b), std::max(a, b)};
}

Selected Selected::of_block(const std::string& path, const InstanceId& runs) {
    return {Kind::model_block, path, runs.value()};
}

Selected Selected::of_step(const TaskId& task, std::uint64_t step) { return {Kind::step, {}, {}, task, step}; }

std::vector<Selected> things_of(const InstanceId& instance, const NodeId& node, const TaskId& task) {
    std::vector<Selected> things;
    if (instance != InstanceId()) things.push_back(Selected::of_instance(instance, task));
    if (node != NodeId()) things.push_back(Selected::of_node(node));
    if (task != TaskId()) things.push_back(Selected::of_task(task));
    return things;
}

void Selection::select(const Selected& what) {
    if (telling_ || what == current_) return;
    current_ = what;
    const QScopedValueRollback<bool> telling(telling_, true);
    Q_EMIT changed(current_);
}

}  // namespace divisi::model

#include "moc_selection.cpp"
