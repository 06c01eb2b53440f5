// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "agents/module/features.h"
#include "backend/control/module_types.h"

namespace divisi::module {

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
};

}  // namespace divisi::module
