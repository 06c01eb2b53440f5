// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/wording/states.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>

namespace divisi::model {

namespace {

struct States {
    Q_DECLARE_TR_FUNCTIONS(divisi::model::States)
};

const QString waiting = QStringLiteral("\u25cb"), starting = QStringLiteral("\u25d4"), going = QStringLiteral("\u25b6");
const QString good = QStringLiteral("\u2713"), stopped = QStringLiteral("\u25a0"), bad = QStringLiteral("\u2715");

QDateTime local_time(TimePoint time) {
    return QDateTime::fromMSecsSinceEpoch(
        std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count());
}

}  // namespace

StateLook look_of(const control::TaskView& task, const Colours& colours) {
    using control::Outcome;
    using control::TaskPhase;
    switch (task.phase) {
        case TaskPhase::queued: return {waiting, task.held ? States::tr("held") : States::tr("queued"), colours.faint};
        case TaskPhase::registration: return {starting, States::tr("registration and paths"), colours.accent};
        case TaskPhase::exchange:
        case TaskPhase::telemetry:
        case TaskPhase::policy: return {going, States::tr("training"), colours.accent};
        case TaskPhase::exception: return {QStringLiteral("\u26a0"), States::tr("exception"), colours.warning};
        case TaskPhase::termination: return {starting, States::tr("cleaning up"), colours.accent};
        case TaskPhase::ended: break;
    }
    if (task.outcome == Outcome::succeeded) return {good, States::tr("succeeded"), colours.good};
    if (task.outcome == Outcome::stopped) return {stopped, States::tr("stopped"), colours.faint};
    return {bad, States::tr("failed"), colours.bad};
}

QString cycle_text(const control::TaskView& task) {
    if (task.passages == 0 && !task.adapting) return {};
    const QString at = task.adapting ? States::tr("policy") : States::tr("telemetry");
    return at + QStringLiteral(" \u00b7 ") + QString::number(task.passages);
}

StateLook look_of(control::InstanceState state, const Colours& colours) {
    using control::InstanceState;
    switch (state) {
        case InstanceState::placed: return {waiting, States::tr("placed"), colours.faint};
        case InstanceState::starting: return {starting, States::tr("starting"), colours.accent};
        case InstanceState::registered: return {starting, States::tr("registered"), colours.accent};
        case InstanceState::prepared: return {starting, States::tr("prepared"), colours.accent};
        case InstanceState::running: return {going, States::tr("running"), colours.accent};
        case InstanceState::finished: return {good, States::tr("finished"), colours.good};
        case InstanceState::stopped: return {stopped, States::tr("stopped"), colours.faint};
        case InstanceState::standby: return {waiting, States::tr("standby"), colours.faint};
        case InstanceState::failed: break;
    }
    return {bad, States::tr("failed"), colours.bad};
}

StateLook look_of(control::NodeState state, const Colours& colours) {
    switch (state) {
        case control::NodeState::ready: return {good, States::tr("ready"), colours.good};
        case control::NodeState::left: return {stopped, States::tr("left"), colours.faint};
        case control::NodeState::away: return {waiting, States::tr("away"), colours.faint};
        case control::NodeState::lost: break;
    }
    return {bad, States::tr("lost"), colours.bad};
}

StateLook look_of(control::LeaseState state, const Colours& colours) {
    using control::LeaseState;
    switch (state) {
        case LeaseState::granted: return {waiting, States::tr("granted"), colours.accent};
        case LeaseState::active: return {going, States::tr("active"), colours.accent};
        case LeaseState::finishing: return {starting, States::tr("finishing"), colours.accent};
        case LeaseState::reclaimed: break;
    }
    return {good, States::tr("reclaimed"), colours.good};
}

StateLook look_of(mesh::Health health, bool stale, const Colours& colours) {
    using mesh::Health;
    if (stale) return {QStringLiteral("\u26a0"), States::tr("stale"), colours.warning};
    switch (health) {
        case Health::pending: return {starting, States::tr("pending"), colours.accent};
        case Health::active: return {good, States::tr("active"), colours.good};
        case Health::draining: return {stopped, States::tr("draining"), colours.warning};
        case Health::faulted: break;
    }
    return {bad, States::tr("faulted"), colours.bad};
}

StateLook look_of(mesh::LeaseStanding standing, const Colours& colours) {
    switch (standing) {
        case mesh::LeaseStanding::held: return {good, States::tr("held", "a lease"), colours.good};
        case mesh::LeaseStanding::stale: return {QStringLiteral("\u26a0"), States::tr("stale"), colours.warning};
        case mesh::LeaseStanding::lapsed: break;
    }
    return gone_look(colours);
}

StateLook device_look(bool up, const Colours& colours) {
    if (up) return {good, States::tr("up"), colours.good};
    return {bad, States::tr("away"), colours.bad};
}

StateLook look_of(control::ModuleState state, const Colours& colours) {
    using control::ModuleState;
    switch (state) {
        case ModuleState::advises: return {going, States::tr("advises"), colours.good};
        case ModuleState::stands_by: return {waiting, States::tr("stands by"), colours.accent};
        case ModuleState::off: return {stopped, States::tr("off"), colours.faint};
        case ModuleState::gone: return {bad, States::tr("gone"), colours.faint};
        case ModuleState::cut_off: break;
    }
    return {QStringLiteral("\u26a0"), States::tr("cut off"), colours.bad};
}

StateLook look_of(control::AdviceOutcome outcome, const Colours& colours) {
    using control::AdviceOutcome;
    switch (outcome) {
        case AdviceOutcome::taken: return {going, States::tr("in force"), colours.accent};
        case AdviceOutcome::held: return {good, States::tr("in force, measured"), colours.good};
        case AdviceOutcome::expired: return {stopped, States::tr("over"), colours.faint};
        case AdviceOutcome::refused: break;
    }
    return {bad, States::tr("refused"), colours.warning};
}

StateLook silent_look(const Colours& colours) {
    return {QStringLiteral("\u26a0"), States::tr("silent"), colours.warning};
}

StateLook gone_look(const Colours& colours) { return {stopped, States::tr("left"), colours.faint}; }

QString age_text(std::chrono::steady_clock::duration age) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(age).count();
    if (seconds < 1) return States::tr("now");
    if (seconds < 60) return States::tr("%1 s ago").arg(seconds);
    if (seconds < 3600) return States::tr("%1 min ago").arg(seconds / 60);
    return States::tr("%1 h ago").arg(seconds / 3600);
}

QString duration_text(double milliseconds) {
    const auto seconds = static_cast<qint64>(milliseconds / 1000);
    if (seconds < 60) return States::tr("%1 s").arg(seconds);
    if (seconds < 3600) return States::tr("%1 min %2 s").arg(seconds / 60).arg(seconds % 60);
    return States::tr("%1 h %2 min").arg(seconds / 3600).arg(seconds / 60 % 60);
}

QString clock_text(TimePoint time) { return local_time(time).toString(QStringLiteral("HH:mm:ss")); }

QString date_text(TimePoint time) {
    const QDateTime local = local_time(time);
    if (local.date() == QDate::currentDate()) return clock_text(time);
    return local.toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
}

}  // namespace divisi::model
