// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSpinBox>
#include <vector>

namespace divisi::timeline {

/// A number of a step, of those that were measured: arrows go from one to the next, as most steps in between were not.
class StepBox : public QSpinBox {
    Q_OBJECT
public:
    explicit StepBox(QWidget* parent = nullptr);

    /// Ascending; none: the box keeps what it had.
    void set_steps(std::vector<int> steps);
    /// The one that is nearest to a number; that itself where there are none.
    int nearest(int step) const;
    /// Whether a number was begun and not finished, which is not to be replaced.
    bool typing() const { return cleanText() != textFromValue(value()); }

    void stepBy(int by) override;

protected:
    StepEnabled stepEnabled() const override;

private:
    std::vector<int> steps_;
};

}  // namespace divisi::timeline
