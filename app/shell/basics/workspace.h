// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <array>
#include <optional>
#include <string>

namespace divisi::shell {

/// An area of work, such as splitting a model or training, with its own docks and at most one centre view.
enum class Workspace { split, train, mesh, faults, models };

inline constexpr std::array<Workspace, 5> all_workspaces{Workspace::split, Workspace::train, Workspace::mesh,
                                                         Workspace::faults, Workspace::models};

/// Returns the workspace's name on the command line and in the settings, such as "split".
QString name(Workspace workspace);
/// Parses the name of a workspace, ignoring case; empty if the name is unknown.
std::optional<Workspace> parse_workspace(const QString& name);
/// Returns the id of the action that goes to the workspace, such as "workspace_split".
std::string action_of(Workspace workspace);

}  // namespace divisi::shell
