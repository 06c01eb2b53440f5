// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <array>
#include <optional>
#include <string>

namespace divisi::shell {

/// What a person is about: each has a centre and docks of its own.
enum class Workspace { split, train, mesh, faults, models };

inline constexpr std::array<Workspace, 5> all_workspaces{Workspace::split, Workspace::train, Workspace::mesh,
                                                         Workspace::faults, Workspace::models};

/// As it is called on the command line and in the settings: "split".
QString name(Workspace workspace);
/// By that name, in any case of letters; none where there is none of it.
std::optional<Workspace> parse_workspace(const QString& name);
/// The id of the action that goes there: "workspace_split".
std::string action_of(Workspace workspace);

}  // namespace divisi::shell
