// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <vector>

#include "app/client/client.h"
#include "backend/base/result.h"

namespace divisi::shell {

/// The facts from which the console decides whether a step of a scenario is done.
struct GuideFacts {
    bool model = false;      ///< whether a model is open
    bool connected = false;  ///< whether the console is connected to a cluster that accepts requests
    std::vector<std::int32_t> cuts;
    std::int64_t step = 0;     ///< the highest step of the running tasks
    bool running = false;      ///< whether a task has done its first step and has not ended
    std::size_t ended = 0;     ///< number of ended tasks
    std::uint64_t recuts = 0;  ///< number that increases with every re-cut
    std::size_t links_cut = 0;
};

/// Returns the facts from the client's data. `cuts` are the cuts of the document. `links_cut` is determined from the
/// mesh, which is requested separately.
GuideFacts facts_of(const client::Client* client, bool model, const std::vector<std::int32_t>& cuts,
                    std::size_t links_cut);

/// A step of a guided scenario.
struct GuideStep {
    QString title, note;
    QString action;  ///< id of the step's action; empty: none
    QString until;   ///< condition under which the step is done: one of guide_conditions(); empty: none
    QString notes;   ///< notes for the speaker only, one point per line; empty: none
};
struct Scenario {
    QString title;
    std::vector<GuideStep> steps;
};

/// Returns whether the step needs a cluster that accepts requests.
bool needs_cluster(const GuideStep& step);
/// Returns the conditions that a step can wait for: "model", "cut", ...
const QStringList& guide_conditions();
/// Returns whether the condition of a step that began with `before` is met.
bool is_met(const QString& until, const GuideFacts& before, const GuideFacts& now);

/// Parses a scenario: lines "key = value", where "key[zh_CN]" is the value in another language. The title comes before
/// the first "[step]"; the steps follow. Each "notes" line of a step adds a line; all other keys have one value.
/// Returns `invalid_input` with the line for an unknown key or condition.
Result<Scenario> parse_scenario(const QString& text, const QString& language);
/// Returns the names of the built-in scenarios in the order in which they are offered.
QStringList scenario_names();
/// Loads a scenario in the console's current language.
Result<Scenario> load_scenario(const QString& name);
QString scenario_title(const QString& name);

}  // namespace divisi::shell
