// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/client.h"

namespace divisi::client {

QString why_not_replayed(const Status& status) {
    if (!status.replayed) return {};
    return Client::tr("This is a recording of %1. Connect to a cluster to do that.").arg(status.where);
}

TimePoint Client::now() const {
    return TimePoint(std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch()));
}

}  // namespace divisi::client
