// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <vector>

#include "app/client/client.h"
#include "backend/base/result.h"

namespace divisi::shell {

/// What the console knows that ends a step of a scenario.
struct GuideFacts {
    bool model = false;      ///< one is open
    bool connected = false;  ///< to a cluster that can be asked
    std::vector<std::int32_t> cuts;
    std::int64_t step = 0;     ///< the furthest of the tasks that run
    bool running = false;      ///< a task is beyond its first step and not over
    std::size_t ended = 0;     ///< tasks that are over
    std::uint64_t recuts = 0;  ///< rises with every re-cut
    std::size_t links_cut = 0;
};

/// `cuts` of the document; `links_cut` comes from the mesh, which is asked for apart.
GuideFacts facts_of(const client::Client* client, bool model, const std::vector<std::int32_t>& cuts,
                    std::size_t links_cut);

/// A step of a guided scenario.
struct GuideStep {
    QString title, note;
    QString action;  ///< id of the action that it is about; empty: none
    QString until;   ///< one of guide_conditions()
    QString notes;   ///< for the speaker alone, one point a line; empty: none
};
struct Scenario {
    QString title;
    std::vector<GuideStep> steps;
};

/// Whether only a cluster that does what it is asked can bring the step about.
bool needs_cluster(const GuideStep& step);
/// "model", "cut", ...: what a step can wait for.
const QStringList& guide_conditions();
/// Whether a step that began with `before` has ended.
bool is_met(const QString& until, const GuideFacts& before, const GuideFacts& now);

/// The text of a scenario: "key = value" lines, of which "key[zh_CN]" is the same in another language, before the first
/// "[step]" its title, then its steps. Each "notes" of a step adds a line; all other keys hold one. `invalid_input`
/// with the line for an unknown key or condition.
Result<Scenario> parse_scenario(const QString& text, const QString& language);
/// Those that are shipped, in the order in which they are offered.
QStringList scenario_names();
/// The language is that of the console now.
Result<Scenario> load_scenario(const QString& name);
QString scenario_title(const QString& name);

}  // namespace divisi::shell
