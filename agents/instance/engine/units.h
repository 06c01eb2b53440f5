// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "backend/plan/interpreter.h"

namespace divisi::instance {

/// One interpreter and its next operation.
struct Unit {
    Unit(std::shared_ptr<const plan::Programs> programs, std::int32_t number)
        : instance(number), interpreter(std::move(programs), number) {}
    std::int32_t instance;  ///< number of the instance: a stage, or plan::data_unit
    plan::Interpreter interpreter;
    std::optional<plan::Start> pending;
    bool finished = false;
};

/// The units that an instance runs: a stage, the data unit, or both. Does not run operations itself.
class Units {
public:
    /// `stage`: plan::data_unit if there is no stage. `data`: whether the instance runs the program of the data unit.
    Units(std::shared_ptr<const plan::Programs> programs, std::int32_t stage, bool data);

    /// Returns a unit; null if it does not run here.
    Unit* find(std::int32_t instance);
    bool contains(std::int32_t instance) const;
    /// Returns the unit that runs next; null if no unit may run. If the stage is held after a step (`held_after`; 0:
    /// not held), the evaluation after that step is held too. An instance that later continues after this step begins
    /// with that evaluation.
    Unit* ready(std::int64_t held_after);
    bool are_finished() const;

    /// Returns the stages (or plan::data_unit) of other instances that the units wait for. `dealt`: whether the task
    /// has data instances, so that the data unit is left out.
    std::set<std::int32_t> awaited_ends(bool dealt) const;
    /// Returns the number of slots at other instances for tensors of these units.
    std::int64_t slots_elsewhere() const;

    std::vector<std::unique_ptr<Unit>>& all() { return units_; }

private:
    std::shared_ptr<const plan::Programs> programs_;
    std::vector<std::unique_ptr<Unit>> units_;
};

}  // namespace divisi::instance
