// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/recovery/snapshots.h"

#include <QJsonArray>
#include <QRegularExpression>
#include <QStringList>
#include <cmath>

namespace divisi::bench {

std::optional<Snapshot> parse_snapshot(const QString& line) {
    static const QRegularExpression form(R"(^step \d+, ([\d.]+) (\w+), copied in (\S+) ms, written in (\S+) ms, )");
    static const QStringList units{"B", "KiB", "MiB", "GiB", "TiB"};
    const auto match = form.match(line);
    const auto power = units.indexOf(match.captured(2));
    if (!match.hasMatch() || power < 0) return std::nullopt;
    return Snapshot{match.captured(1).toDouble() * std::pow(1024, power), match.captured(3).toDouble(),
                    match.captured(4).toDouble()};
}

StageSnapshots stage_snapshots(const QJsonObject& state) {
    StageSnapshots found;
    for (const QJsonValue event : state["events"].toArray()) {
        if (event["what"].toString() != "snapshot") continue;
        if (const auto one = parse_snapshot(event["detail"].toString())) found.written.push_back(*one);
        else ++found.given_up;
    }
    return found;
}

}  // namespace divisi::bench
