// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSpinBox>
#include <vector>

namespace divisi::timeline {

/// Chooses the number of a measured step. The arrows skip unmeasured steps, which are the majority.
class StepBox : public QSpinBox {
    Q_OBJECT
public:
    explicit StepBox(QWidget* parent = nullptr);

    /// Sets the step numbers, ascending. If empty, the box keeps its numbers.
    void set_steps(std::vector<int> steps);
    /// Returns the measured step nearest to a number; the number itself if there are none.
    int nearest(int step) const;
    /// Returns whether the user is still typing a number, which must not be replaced.
    bool typing() const { return cleanText() != textFromValue(value()); }

    void stepBy(int by) override;

protected:
    StepEnabled stepEnabled() const override;

private:
    std::vector<int> steps_;
};

}  // namespace divisi::timeline
