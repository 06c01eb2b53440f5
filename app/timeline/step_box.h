// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSpinBox>
#include <vector>

namespace divisi::timeline {

/// A spin box for the number of a measured step. Its arrow buttons skip unmeasured steps, because most steps are not
/// measured.
class StepBox : public QSpinBox {
    Q_OBJECT
public:
    explicit StepBox(QWidget* parent = nullptr);

    /// Sets the numbers of the measured steps, ascending. If `steps` is empty, the box keeps its numbers.
    void set_steps(std::vector<int> steps);
    /// Returns the measured step nearest to a number; the number itself if there are no measured steps.
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
