// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/policy/module_text.h"

#include <QCoreApplication>
#include <QStringList>

#include "app/model/wording/states.h"
#include "app/model/wording/text.h"
#include "backend/control/types/advice_history.h"

namespace divisi::panels {

namespace {

struct ModuleText {
    Q_DECLARE_TR_FUNCTIONS(divisi::panels::ModuleText)
};

QString text_of(const std::string& text) { return QString::fromStdString(text); }
QString dash() { return QStringLiteral("\u2013"); }
QString line_break() { return QStringLiteral("\n"); }
QString number(std::uint64_t count) { return model::count_text(static_cast<std::int64_t>(count)); }

QString text_of(control::ModuleInput input) {
    using control::ModuleInput;
    switch (input) {
        case ModuleInput::services: return ModuleText::tr("services");
        case ModuleInput::routes: return ModuleText::tr("paths");
        case ModuleInput::load: return ModuleText::tr("load of nodes and instances");
        case ModuleInput::quality: return ModuleText::tr("quality of links and flows");
        case ModuleInput::topology: return ModuleText::tr("topology");
        case ModuleInput::tasks: return ModuleText::tr("tasks");
    }
    return dash();
}

std::chrono::steady_clock::duration steady(Duration time) {
    return std::chrono::duration_cast<std::chrono::steady_clock::duration>(time);
}

QString step_text(const control::AdviceEffect& effect) {
    const double change = effect.before_ms > 0 ? effect.after_ms / effect.before_ms - 1 : 0;
    return ModuleText::tr("%1: %2 \u2192 %3 a step (%4)")
        .arg(text_of(effect.task.value()), model::ms_text(effect.before_ms), model::ms_text(effect.after_ms),
             model::change_text(change, 0));
}

QString refusals_text(const control::ModuleView& module) {
    QStringList lines;
    for (const control::RefusalReason& one : module.refusals)
        lines.append(QStringLiteral("%1 \u00d7 %2").arg(number(one.count), text_of(one.why)));
    return lines.join(line_break());
}

QString asked_text(const control::ModuleInfo& info) {
    const QString period = ModuleText::tr("every %1").arg(model::ms_text(static_cast<double>(info.period_ms)));
    return info.sync ? ModuleText::tr(
                           "%1, and before each placement, which waits up to 10 ms for the answer "
                           "(synchronous)")
                           .arg(period)
                     : ModuleText::tr("%1 (asynchronous)").arg(period);
}

}  // namespace

TimePoint SeenModules::time() const {
    return state.time + std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - came);
}

QString kind_text(control::AdviceKind kind) {
    using control::AdviceKind;
    switch (kind) {
        case AdviceKind::path_priority: return ModuleText::tr("share of the first path");
        case AdviceKind::node_avoidance: return ModuleText::tr("avoid a node");
        case AdviceKind::traffic: return ModuleText::tr("window of a flow");
        case AdviceKind::drain: return ModuleText::tr("drain a node");
    }
    return dash();
}

QString target_text(const control::Advice& advice) {
    if (advice.from.empty()) return ModuleText::tr("all flows");
    if (advice.to.empty()) return text_of(advice.from);
    return text_of(advice.from) + QStringLiteral(" \u2192 ") + text_of(advice.to);
}

QString value_text(const control::Advice& advice) {
    using control::AdviceKind;
    if (advice.kind == AdviceKind::path_priority) return QString::number(advice.value) + QStringLiteral(" %");
    if (advice.kind == AdviceKind::traffic) return model::bytes_text(advice.value);
    return dash();
}

QString short_text(const control::Advice& advice) {
    QStringList parts{kind_text(advice.kind), target_text(advice)};
    if (value_text(advice) != dash()) parts.append(value_text(advice));
    return parts.join(u' ');
}

QString until_text(const control::AdviceView& advice, TimePoint now) {
    if (advice.until == TimePoint{}) return dash();
    if (!control::holds(advice.echo)) return model::clock_text(advice.until);
    return ModuleText::tr("for %1 more").arg(model::duration_text(std::max(to_ms(advice.until - now), 0.0)));
}

QString effect_text(const control::AdviceEcho& echo) {
    QStringList lines;
    for (const control::AdviceEffect& one : echo.effects) lines.append(step_text(one));
    if (!lines.isEmpty()) return lines.join(QStringLiteral("; "));
    if (!echo.why.empty()) return text_of(echo.why);
    return echo.change.empty() ? dash() : text_of(echo.change);
}

QString ago_text(TimePoint then, TimePoint now) {
    return then == TimePoint{} ? dash() : model::age_text(steady(std::max(now - then, Duration{})));
}

QString answer_text(const control::ModuleView& module) {
    return module.answer_ms > 0 ? model::ms_text(module.answer_ms) : dash();
}

Fields fields_of(const control::ModuleView& module, TimePoint now, const model::Colours& colours) {
    const control::ModuleInfo& info = module.info;
    QStringList inputs, kinds, without;
    for (const control::ModuleInput one : info.inputs) inputs.append(text_of(one));
    for (const control::AdviceKind one : info.advice) kinds.append(kind_text(one));
    for (const std::string& one : module.without) without.append(text_of(one));
    Fields rows{{ModuleText::tr("State"), model::look_of(module.state, colours).text()}};
    if (!module.detail.empty()) rows.emplace_back(ModuleText::tr("Why"), text_of(module.detail));
    rows.emplace_back(ModuleText::tr("Version"), text_of(info.version));
    rows.emplace_back(ModuleText::tr("Process"), QString::number(info.pid));
    rows.emplace_back(ModuleText::tr("Asked"), asked_text(info));
    rows.emplace_back(ModuleText::tr("Response time"), answer_text(module));
    if (info.sync)
        rows.emplace_back(ModuleText::tr("Missed"),
                          ModuleText::tr("%Ln placements", nullptr, static_cast<int>(module.missed)));
    rows.emplace_back(ModuleText::tr("Last heard"), ago_text(module.heard, now));
    rows.emplace_back(ModuleText::tr("Observes"), inputs.join(QStringLiteral(", ")));
    rows.emplace_back(ModuleText::tr("Advises"), kinds.join(QStringLiteral(", ")));
    rows.emplace_back(ModuleText::tr("Switched off for"),
                      without.isEmpty() ? dash() : without.join(QStringLiteral(", ")));
    rows.emplace_back(ModuleText::tr("Advice"), ModuleText::tr("%1 given, %2 taken, %3 refused, %4 expired")
                                                    .arg(number(module.given), number(module.taken),
                                                         number(module.refused), number(module.expired)));
    if (!module.refusals.empty()) rows.emplace_back(ModuleText::tr("Refused"), refusals_text(module));
    if (module.newest.empty()) return rows;
    const control::AdviceView& newest = module.newest.front();
    rows.emplace_back(ModuleText::tr("Newest"),
                      QStringLiteral("%1 \u00b7 %2")
                          .arg(short_text(newest.echo.advice), model::look_of(newest.echo.outcome, colours).text()));
    rows.emplace_back(ModuleText::tr("Because"), text_of(newest.echo.advice.reason));
    return rows;
}

Fields fields_of(const control::ModuleView& module, const control::AdviceView& advice, TimePoint now,
                 const model::Colours& colours) {
    const control::AdviceEcho& echo = advice.echo;
    Fields rows{{ModuleText::tr("Module"), text_of(module.info.name + " " + module.info.version)},
                {ModuleText::tr("Advice"), kind_text(echo.advice.kind)},
                {ModuleText::tr("Target"), target_text(echo.advice)},
                {ModuleText::tr("Value"), value_text(echo.advice)},
                {ModuleText::tr("State"), model::look_of(echo.outcome, colours).text()},
                {ModuleText::tr("Valid"), until_text(advice, now)},
                {ModuleText::tr("Confidence"), model::percent(echo.advice.confidence)},
                {ModuleText::tr("Because"), text_of(echo.advice.reason)}};
    if (!echo.change.empty()) rows.emplace_back(ModuleText::tr("Changed"), text_of(echo.change));
    if (!echo.why.empty()) rows.emplace_back(ModuleText::tr("Why"), text_of(echo.why));
    QStringList effects;
    for (const control::AdviceEffect& one : echo.effects) effects.append(step_text(one));
    if (!effects.isEmpty()) rows.emplace_back(ModuleText::tr("Effect"), effects.join(line_break()));
    rows.emplace_back(
        ModuleText::tr("Given"),
        advice.again > 0
            ? ModuleText::tr("%1 (%2), given %3 times")
                  .arg(model::clock_text(advice.given), ago_text(advice.given, now), number(advice.again + 1))
            : ModuleText::tr("%1 (%2)").arg(model::clock_text(advice.given), ago_text(advice.given, now)));
    return rows;
}

}  // namespace divisi::panels
