// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <optional>

#include "app/charts/telemetry_view.h"
#include "app/shell/desk.h"

namespace divisi::shell {

/// Where somebody was, kept in the settings for a console that is killed: what is selected, and the range of steps that
/// the curves of the followed task show.
class PlaceKeeper : public QObject {
    Q_OBJECT
public:
    /// Nothing older than this is lost.
    static constexpr int write_after_ms = 1000;

    /// Both outlive it.
    PlaceKeeper(Desk& desk, charts::TelemetryView& telemetry, QObject* parent = nullptr);

    /// Begins to keep it, where `restore` is set with what was kept: as soon as the task, or the model, is there.
    void begin(bool restore);

private:
    void restore();
    void write();
    void take_pending();

    Desk& desk_;
    charts::TelemetryView& telemetry_;
    QTimer timer_;
    std::optional<model::Selected> pending_;  ///< to be selected once what it belongs to is there
};

}  // namespace divisi::shell
