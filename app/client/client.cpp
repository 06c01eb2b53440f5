// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/client.h"

namespace divisi::client {

QString why_not_replayed(const Status& status) {
    if (!status.replayed) return {};
    if (status.past) return Client::tr("The window shows the past. Go back to now (Ctrl+L) to do that.");
    return Client::tr("This is a recording of %1. Connect to a cluster to do that.").arg(status.where);
}

QString why_not_operated(const Status& status) {
    if (status.replayed) return why_not_replayed(status);
    if (status.connection != Connection::connected || control::allowed(status.role, control::Right::submit)) return {};
    return Client::tr(
               "Your role at %1 is read-only. Operators and admins run and stop tasks; an admin assigns roles with "
               "divisictl keys.")
        .arg(status.where);
}

QString no_cluster_text() {
    return Client::tr(
        "This window has no cluster. To open a window with a cluster, use Connect to cluster or Start a cluster on "
        "this machine in the File menu.");
}

QString no_connection_text() {
    return Client::tr("There is no connection to a cluster; see its state at the lower right.");
}

namespace {

bool has_cluster(const Client* client) { return client && client->status().connection != Connection::none; }

QString connecting_text(const Status& status) {
    if (status.connection == Connection::starting)
        return Client::tr("A cluster is starting on this machine; see its state at the lower right.");
    return no_connection_text();
}

}  // namespace

QString why_not_operated(const Client* client) {
    if (!has_cluster(client)) return no_cluster_text();
    const Status& status = client->status();
    if (!status.replayed && status.connection != Connection::connected) return connecting_text(status);
    return why_not_operated(status);
}

QString how_to_begin(const Client* client) {
    const QString why_not = why_not_operated(client);
    if (why_not.isEmpty()) return Client::tr("To begin, open a model and run a task (F5).");
    const Status status = has_cluster(client) ? client->status() : Status();
    if (status.past) return Client::tr("The window shows the past. Go back to now (Ctrl+L) to see what came later.");
    if (status.replayed)
        return Client::tr("This is a recording of %1. Play on to see what came later.").arg(status.where);
    if (!status.reaches()) return why_not;
    return Client::tr("Your role at %1 is read-only: the tasks of others appear here.").arg(status.where);
}

TimePoint Client::now() const {
    return TimePoint(std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch()));
}

}  // namespace divisi::client

#include "moc_client.cpp"
