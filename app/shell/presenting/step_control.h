// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "app/shell/presenting/scenario.h"

namespace divisi::shell {

/// Stores the current step of a scenario and whether the step is done. Independent of widgets.
class StepControl {
public:
    /// Starts at the first step.
    void begin(Scenario scenario, const GuideFacts& now);
    void end() { step_ = -1; }
    /// Starts the step with this index. An index before the first or after the last step ends the scenario.
    void go(int step, const GuideFacts& now);
    /// Marks the step as done if its condition is met. A finished step stays finished until the reader leaves it.
    void update(const GuideFacts& now);
    /// Replaces the scenario by the same one in another language.
    void reword(Scenario scenario);

    /// Returns the index of the step; -1 if no scenario is under way.
    int step() const { return step_; }
    bool under_way() const { return step_ >= 0; }
    bool done() const { return done_; }
    bool first() const { return step_ == 0; }
    bool last() const { return under_way() && step_ + 1 == count(); }
    int count() const { return static_cast<int>(scenario_.steps.size()); }
    const QString& title() const { return scenario_.title; }
    /// Returns the current step; null while no scenario is under way.
    const GuideStep* current() const { return at(step_); }
    /// Returns the next step; null at the last one.
    const GuideStep* next() const { return under_way() ? at(step_ + 1) : nullptr; }

private:
    const GuideStep* at(int step) const;

    Scenario scenario_;
    int step_ = -1;
    bool done_ = false;  ///< whether the condition of the step has been met
    GuideFacts before_;  ///< facts when the step began
};

/// Returns the exact name of a built-in scenario for a name in any case; empty if there is no such scenario.
std::optional<QString> find_scenario(const QString& name);
/// Returns the command line with a value after every "--present", because the option's value is optional. The next word
/// is the value if it can be a scenario name; otherwise, an empty value is inserted. The name of a scenario is not an
/// option, and has no dot, colon or slash, unlike files and models.
QStringList with_present_value(const QStringList& arguments);

}  // namespace divisi::shell
