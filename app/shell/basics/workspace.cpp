// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/basics/workspace.h"

namespace divisi::shell {

QString name(Workspace workspace) {
    switch (workspace) {
        case Workspace::split: return QStringLiteral("split");
        case Workspace::train: return QStringLiteral("train");
        case Workspace::mesh: return QStringLiteral("mesh");
        case Workspace::faults: return QStringLiteral("faults");
        case Workspace::models: return QStringLiteral("models");
    }
    return {};
}

std::optional<Workspace> parse_workspace(const QString& text) {
    for (const Workspace workspace : all_workspaces)
        if (text.compare(name(workspace), Qt::CaseInsensitive) == 0) return workspace;
    return std::nullopt;
}

std::string action_of(Workspace workspace) { return "workspace_" + name(workspace).toStdString(); }

}  // namespace divisi::shell
