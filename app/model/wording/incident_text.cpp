// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/wording/incident_text.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

#include "app/client/refusal_text.h"
#include "app/model/wording/text.h"

namespace divisi::model {

namespace {

struct Incidents {
    Q_DECLARE_TR_FUNCTIONS(divisi::model::Incidents)
};

using control::Incident;
using control::IncidentAnswer;
using Kind = IncidentPhase::Kind;

QString dash() { return QStringLiteral("\u2013"); }

double seconds(Duration time) { return to_ms(time) / 1e3; }

}  // namespace

std::vector<IncidentPhase> phases_of(const Incident& incident, TimePoint now) {
    const std::pair<Kind, TimePoint> ends[] = {{Kind::noticing, incident.detected},
                                               {Kind::deciding, incident.decided},
                                               {Kind::restoring, incident.restored},
                                               {Kind::starting, incident.resumed},
                                               {Kind::replaying, incident.caught_up}};
    if (incident.answer == IncidentAnswer::passed && incident.resumed > incident.fault_time)
        return {{Kind::waiting, 0, seconds(incident.resumed - incident.fault_time), false}};
    std::vector<IncidentPhase> phases;
    TimePoint last = incident.fault_time;
    Kind next = Kind::noticing;
    for (const auto& [kind, end] : ends) {
        if (end == TimePoint{}) continue;
        next = static_cast<Kind>(kind + 1);
        if (end <= last) continue;  // leave out a phase that took no time
        phases.push_back({kind, seconds(last - incident.fault_time), seconds(end - incident.fault_time), false});
        last = end;
    }
    if (incident.open && next <= Kind::replaying)
        phases.push_back(
            {next, seconds(last - incident.fault_time), seconds(std::max(now, last) - incident.fault_time), true});
    return phases;
}

QString phase_name(Kind kind) {
    switch (kind) {
        case Kind::noticing: return Incidents::tr("detecting");
        case Kind::deciding: return Incidents::tr("deciding");
        case Kind::restoring: return Incidents::tr("restoring");
        case Kind::starting: return Incidents::tr("starting");
        case Kind::replaying: return Incidents::tr("repeating steps");
        case Kind::waiting: break;
    }
    return Incidents::tr("waiting");
}

QString phase_text(const IncidentPhase& phase) {
    const QString text = phase_name(phase.kind) + u' ' + ms_text((phase.end_s - phase.begin_s) * 1e3);
    return phase.lasts ? text + QStringLiteral("\u2026") : text;
}

QString phases_text(const std::vector<IncidentPhase>& phases) {
    QStringList texts;
    for (const IncidentPhase& phase : phases) texts << phase_text(phase);
    return texts.join(QStringLiteral(", "));
}

StateLook look_of(const Incident& incident, const Colours& colours) {
    const QString good = QStringLiteral("\u2713"), bad = QStringLiteral("\u2715");
    switch (incident.answer) {
        case IncidentAnswer::none: break;
        case IncidentAnswer::passed: return {good, Incidents::tr("passed"), colours.good};
        case IncidentAnswer::recovers:
            if (incident.open) return {QStringLiteral("\u25d4"), Incidents::tr("recovers"), colours.accent};
            if (incident.outcome.empty()) return {good, Incidents::tr("recovered"), colours.good};
            return {QStringLiteral("\u26a0"), Incidents::tr("interrupted"), colours.warning};
        case IncidentAnswer::spared: return {good, Incidents::tr("continues without it"), colours.good};
        case IncidentAnswer::replaced:
            if (incident.open) return {QStringLiteral("\u25d4"), Incidents::tr("is replaced"), colours.accent};
            return {good, Incidents::tr("replaced"), colours.good};
        case IncidentAnswer::failed: return {bad, Incidents::tr("failed"), colours.bad};
        case IncidentAnswer::stopped: return {QStringLiteral("\u25a0"), Incidents::tr("stopped"), colours.faint};
    }
    return {QStringLiteral("\u26a0"), Incidents::tr("undecided"), colours.warning};
}

QString whose_fault(const Incident& incident) {
    const std::string& name = incident.culprit.value().empty() ? incident.node.value() : incident.culprit.value();
    return name.empty() ? dash() : QString::fromStdString(name);
}

QString replayed_text(const Incident& incident) {
    const auto steps = incident.replayed();
    return steps ? count_text(*steps) : dash();
}

QString answer_text(const Incident& incident) {
    QString text;
    if (incident.generation > 0)
        text = Incidents::tr("restart after step %1 as generation %2").arg(incident.from_step).arg(incident.generation);
    const QString why = client::quoted(incident.outcome).simplified();
    if (text.isEmpty() || why.isEmpty()) return text + why;
    return text + QStringLiteral(": ") + why;
}

}  // namespace divisi::model
