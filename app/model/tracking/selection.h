// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/ids.h"

namespace divisi::model {

/// Something that can be selected in the console, identified by its name in the cluster or model. It is a value: the
/// element may no longer exist.
struct Selected {
    enum class Kind {
        none,
        task,         ///< id: the task
        unit,         ///< id: the SID task/unit/replica
        instance,     ///< id: the instance
        node,         ///< id: the node
        mic,          ///< id: the MIC
        device,       ///< id: a gateway or router by name
        link,         ///< id and other: names of the link's ends in ascending order
        model_block,  ///< id: path of an operator or scope in the model graph; other: the instance that runs it
        step,         ///< task and number: a training step
    };

    Kind kind = Kind::none;
    std::string id;
    std::string other;         ///< second part of a name with two parts
    TaskId task;               ///< task to which the element belongs; empty if none
    std::uint64_t number = 0;  ///< number of a step

    bool operator==(const Selected&) const = default;
    explicit operator bool() const { return kind != Kind::none; }

    static Selected of_task(const TaskId& task);
    /// Selects a unit. Its task is the first part of the SID.
    static Selected of_unit(const Sid& sid);
    static Selected of_instance(const InstanceId& instance, const TaskId& task = {});
    static Selected of_node(const NodeId& node);
    static Selected of_mic(const MicId& mic);
    static Selected of_device(const std::string& device);
    /// Selects a link. The order of its ends does not matter.
    static Selected of_link(const std::string& a, const std::string& b);
    /// Selects a block. `runs` is the instance of the followed task that runs the block; empty if no instance or
    /// several instances run it.
    static Selected of_block(const std::string& path, const InstanceId& runs = {});
    static Selected of_step(const TaskId& task, std::uint64_t step);
};

/// Returns the subjects of a row about an instance: all arguments that are not empty, the most specific
/// first.
std::vector<Selected> things_of(const InstanceId& instance, const NodeId& node, const TaskId& task);

/// The selection that all views of the console share: every view marks the selected element, and any view may select.
///
/// A view shows the selection on changed() and must not call select() in response. A view that cannot show the
/// selection ignores it and keeps its previous state.
class Selection : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    const Selected& current() const { return current_; }

public Q_SLOTS:
    /// Selects something. Sends changed() only if the selection is different. Selections made by receivers are ignored,
    /// so that two views cannot trigger each other endlessly.
    void select(const divisi::model::Selected& what);
    void clear() { select({}); }

Q_SIGNALS:
    void changed(const divisi::model::Selected& now);

private:
    Selected current_;
    bool telling_ = false;
};

}  // namespace divisi::model
