// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QString>
#include <optional>
#include <vector>

namespace divisi::bench {

/// A snapshot as the store of its instance reports it.
struct Snapshot {
    double bytes = 0;  ///< rounded to a tenth of the unit that the message uses
    double copy_ms = 0, write_ms = 0;
};

/// Parses a line like "step 5, 16.4 MiB, copied in 2.4 ms, written in 203 ms, HASH". Returns nothing if the line
/// reports that there is no snapshot, or is another kind of line.
std::optional<Snapshot> parse_snapshot(const QString& line);

/// The snapshots of a stage, read from the output of `divisictl state --json` for its store.
struct StageSnapshots {
    std::vector<Snapshot> written;
    int given_up = 0;  ///< snapshots replaced by a newer one before they were written
};
StageSnapshots stage_snapshots(const QJsonObject& state);

}  // namespace divisi::bench
