// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/wording/event_text.h"

#include <QCoreApplication>
#include <algorithm>
#include <iterator>
#include <utility>

namespace divisi::model {

QString event_text(std::string_view kind) {
    static constexpr std::pair<std::string_view, const char*> words[] = {
        {"cluster_started", QT_TRANSLATE_NOOP("Events", "cluster started")},
        {"node_joined", QT_TRANSLATE_NOOP("Events", "node joined")},
        {"node_ended", QT_TRANSLATE_NOOP("Events", "node left or lost")},
        {"task_submitted", QT_TRANSLATE_NOOP("Events", "task submitted")},
        {"task_planned", QT_TRANSLATE_NOOP("Events", "task planned")},
        {"instance_placed", QT_TRANSLATE_NOOP("Events", "instance placed")},
        {"instance_changed", QT_TRANSLATE_NOOP("Events", "instance changed")},
        {"phase_changed", QT_TRANSLATE_NOOP("Events", "phase changed")},
        {"step_done", QT_TRANSLATE_NOOP("Events", "step done")},
        {"evaluated", QT_TRANSLATE_NOOP("Events", "evaluated")},
        {"weights_stored", QT_TRANSLATE_NOOP("Events", "weights stored")},
        {"task_ended", QT_TRANSLATE_NOOP("Events", "task ended")},
        {"key_changed", QT_TRANSLATE_NOOP("Events", "key changed")},
        {"noted", QT_TRANSLATE_NOOP("Events", "note")},
        {"link_measured", QT_TRANSLATE_NOOP("Events", "link measured")},
        {"task_held", QT_TRANSLATE_NOOP("Events", "task held")},
        {"instance_joined", QT_TRANSLATE_NOOP("Events", "instance registered")},
        {"instance_loaded", QT_TRANSLATE_NOOP("Events", "instance prepared")},
        {"instance_ended", QT_TRANSLATE_NOOP("Events", "instance ended")},
        {"task_queued", QT_TRANSLATE_NOOP("Events", "task queued")},
        {"task_ending", QT_TRANSLATE_NOOP("Events", "task ending")},
        {"lease_granted", QT_TRANSLATE_NOOP("Events", "lease granted")},
        {"lease_activated", QT_TRANSLATE_NOOP("Events", "lease activated")},
        {"lease_finished", QT_TRANSLATE_NOOP("Events", "lease finished")},
        {"lease_measured", QT_TRANSLATE_NOOP("Events", "lease measured")},
        {"lease_reclaimed", QT_TRANSLATE_NOOP("Events", "lease reclaimed")},
        {"receipt_key_changed", QT_TRANSLATE_NOOP("Events", "receipt key changed")},
        {"reservation_made", QT_TRANSLATE_NOOP("Events", "reservation made")},
        {"reservation_ended", QT_TRANSLATE_NOOP("Events", "reservation ended")},
        {"device_joined", QT_TRANSLATE_NOOP("Events", "gateway or router joined")},
        {"device_left", QT_TRANSLATE_NOOP("Events", "gateway or router left")},
        {"device_lease", QT_TRANSLATE_NOOP("Events", "lease of a gateway or router")},
        {"policy_changed", QT_TRANSLATE_NOOP("Events", "policy changed")},
        {"service_joined", QT_TRANSLATE_NOOP("Events", "service registered")},
        {"service_left", QT_TRANSLATE_NOOP("Events", "service left")},
        {"lease_taken_over", QT_TRANSLATE_NOOP("Events", "lease taken over")},
        {"checkpoint_committed", QT_TRANSLATE_NOOP("Events", "checkpoint committed")},
        {"task_recovers", QT_TRANSLATE_NOOP("Events", "task recovers")},
        {"exception_raised", QT_TRANSLATE_NOOP("Events", "exception raised")},
        {"exception_closed", QT_TRANSLATE_NOOP("Events", "exception closed")},
        {"task_recut", QT_TRANSLATE_NOOP("Events", "task re-cut")},
        {"drain_changed", QT_TRANSLATE_NOOP("Events", "node drained or undrained")},
        {"version_made", QT_TRANSLATE_NOOP("Events", "version of a model kept")},
        {"version_dropped", QT_TRANSLATE_NOOP("Events", "version of a model dropped")},
        {"alert_raised", QT_TRANSLATE_NOOP("Events", "alert raised")},
        {"alert_cleared", QT_TRANSLATE_NOOP("Events", "alert cleared")},
        {"recut_advised", QT_TRANSLATE_NOOP("Events", "re-cut advised")},
    };
    const auto* found = std::ranges::find(words, kind, &std::pair<std::string_view, const char*>::first);
    if (found == std::end(words)) return QString::fromUtf8(kind.data(), static_cast<qsizetype>(kind.size()));
    return QCoreApplication::translate("Events", found->second);
}

}  // namespace divisi::model
