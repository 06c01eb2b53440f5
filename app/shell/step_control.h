// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "app/shell/scenario.h"

namespace divisi::shell {

/// Where a reader is in a scenario, and whether the step there is done. Knows no widget.
class StepControl {
public:
    /// Begins at the first step.
    void begin(Scenario scenario, const GuideFacts& now);
    void end() { step_ = -1; }
    /// Goes to this step, which begins now; one before the first or beyond the last ends the scenario.
    void go(int step, const GuideFacts& now);
    /// Marks the step as done if what it waits for has come. A step that is done stays so until it is left.
    void look(const GuideFacts& now);
    /// Takes the same scenario in another language.
    void reword(Scenario scenario);

    /// -1: no scenario is under way.
    int step() const { return step_; }
    bool under_way() const { return step_ >= 0; }
    bool done() const { return done_; }
    bool first() const { return step_ == 0; }
    bool last() const { return under_way() && step_ + 1 == count(); }
    int count() const { return static_cast<int>(scenario_.steps.size()); }
    const QString& title() const { return scenario_.title; }
    /// Null while no scenario is under way.
    const GuideStep* current() const { return at(step_); }
    /// Null at the last step.
    const GuideStep* next() const { return under_way() ? at(step_ + 1) : nullptr; }

private:
    const GuideStep* at(int step) const;

    Scenario scenario_;
    int step_ = -1;
    bool done_ = false;  ///< what the step waits for has come
    GuideFacts before_;  ///< as the step began
};

/// The name as it is shipped, of one in any case of letters; none where there is no such scenario.
std::optional<QString> find_scenario(const QString& name);
/// The arguments of a command line, where "--present" may go without a value: it gets an empty one unless the word
/// after it can be the name of a scenario, which is no option and has no dot, colon or slash, as files and models have.
QStringList with_present_value(const QStringList& arguments);

}  // namespace divisi::shell
