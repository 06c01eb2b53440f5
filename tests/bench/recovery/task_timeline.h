// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QMap>
#include <QString>
#include <QStringList>
#include <vector>

namespace divisi::bench {

/// The cost of a disturbance to a training.
struct Outage {
    /// Time from the disturbance to the end of the longest time without a step since then. A step that finished before
    /// the disturbance but was reported after it does not count as an end. 0: no step was reported yet.
    double until_step_ms = 0;
    int again = 0;  ///< steps that were repeated
};

/// Reads the output of a run, line by line, while the run is disturbed. Times are milliseconds since any fixed time,
/// and never decrease.
class TaskTimeline {
public:
    /// Takes the next line exactly as printed.
    void take(const QJsonObject& line, double now_ms);
    /// Records that a process is killed now.
    void disturb(double now_ms);
    /// Returns the outage since the last disturbance.
    const Outage& outage() const { return outage_; }
    /// Returns the recoveries of the role that recovered most often.
    int most_recoveries() const;
    /// Returns the last step that any generation has done; 0: none.
    int furthest() const { return furthest_; }
    /// Returns the first step that was repeated with another result; if there is none, the first difference from
    /// `reference`, the loss bits of the same training without faults. Returns an empty text if there is no difference.
    QString difference(const QStringList& reference) const;

private:
    QMap<int, QString> bits_;        ///< by step, from its first run
    QMap<QString, int> recoveries_;  ///< by role; "" if no process was at fault
    QString unlike_;
    int furthest_ = 0;
    double disturbed_ms_ = 0, heard_ms_ = 0, silence_ms_ = 0;
    Outage outage_;
};

/// The minimum, the median, the 90th percentile (nearest rank) and the maximum of several values; NaN for none.
struct Spread {
    double min = 0, median = 0, p90 = 0, max = 0;
};
Spread spread(std::vector<double> values);

}  // namespace divisi::bench
