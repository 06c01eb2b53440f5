// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QMap>
#include <QString>
#include <QStringList>
#include <vector>

namespace divisi::bench {

/// What a disturbance cost a training.
struct Outage {
    /// From the disturbance to the step that ended the longest silence since: a step that was finished before and is
    /// told after it ends none. 0: none was told yet.
    double until_step_ms = 0;
    int again = 0;  ///< steps that were done before, and were done again
};

/// What a run prints, line by line, while it is disturbed. Times are milliseconds from any one moment, never falling.
class Course {
public:
    /// The next line, as it came.
    void take(const QJsonObject& line, double now_ms);
    /// Something is killed now.
    void disturb(double now_ms);
    /// Since the last disturbance.
    const Outage& outage() const { return outage_; }
    /// How often the training recovered from faults of the role of which it did so most often.
    int most_recoveries() const;
    /// The last step that any generation has done; 0: none.
    int furthest() const { return furthest_; }
    /// The first difference of a step that was done again from itself, else of the steps from `reference`, which are
    /// the loss bits of the same training undisturbed. Empty where there is none.
    QString difference(const QStringList& reference) const;

private:
    QMap<int, QString> bits_;        ///< by step, as it was done first
    QMap<QString, int> recoveries_;  ///< by role; those of nobody in particular by ""
    QString unlike_;
    int furthest_ = 0;
    double disturbed_ms_ = 0, heard_ms_ = 0, silence_ms_ = 0;
    Outage outage_;
};

/// Of several values the least, the middle, that which 90 % do not pass (nearest rank) and the greatest; NaN of none.
struct Spread {
    double min = 0, median = 0, p90 = 0, max = 0;
};
Spread spread(std::vector<double> values);

}  // namespace divisi::bench
