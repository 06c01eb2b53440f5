// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/presenting/step_control.h"

#include <utility>

namespace divisi::shell {

void StepControl::begin(Scenario scenario, const GuideFacts& now) {
    scenario_ = std::move(scenario);
    go(0, now);
}

void StepControl::go(int step, const GuideFacts& now) {
    step_ = step >= 0 && step < count() ? step : -1;
    before_ = now;
    done_ = false;
    update(now);
}

void StepControl::update(const GuideFacts& now) {
    const GuideStep* step = current();
    if (step) done_ = done_ || is_met(step->until, before_, now);
}

void StepControl::reword(Scenario scenario) {
    if (scenario.steps.size() == scenario_.steps.size()) scenario_ = std::move(scenario);
}

const GuideStep* StepControl::at(int step) const {
    return step >= 0 && step < count() ? &scenario_.steps[static_cast<std::size_t>(step)] : nullptr;
}

std::optional<QString> find_scenario(const QString& name) {
    for (const QString& one : scenario_names())
        if (one.compare(name, Qt::CaseInsensitive) == 0) return one;
    return std::nullopt;
}

QStringList with_present_value(const QStringList& arguments) {
    const auto can_be_name = [](const QString& word) {
        return !word.startsWith(u'-') && !word.contains(u'.') && !word.contains(u':') && !word.contains(u'/');
    };
    QStringList all;
    for (qsizetype i = 0; i < arguments.size(); ++i) {
        all << arguments[i];
        if (arguments[i] == QStringLiteral("--")) return all << arguments.mid(i + 1);
        if (arguments[i] != QStringLiteral("--present")) continue;
        if (i + 1 < arguments.size() && can_be_name(arguments[i + 1])) all << arguments[++i];
        else all.back() += u'=';
    }
    return all;
}

}  // namespace divisi::shell
