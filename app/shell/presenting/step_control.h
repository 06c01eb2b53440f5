// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "app/shell/presenting/scenario.h"

namespace divisi::shell {

/// Tracks the reader's position in a scenario and whether that step is done. Knows no widget.
class StepControl {
public:
    /// Starts at the first step.
    void begin(Scenario scenario, const GuideFacts& now);
    void end() { step_ = -1; }
    /// Starts this step. An index before the first or beyond the last step ends the scenario.
    void go(int step, const GuideFacts& now);
    /// Marks the step as done if its condition is met. A done step stays done until the reader leaves it.
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
    bool done_ = false;  ///< the step's condition has been met
    GuideFacts before_;  ///< facts when the step began
};

/// Returns the shipped name of a scenario, ignoring case; empty if there is no such scenario.
std::optional<QString> find_scenario(const QString& name);
/// Returns the command line with a value after every "--present", whose value is optional. The value is empty unless
/// the next word can be a scenario name. A scenario name is no option, and has no dot, colon or slash, unlike files and
/// models.
QStringList with_present_value(const QStringList& arguments);

}  // namespace divisi::shell
