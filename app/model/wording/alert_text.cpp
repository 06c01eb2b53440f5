// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/wording/alert_text.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "app/client/refusal_text.h"
#include "app/model/wording/text.h"

namespace divisi::model {

namespace {

struct AlertWords {
    Q_DECLARE_TR_FUNCTIONS(divisi::model::Alerts)
};

}  // namespace

QString rule_text(control::AlertRule rule) {
    switch (rule) {
        case control::AlertRule::slow_training: return AlertWords::tr("slow training");
        case control::AlertRule::node_silent: return AlertWords::tr("node silent");
        case control::AlertRule::queue_long: return AlertWords::tr("queue long");
        case control::AlertRule::disk_short: return AlertWords::tr("disk short");
        case control::AlertRule::loss_not_finite: return AlertWords::tr("loss not finite");
    }
    return QString::fromLatin1(control::to_string(rule));
}

QString alert_value_text(control::AlertRule rule, double value) {
    switch (rule) {
        case control::AlertRule::slow_training: return ms_text(value);
        case control::AlertRule::node_silent: return ms_text(value * 1000);
        case control::AlertRule::queue_long:
            return std::llround(value) == 1 ? AlertWords::tr("1 task")
                                            : AlertWords::tr("%1 tasks").arg(count_text(std::llround(value)));
        case control::AlertRule::disk_short: return bytes_text(static_cast<Bytes>(std::max(value, 0.0)));
        case control::AlertRule::loss_not_finite: break;  // the value is not a number, so there is no figure
    }
    return QStringLiteral("\u2013");
}

StateLook look_of(const control::Alert& alert, const Colours& colours) {
    if (alert.stands()) return {QStringLiteral("\u26a0"), AlertWords::tr("open"), colours.warning};
    return {QStringLiteral("\u2713"), AlertWords::tr("cleared"), colours.faint};
}

QString alert_next_text(const control::Alert& alert, const control::ClusterState& state) {
    if (!alert.stands()) return AlertWords::tr("nothing: %1").arg(client::quoted(alert.why));
    const QString next = client::quoted(alert.next);
    const control::ExceptionEntry* entry = control::exception_of(state, alert.task);
    if (!entry) return next;
    const QString stands = AlertWords::tr("its task failed: see exception %1").arg(entry->number);
    return next.isEmpty() ? stands : next + QStringLiteral("; ") + stands;
}

std::size_t open_alerts(const control::ClusterState& state) {
    return static_cast<std::size_t>(
        std::ranges::count_if(state.alerts, [](const auto& entry) { return entry.second.stands(); }));
}

}  // namespace divisi::model
