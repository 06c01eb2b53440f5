// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/presenting/scenario.h"

#include <QFile>
#include <QLocale>
#include <algorithm>

namespace divisi::shell {

namespace {

struct Assignment {
    QString key, language, value;
};

/// Parses a line such as "note[zh_CN] = text". The key is empty if the line is not an assignment.
Assignment taken_apart(const QString& line) {
    const qsizetype equals = line.indexOf(u'=');
    if (equals < 0) return {};
    Assignment one{line.left(equals).trimmed(), {}, line.mid(equals + 1).trimmed()};
    const qsizetype open = one.key.indexOf(u'[');
    if (open > 0 && one.key.endsWith(u']')) {
        one.language = one.key.mid(open + 1, one.key.size() - open - 2);
        one.key.truncate(open);
    }
    return one;
}

/// Returns the field of this key; null if a step has no such key.
QString* field_of(GuideStep& step, const QString& key) {
    if (key == QStringLiteral("title")) return &step.title;
    if (key == QStringLiteral("note")) return &step.note;
    if (key == QStringLiteral("action")) return &step.action;
    if (key == QStringLiteral("until")) return &step.until;
    return nullptr;
}

/// The notes of one step, by language, while being read.
struct NotesRead {
    QStringList base, own;  ///< texts without a language, and texts in the reader's language

    void take(GuideStep& step) {
        step.notes = (own.isEmpty() ? base : own).join(u'\n');
        *this = {};
    }
};

}  // namespace

GuideFacts facts_of(const client::Client* client, bool model, const std::vector<std::int32_t>& cuts,
                    std::size_t links_cut) {
    GuideFacts facts;
    facts.model = model;
    facts.cuts = cuts;
    facts.links_cut = links_cut;
    if (!client) return facts;
    facts.connected = client->status().reaches();
    for (const auto& [id, task] : client->data().state.tasks) {
        if (task.over()) ++facts.ended;
        else facts.step = std::max(facts.step, task.step);
        facts.running = facts.running || (!task.over() && task.step > 0);
        if (!task.origins.empty()) facts.recuts += task.plan_since;
    }
    return facts;
}

bool needs_cluster(const GuideStep& step) {
    static const QStringList conditions{QStringLiteral("running"),  QStringLiteral("ten_steps"),
                                        QStringLiteral("ended"),    QStringLiteral("recut"),
                                        QStringLiteral("link_cut"), QStringLiteral("links_whole")};
    static const QStringList actions{QStringLiteral("run"), QStringLiteral("stop"), QStringLiteral("cut_link"),
                                     QStringLiteral("heal_all")};
    return conditions.contains(step.until) || actions.contains(step.action);
}

const QStringList& guide_conditions() {
    static const QStringList all{QStringLiteral("model"),    QStringLiteral("cut"),       QStringLiteral("cut_moved"),
                                 QStringLiteral("running"),  QStringLiteral("ten_steps"), QStringLiteral("ended"),
                                 QStringLiteral("recut"),    QStringLiteral("link_cut"),  QStringLiteral("links_whole"),
                                 QStringLiteral("connected")};
    return all;
}

bool is_met(const QString& until, const GuideFacts& before, const GuideFacts& now) {
    if (until == QStringLiteral("model")) return now.model;
    if (until == QStringLiteral("connected")) return now.connected;
    if (until == QStringLiteral("cut")) return !now.cuts.empty();
    if (until == QStringLiteral("cut_moved")) return !now.cuts.empty() && now.cuts != before.cuts;
    if (until == QStringLiteral("running")) return now.running;
    if (until == QStringLiteral("ten_steps")) return now.running && now.step >= before.step + 10;
    if (until == QStringLiteral("ended")) return now.ended > before.ended;
    if (until == QStringLiteral("recut")) return now.recuts > before.recuts;
    if (until == QStringLiteral("link_cut")) return now.links_cut > 0;
    if (until == QStringLiteral("links_whole")) return now.links_cut == 0;
    return false;  // a step without condition is never done by itself; the user continues with Next
}

Result<Scenario> parse_scenario(const QString& text, const QString& language) {
    Scenario scenario;
    NotesRead notes;
    int number = 0;
    const auto wrong = [&](const char* what) {
        return Error{ErrorCode::invalid_input, what, "line " + std::to_string(number), "see the scenarios beside it"};
    };
    for (const QString& raw : text.split(u'\n')) {
        ++number;
        const QString line = raw.trimmed();
        if (line.isEmpty() || line.startsWith(u'#')) continue;
        if (line == QStringLiteral("[step]")) {
            if (!scenario.steps.empty()) notes.take(scenario.steps.back());
            scenario.steps.emplace_back();
            continue;
        }
        const Assignment one = taken_apart(line);
        const bool own = !one.language.isEmpty() && one.language == language;
        if (!scenario.steps.empty() && one.key == QStringLiteral("notes")) {
            if (own) notes.own << one.value;
            else if (one.language.isEmpty()) notes.base << one.value;
            continue;
        }
        QString* field = scenario.steps.empty() ? nullptr : field_of(scenario.steps.back(), one.key);
        if (scenario.steps.empty() && one.key == QStringLiteral("title")) field = &scenario.title;
        if (!field) return wrong("this is not a key of a scenario");
        if (one.key == QStringLiteral("until") && !guide_conditions().contains(one.value))
            return wrong("a step cannot wait for that");
        if (own || (one.language.isEmpty() && field->isEmpty())) *field = one.value;
    }
    if (!scenario.steps.empty()) notes.take(scenario.steps.back());
    if (scenario.title.isEmpty() || scenario.steps.empty()) return wrong("the scenario has no title or no steps");
    return scenario;
}

QStringList scenario_names() {
    return {QStringLiteral("cut-and-train"), QStringLiteral("break-a-link"), QStringLiteral("move-a-cut")};
}

Result<Scenario> load_scenario(const QString& name) {
    QFile file(QStringLiteral(":/scenarios/%1.txt").arg(name));
    if (!file.open(QIODevice::ReadOnly))
        return Error{ErrorCode::not_found, "there is no such scenario", name.toStdString(), ""};
    return parse_scenario(QString::fromUtf8(file.readAll()), QLocale().name());
}

QString scenario_title(const QString& name) {
    const Result<Scenario> scenario = load_scenario(name);
    return scenario.ok() ? scenario->title : name;
}

}  // namespace divisi::shell
