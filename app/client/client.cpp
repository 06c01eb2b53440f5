// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/client.h"

namespace divisi::client {

QString why_not_replayed(const Status& status) {
    if (!status.replayed) return {};
    if (status.past) return Client::tr("A moment of the past is shown. Go back to now (Ctrl+L) to do that.");
    return Client::tr("This is a recording of %1. Connect to a cluster to do that.").arg(status.where);
}

QString why_not_operated(const Status& status) {
    if (status.replayed) return why_not_replayed(status);
    if (status.connection != Connection::connected || control::allowed(status.role, control::Right::submit)) return {};
    return Client::tr(
               "Your role at %1 may only watch. An operator or an admin runs and stops tasks; who keeps the "
               "cluster gives the role with divisictl keys.")
        .arg(status.where);
}

TimePoint Client::now() const {
    return TimePoint(std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch()));
}

}  // namespace divisi::client
