// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QString>
#include <optional>
#include <vector>

namespace divisi::bench {

/// A snapshot as the store of its instance tells of it.
struct Snapshot {
    double bytes = 0;  ///< rounded to a tenth of its unit, as messages have it
    double copy_ms = 0, write_ms = 0;
};

/// Of a line like "step 5, 16.4 MiB, copied in 2.4 ms, written in 203 ms, HASH"; none where it says that there is no
/// snapshot, or something else.
std::optional<Snapshot> parse_snapshot(const QString& line);

/// Those of a stage, from what `divisictl state --json` prints of its store.
struct StageSnapshots {
    std::vector<Snapshot> written;
    int given_up = 0;  ///< that a newer one replaced before the disk came to it
};
StageSnapshots stage_snapshots(const QJsonObject& state);

}  // namespace divisi::bench
