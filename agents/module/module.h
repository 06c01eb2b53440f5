// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>
#include <vector>

#include "agents/module/features.h"
#include "backend/control/protocol/message.h"
#include "backend/control/types/module_types.h"

namespace divisi::module {

/// What a module may ask beside its advice: which state stores a node has, rows of one, and a checkpoint of a task.
using Question = std::variant<control::ListStores, control::ReadStore, control::OrderCheckpoint>;

/// A functional module (draft 002, 4.2): a function from windowed features to advice. What it is connected by, and what
/// becomes of its advice, is the port's.
class Module {
public:
    Module() = default;
    Module(const Module&) = delete;
    Module& operator=(const Module&) = delete;
    virtual ~Module() = default;

    /// Without the number of its process.
    virtual control::ModuleInfo describe() const = 0;
    /// Every period, and with a synchronous module ahead of each placement.
    virtual std::vector<control::Advice> advise(const Features& features) = 0;
    /// What became of an advice.
    virtual void hear(const control::AdviceEcho& /*echo*/) {}

    /// After advise(), while its advice counts and no task waits to be placed.
    virtual std::vector<Question> ask(const Features& /*features*/) { return {}; }
    /// By StoreList, StorePage or CheckpointOrdered; or why not.
    virtual void answered(const Question& /*question*/, const Result<control::Message>& /*answer*/) {}
};

}  // namespace divisi::module
