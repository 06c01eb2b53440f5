// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/wording/event_line.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/client/refusal_text.h"

namespace divisi::model {
namespace {

struct EventLine {
    std::string_view kind;
    const char* english;
};

// The lines of control::describe(). If two lines of one kind match, the first is used.
constexpr EventLine event_lines[] = {
    {"cluster_started", QT_TRANSLATE_NOOP("EventLines", "cluster %1 started")},
    {"node_joined", QT_TRANSLATE_NOOP("EventLines", "node %1 joined")},
    {"node_ended", QT_TRANSLATE_NOOP("EventLines", "node %1 %2: %3")},
    {"node_ended", QT_TRANSLATE_NOOP("EventLines", "node %1 %2")},
    {"task_submitted", QT_TRANSLATE_NOOP("EventLines", "task %1 submitted by %2")},
    {"task_planned", QT_TRANSLATE_NOOP("EventLines", "task %1 planned: %2 in %3 stages, generation %4")},
    {"instance_placed", QT_TRANSLATE_NOOP("EventLines", "instance %1 placed on %2")},
    {"instance_changed", QT_TRANSLATE_NOOP("EventLines", "instance %1 %2: %3")},
    {"instance_changed", QT_TRANSLATE_NOOP("EventLines", "instance %1 %2")},
    {"instance_joined", QT_TRANSLATE_NOOP("EventLines", "instance %1 registered")},
    {"instance_loaded", QT_TRANSLATE_NOOP("EventLines", "instance %1 prepared")},
    {"instance_ended", QT_TRANSLATE_NOOP("EventLines", "instance %1 stopped: %2")},
    {"instance_ended", QT_TRANSLATE_NOOP("EventLines", "instance %1 stopped")},
    {"task_queued", QT_TRANSLATE_NOOP("EventLines", "task %1: queued, %2")},
    {"task_ending", QT_TRANSLATE_NOOP("EventLines", "task %1: termination and cleanup (%2)")},
    {"task_ending", QT_TRANSLATE_NOOP("EventLines", "task %1: termination and cleanup")},
    {"reservation_made", QT_TRANSLATE_NOOP("EventLines", "reservation %1 made by %2 for task %3")},
    {"reservation_made", QT_TRANSLATE_NOOP("EventLines", "reservation %1 made by %2 for %3")},
    {"reservation_ended", QT_TRANSLATE_NOOP("EventLines", "reservation %1 ended: %2")},
    {"phase_changed", QT_TRANSLATE_NOOP("EventLines", "task %1: %2 (%3)")},
    {"phase_changed", QT_TRANSLATE_NOOP("EventLines", "task %1: %2")},
    {"step_done", QT_TRANSLATE_NOOP("EventLines", "task %1 step %2 loss %3")},
    {"evaluated", QT_TRANSLATE_NOOP("EventLines", "task %1 evaluated after step %2: loss %3, accuracy %4 %")},
    {"evaluated", QT_TRANSLATE_NOOP("EventLines", "task %1 evaluated after step %2: loss %3")},
    {"weights_stored", QT_TRANSLATE_NOOP("EventLines", "instance %1 stored its weights after step %2 (%3)")},
    {"weights_stored", QT_TRANSLATE_NOOP("EventLines", "instance %1 stored its results after step %2 (%3)")},
    {"task_ended", QT_TRANSLATE_NOOP("EventLines", "task %1 %2: %3")},
    {"task_ended", QT_TRANSLATE_NOOP("EventLines", "task %1 %2")},
    {"task_held", QT_TRANSLATE_NOOP("EventLines", "task %1 is held until somebody releases it")},
    {"task_held", QT_TRANSLATE_NOOP("EventLines", "task %1 was released")},
    {"key_changed", QT_TRANSLATE_NOOP("EventLines", "key of %1 revoked")},
    {"key_changed", QT_TRANSLATE_NOOP("EventLines", "key of %1 allowed as %2")},
    {"noted", QT_TRANSLATE_NOOP("EventLines", "%1: %2")},
    {"link_measured", QT_TRANSLATE_NOOP("EventLines", "link from %1 to %2 by %3 measured: %4 ms, %5 MB/s")},
    {"lease_granted", QT_TRANSLATE_NOOP("EventLines", "lease %1 granted to %2: %3 on %4")},
    {"lease_activated", QT_TRANSLATE_NOOP("EventLines", "lease %1 of %2 activated by its first data, through %3")},
    {"lease_activated", QT_TRANSLATE_NOOP("EventLines", "lease %1 of %2 activated")},
    {"lease_finished", QT_TRANSLATE_NOOP("EventLines", "lease %1 of %2 finished: %3")},
    {"lease_finished", QT_TRANSLATE_NOOP("EventLines", "lease %1 of %2 finished")},
    {"lease_measured", QT_TRANSLATE_NOOP("EventLines", "lease %1 of %2: consumption so far: %3 s of CPU")},
    {"lease_measured", QT_TRANSLATE_NOOP("EventLines", "lease %1 of %2: consumption so far: not measured")},
    {"lease_reclaimed", QT_TRANSLATE_NOOP("EventLines", "lease %1 of %2 presumed reclaimed, receipt %3: %4 s of CPU")},
    {"lease_reclaimed", QT_TRANSLATE_NOOP("EventLines", "lease %1 of %2 presumed reclaimed, receipt %3: not measured")},
    {"lease_reclaimed", QT_TRANSLATE_NOOP("EventLines", "lease %1 of %2 reclaimed, receipt %3: %4 s of CPU")},
    {"lease_reclaimed", QT_TRANSLATE_NOOP("EventLines", "lease %1 of %2 reclaimed, receipt %3: not measured")},
    {"lease_taken_over", QT_TRANSLATE_NOOP("EventLines", "lease %1 of %2 taken over by %3")},
    {"checkpoint_committed",
     QT_TRANSLATE_NOOP("EventLines", "checkpoint of task %1 after step %2: %3 snapshots, %4 MB")},
    {"checkpoint_committed",
     QT_TRANSLATE_NOOP("EventLines", "checkpoint of task %1 after step %2: %3 snapshot, %4 MB")},
    {"task_recovers", QT_TRANSLATE_NOOP("EventLines", "task %1 continues after step %2 as generation %3: %4")},
    {"task_recovers", QT_TRANSLATE_NOOP("EventLines", "task %1 continues from its beginning as generation %2: %3")},
    {"exception_raised", QT_TRANSLATE_NOOP("EventLines", "exception %1: task %2 failed for good, not recovered: %3")},
    {"exception_raised", QT_TRANSLATE_NOOP("EventLines", "exception %1: task %2 failed for good, recovered once: %3")},
    {"exception_raised",
     QT_TRANSLATE_NOOP("EventLines", "exception %1: task %2 failed for good, recovered %3 times: %4")},
    {"exception_closed", QT_TRANSLATE_NOOP("EventLines", "exception %1 of task %2 was %3 by %4")},
    {"exception_closed", QT_TRANSLATE_NOOP("EventLines", "exception %1 of task %2 was %3")},
    {"task_recut",
     QT_TRANSLATE_NOOP("EventLines",
                       "task %1 re-cut by %2 after step %3: %4 stages, generation %5, plan %6 instead of %7")},
    {"task_recut",
     QT_TRANSLATE_NOOP("EventLines",
                       "task %1 re-cut by %2 after step %3: %4 stage, generation %5, plan %6 instead of %7")},
    {"task_recut",
     QT_TRANSLATE_NOOP("EventLines", "task %1 re-cut after step %2: %3 stages, generation %4, plan %5 instead of %6")},
    {"task_recut",
     QT_TRANSLATE_NOOP("EventLines", "task %1 re-cut after step %2: %3 stage, generation %4, plan %5 instead of %6")},
    {"task_recut",
     QT_TRANSLATE_NOOP("EventLines", "task %1 moved for %2 after step %3: its stages are on %4, generation %5")},
    {"task_recut", QT_TRANSLATE_NOOP("EventLines", "task %1 moved after step %2: its stages are on %3, generation %4")},
    {"drain_changed", QT_TRANSLATE_NOOP("EventLines", "node %1 is being drained, for %2")},
    {"drain_changed", QT_TRANSLATE_NOOP("EventLines", "node %1 is being drained")},
    {"drain_changed", QT_TRANSLATE_NOOP("EventLines", "node %1 accepts instances again, for %2")},
    {"drain_changed", QT_TRANSLATE_NOOP("EventLines", "node %1 accepts instances again")},
    {"version_made",
     QT_TRANSLATE_NOOP(
         "EventLines",
         "version %1 of %2: checkpoint of task %3 after step %4, named %5, from version %6, hash %7 (%8)")},
    {"version_made",
     QT_TRANSLATE_NOOP("EventLines", "version %1 of %2: checkpoint of task %3 after step %4, named %5, hash %6 (%7)")},
    {"version_made",
     QT_TRANSLATE_NOOP("EventLines",
                       "version %1 of %2: checkpoint of task %3 after step %4, from version %5, hash %6 (%7)")},
    {"version_made",
     QT_TRANSLATE_NOOP("EventLines", "version %1 of %2: checkpoint of task %3 after step %4, hash %5 (%6)")},
    {"version_made",
     QT_TRANSLATE_NOOP("EventLines",
                       "version %1 of %2: task %3 after step %4, named %5, from version %6, hash %7 (%8)")},
    {"version_made",
     QT_TRANSLATE_NOOP("EventLines", "version %1 of %2: task %3 after step %4, named %5, hash %6 (%7)")},
    {"version_made",
     QT_TRANSLATE_NOOP("EventLines", "version %1 of %2: task %3 after step %4, from version %5, hash %6 (%7)")},
    {"version_made", QT_TRANSLATE_NOOP("EventLines", "version %1 of %2: task %3 after step %4, hash %5 (%6)")},
    {"version_dropped", QT_TRANSLATE_NOOP("EventLines", "version %1 of task %2 was %3; its weights were deleted")},
    {"alert_raised", QT_TRANSLATE_NOOP("EventLines", "alert %1, %2: task %3: %4")},
    {"alert_raised", QT_TRANSLATE_NOOP("EventLines", "alert %1, %2: %3")},
    {"alert_cleared", QT_TRANSLATE_NOOP("EventLines", "alert %1 is cleared: %2")},
    {"device_joined", QT_TRANSLATE_NOOP("EventLines", "%1 %2 joined the mesh, linked with %3")},
    {"device_joined", QT_TRANSLATE_NOOP("EventLines", "%1 %2 joined the mesh")},
    {"service_joined", QT_TRANSLATE_NOOP("EventLines", "%1, incarnation %2, is registered as %3, and silent")},
    {"service_joined", QT_TRANSLATE_NOOP("EventLines", "%1, incarnation %2, is registered as %3")},
    {"service_left", QT_TRANSLATE_NOOP("EventLines", "%1 is no longer registered")},
    {"device_lease", QT_TRANSLATE_NOOP("EventLines", "the lease of %1 is %2")},
    {"device_left", QT_TRANSLATE_NOOP("EventLines", "%1 left the mesh")},
    {"receipt_key_changed", QT_TRANSLATE_NOOP("EventLines", "receipts are signed with the key %1")},
    {"policy_changed", QT_TRANSLATE_NOOP("EventLines", "policy %1 by %2: %3, because %4")},
    {"policy_changed", QT_TRANSLATE_NOOP("EventLines", "policy %1 by %2: %3")},
    {"recut_advised", QT_TRANSLATE_NOOP("EventLines", "advice to re-cut task %1: %2; it is followed")},
    {"recut_advised", QT_TRANSLATE_NOOP("EventLines", "advice to re-cut task %1: %2; not followed: %3")},
    {"recut_advised", QT_TRANSLATE_NOOP("EventLines", "advice to re-cut task %1: %2")},
};

/// Words that can replace a placeholder of an event line.
[[maybe_unused]] constexpr const char* event_words[] = {
    QT_TRANSLATE_NOOP("EventLines", "ready"),
    QT_TRANSLATE_NOOP("EventLines", "lost"),
    QT_TRANSLATE_NOOP("EventLines", "left"),
    QT_TRANSLATE_NOOP("EventLines", "away"),
    QT_TRANSLATE_NOOP("EventLines", "placed"),
    QT_TRANSLATE_NOOP("EventLines", "starting"),
    QT_TRANSLATE_NOOP("EventLines", "registered"),
    QT_TRANSLATE_NOOP("EventLines", "prepared"),
    QT_TRANSLATE_NOOP("EventLines", "running"),
    QT_TRANSLATE_NOOP("EventLines", "finished"),
    QT_TRANSLATE_NOOP("EventLines", "stopped"),
    QT_TRANSLATE_NOOP("EventLines", "failed"),
    QT_TRANSLATE_NOOP("EventLines", "standby"),
    QT_TRANSLATE_NOOP("EventLines", "succeeded"),
    QT_TRANSLATE_NOOP("EventLines", "queued"),
    QT_TRANSLATE_NOOP("EventLines", "registration and path configuration"),
    QT_TRANSLATE_NOOP("EventLines", "data exchange"),
    QT_TRANSLATE_NOOP("EventLines", "telemetry and feedback"),
    QT_TRANSLATE_NOOP("EventLines", "policy update"),
    QT_TRANSLATE_NOOP("EventLines", "exception handling"),
    QT_TRANSLATE_NOOP("EventLines", "termination and cleanup"),
    QT_TRANSLATE_NOOP("EventLines", "ended"),
    QT_TRANSLATE_NOOP("EventLines", "waiting for its nodes"),
    QT_TRANSLATE_NOOP("EventLines", "waiting for its files"),
    QT_TRANSLATE_NOOP("EventLines", "slow training"),
    QT_TRANSLATE_NOOP("EventLines", "node silent"),
    QT_TRANSLATE_NOOP("EventLines", "queue long"),
    QT_TRANSLATE_NOOP("EventLines", "disk short"),
    QT_TRANSLATE_NOOP("EventLines", "loss not finite"),
    QT_TRANSLATE_NOOP("EventLines", "gateway"),
    QT_TRANSLATE_NOOP("EventLines", "router"),
    QT_TRANSLATE_NOOP("EventLines", "pending"),
    QT_TRANSLATE_NOOP("EventLines", "active"),
    QT_TRANSLATE_NOOP("EventLines", "draining"),
    QT_TRANSLATE_NOOP("EventLines", "faulted"),
    QT_TRANSLATE_NOOP("EventLines", "held"),
    QT_TRANSLATE_NOOP("EventLines", "stale"),
    QT_TRANSLATE_NOOP("EventLines", "lapsed"),
    QT_TRANSLATE_NOOP("EventLines", "dropped"),
    QT_TRANSLATE_NOOP("EventLines", "retried"),
    QT_TRANSLATE_NOOP("EventLines", "somebody"),
};

QString event_word(const char* english) { return QCoreApplication::translate("EventLines", english); }

struct EventPattern {
    const char* english;
    QRegularExpression line;
    std::vector<bool> sentences;  ///< for each placeholder: whether it can stand for a sentence, and not only for a
                                  ///< name or figure
};

EventPattern event_pattern(const char* english) {
    const QString text = QString::fromUtf8(english);
    QString expression = QRegularExpression::escape(text);
    expression.replace(QRegularExpression(QStringLiteral("\\\\%\\d")), QStringLiteral("(.+?)"));
    EventPattern pattern{
        english, QRegularExpression(u'^' + expression + u'$', QRegularExpression::DotMatchesEverythingOption), {}};
    static const QRegularExpression sentence(QStringLiteral("(: |\\(|because )%\\d($|;|\\))"));
    for (qsizetype at = text.indexOf(u'%'); at >= 0; at = text.indexOf(u'%', at + 1)) {
        if (at + 1 == text.size() || !text[at + 1].isDigit()) continue;
        const QString around = text.mid(std::max<qsizetype>(at - 8, 0), std::min<qsizetype>(at, 8) + 3);
        pattern.sentences.push_back(sentence.match(around).hasMatch());
    }
    return pattern;
}

const std::vector<EventPattern>& patterns_of(std::string_view kind) {
    static const std::map<std::string_view, std::vector<EventPattern>> all = [] {
        std::map<std::string_view, std::vector<EventPattern>> made;
        for (const EventLine& line : event_lines) made[line.kind].push_back(event_pattern(line.english));
        return made;
    }();
    static const std::vector<EventPattern> none;
    const auto found = all.find(kind);
    return found == all.end() ? none : found->second;
}

/// Returns the text for a placeholder: a translated word or reason, or an unchanged name.
QString said_there(const QString& said, bool sentence) {
    const QByteArray bytes = said.toUtf8();
    if (const QString word = event_word(bytes.constData()); word != said) return word;
    return sentence && said.contains(u' ') && !said.front().isDigit() ? client::quoted(bytes.toStdString())
                                                                      : client::place_text(said);
}

QString line_of(const EventPattern& pattern, const QStringList& captured) {
    const QString text = event_word(pattern.english);
    QString whole;
    for (qsizetype at = 0; at < text.size(); ++at) {
        const int place = text[at] == u'%' && at + 1 < text.size() ? text[at + 1].digitValue() : -1;
        if (place < 1 || place >= captured.size()) {
            whole += text[at];
            continue;
        }
        whole += said_there(captured[place], pattern.sentences[static_cast<std::size_t>(place) - 1]);
        ++at;
    }
    return whole;
}

}  // namespace

QString event_line(std::string_view kind, const std::string& text) {
    const QString said = QString::fromStdString(text);
    for (const EventPattern& pattern : patterns_of(kind)) {
        // If the line has no translation, the program runs in English, the language of the log.
        if (event_word(pattern.english) == QString::fromUtf8(pattern.english)) return said;
        if (const auto match = pattern.line.match(said); match.hasMatch())
            return line_of(pattern, match.capturedTexts());
    }
    return said;
}

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
