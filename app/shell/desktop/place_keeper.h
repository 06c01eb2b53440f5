// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <optional>

#include "app/charts/telemetry_view.h"
#include "app/shell/basics/app_context.h"

namespace divisi::shell {

/// Saves the user's place in the settings, in case the console is killed: the selection, and the range of steps shown
/// by the followed task's curves.
class PlaceKeeper : public QObject {
    Q_OBJECT
public:
    /// Time in ms from the last change to its writing; a killed console loses changes that are not written yet.
    static constexpr int write_after_ms = 1000;

    /// `context` and `telemetry` must outlive this object.
    PlaceKeeper(AppContext& context, charts::TelemetryView& telemetry, QObject* parent = nullptr);

    /// Starts saving the place. With `restore`, restores the saved place as soon as its task or model exists.
    void begin(bool restore);

private:
    void restore();
    void write();
    void take_pending();

    AppContext& context_;
    charts::TelemetryView& telemetry_;
    QTimer timer_;
    std::optional<model::Selected> pending_;  ///< selection to restore as soon as its task or model exists
};

}  // namespace divisi::shell
