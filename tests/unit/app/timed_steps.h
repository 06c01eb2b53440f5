// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/charts/telemetry_lines.h"
#include "tests/gui/scripted_client.h"

namespace divisi::testing {

/// The axes of a task that has completed its steps 1, 2 and 3 at 100, 200 and 300 seconds since the epoch.
struct TimedSteps {
    const TaskId task{"gpt-1"};
    ScriptedClient cluster;
    model::Telemetry telemetry{&cluster};
    charts::TelemetryLines lines{&cluster, telemetry};
    charts::TaskAxes axes{lines, telemetry};

    TimedSteps() {
        cluster.tell(control::TaskSubmitted{task, "gpt", "", "", "", {}, "operator", 0});
        client::Mail mail;
        for (int i = 1; i <= 3; ++i)
            mail.events.push_back({cluster.cluster.state.sequence + static_cast<std::uint64_t>(i),
                                   TimePoint(std::chrono::seconds(100 * i)),
                                   control::StepDone{task, {i, 1, 100, 160, 1}}});
        client::take(cluster.cluster, mail, std::chrono::steady_clock::now());
        Q_EMIT cluster.dataChanged();
        axes.set_task(task);
    }
    /// Returns a time on the axis of time.
    double at(double seconds) const { return seconds - axes.origin(); }
};

}  // namespace divisi::testing
