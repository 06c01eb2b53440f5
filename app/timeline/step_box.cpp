// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/timeline/step_box.h"

#include <algorithm>
#include <utility>

namespace divisi::timeline {

StepBox::StepBox(QWidget* parent) : QSpinBox(parent) {
    setKeyboardTracking(false);  // a step is requested only after the whole number was typed
}

void StepBox::set_steps(std::vector<int> steps) {
    if (steps.empty() || steps == steps_) return;
    steps_ = std::move(steps);
    setRange(steps_.front(), steps_.back());
}

int StepBox::nearest(int step) const {
    if (steps_.empty()) return step;
    const auto above = std::lower_bound(steps_.begin(), steps_.end(), step);
    if (above == steps_.end()) return steps_.back();
    if (above == steps_.begin() || *above == step) return *above;
    return *above - step < step - *(above - 1) ? *above : *(above - 1);
}

void StepBox::stepBy(int by) {
    if (steps_.empty()) return QSpinBox::stepBy(by);
    const auto at = std::lower_bound(steps_.begin(), steps_.end(), nearest(value())) - steps_.begin();
    const auto to = std::clamp<std::ptrdiff_t>(at + by, 0, std::ssize(steps_) - 1);
    setValue(steps_[static_cast<std::size_t>(to)]);
}

QAbstractSpinBox::StepEnabled StepBox::stepEnabled() const {
    StepEnabled enabled = StepNone;
    if (value() > minimum()) enabled |= StepDownEnabled;
    if (value() < maximum()) enabled |= StepUpEnabled;
    return enabled;
}

}  // namespace divisi::timeline

#include "moc_step_box.cpp"
