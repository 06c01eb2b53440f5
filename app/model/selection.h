// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/ids.h"

namespace divisi::model {

/// One thing that can be selected in the console, by what the cluster or the model calls it. A value: it says nothing
/// about whether the thing still exists.
struct Selected {
    enum class Kind {
        none,
        task,         ///< id: the task
        unit,         ///< id: the SID task/unit/replica
        instance,     ///< id: the instance
        node,         ///< id: the node
        mic,          ///< id: the MIC
        device,       ///< id: a gateway or a router, by its name
        link,         ///< id and other: its ends, the lower name first
        model_block,  ///< id: the path of an operator or a scope in the model graph; other: the instance that runs it
        step,         ///< task and number: a training step
    };

    Kind kind = Kind::none;
    std::string id;
    std::string other;         ///< the second half of a name, where one does not do
    TaskId task;               ///< whose it is; empty where it belongs to no task
    std::uint64_t number = 0;  ///< of a step

    bool operator==(const Selected&) const = default;
    explicit operator bool() const { return kind != Kind::none; }

    static Selected of_task(const TaskId& task);
    /// The task is the first part of the SID.
    static Selected of_unit(const Sid& sid);
    static Selected of_instance(const InstanceId& instance, const TaskId& task = {});
    static Selected of_node(const NodeId& node);
    static Selected of_mic(const MicId& mic);
    static Selected of_device(const std::string& device);
    /// The same whichever end is named first.
    static Selected of_link(const std::string& a, const std::string& b);
    /// `runs`: the instance of the followed task that runs it; empty where none does, or several.
    static Selected of_block(const std::string& path, const InstanceId& runs = {});
    static Selected of_step(const TaskId& task, std::uint64_t step);
};

/// These, as far as they are named, the closest first: what a row about an instance on a node, of a task, is about.
std::vector<Selected> things_of(const InstanceId& instance, const NodeId& node, const TaskId& task);

/// The one selected thing of the console, which all views mark and any view may set.
///
/// A view that hears changed() shows the selection and must not call select() for it: what it cannot show it ignores,
/// and keeps what it showed last.
class Selection : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    const Selected& current() const { return current_; }

public Q_SLOTS:
    /// Sends changed() only where it is another one. What listeners select in turn is ignored, so that two views
    /// cannot push each other round.
    void select(const divisi::model::Selected& what);
    void clear() { select({}); }

Q_SIGNALS:
    void changed(const divisi::model::Selected& now);

private:
    Selected current_;
    bool telling_ = false;
};

}  // namespace divisi::model
