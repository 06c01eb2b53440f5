// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/documents/version_tree.h"

#include <QStringList>
#include <map>

#include "app/model/documents/task_text.h"
#include "backend/control/state/version_lineage.h"
#include "backend/task/parse.h"

namespace divisi::model {

namespace {

using Children = std::map<std::uint64_t, std::vector<const control::ModelVersion*>>;

constexpr qsizetype shown_digits = 8;

/// Adds the descendants of a version. Parents are older than their children, so there are no cycles.
void add_below(std::vector<VersionRow>& rows, const Children& children, std::uint64_t parent,
               const std::vector<bool>& last) {
    const auto found = children.find(parent);
    if (found == children.end()) return;
    for (const control::ModelVersion* version : found->second) {
        std::vector<bool> mine = last;
        if (parent != 0) mine.push_back(version == found->second.back());
        rows.push_back({version, static_cast<int>(mine.size()), mine});
        add_below(rows, children, version->number, mine);
    }
}

}  // namespace

std::vector<VersionRow> version_tree(const control::ClusterState& state) {
    Children children;
    for (const auto& [number, version] : state.versions) {
        const bool known = version.parent < number && state.versions.contains(version.parent);
        children[known ? version.parent : 0].push_back(&version);
    }
    std::vector<VersionRow> rows;
    add_below(rows, children, 0, {});
    return rows;
}

QString version_branch(const VersionRow& row) {
    QString text;
    for (std::size_t i = 0; i < row.last.size(); ++i) {
        const bool own = i + 1 == row.last.size();
        if (own) text += row.last[i] ? QStringLiteral("\u2514\u2500 ") : QStringLiteral("\u251c\u2500 ");
        else text += row.last[i] ? QStringLiteral("   ") : QStringLiteral("\u2502  ");
    }
    return text + QString::number(row.version->number);
}

QString short_hash(const std::string& hash) { return QString::fromStdString(hash).left(shown_digits); }

QString lineage_text(const control::ClusterState& state, std::uint64_t number) {
    QStringList numbers;
    for (const control::ModelVersion* version : control::lineage_of(state, number))
        numbers.prepend(QString::number(version->number));
    return numbers.join(QStringLiteral(" \u2192 "));
}

const control::ModelVersion* version_of_checkpoint(const control::ClusterState& state, const KeepableCheckpoint& one) {
    for (const auto& [number, version] : state.versions)
        if (version.checkpoint && version.kept && version.task == one.task && version.step == one.step) return &version;
    return nullptr;
}

std::vector<KeepableCheckpoint> keepable_checkpoints(const control::ClusterState& state) {
    std::vector<KeepableCheckpoint> all;
    for (const auto& [id, task] : state.tasks) {
        if (task.over()) continue;
        for (auto one = task.checkpoints.rbegin(); one != task.checkpoints.rend(); ++one)
            if (!version_of_checkpoint(state, {id, one->step})) all.push_back({id, one->step});
    }
    return all;
}

Result<std::string> task_from_version(const control::ClusterState& state, std::uint64_t number) {
    const std::string name = "version " + std::to_string(number);
    const auto version = state.versions.find(number);
    if (version == state.versions.end())
        return Error{ErrorCode::not_found, "the cluster no longer knows this version", name, "choose another one"};
    if (!version->second.kept)
        return Error{ErrorCode::conflict, "its weights were deleted", name, "choose a version that is kept"};
    const auto task = state.tasks.find(version->second.task);
    if (task == state.tasks.end())
        return Error{
            ErrorCode::not_found, "the cluster no longer has its task's text", name,
            "choose another one, or run a task file with 'divisictl run --from " + std::to_string(number) + "'"};
    DIVISI_ASSIGN(task::TaskSpec spec, task::parse_task(task->second.text, task->first.value()));
    spec.model.from = std::to_string(number);
    return edited_task(task->second.text, spec);
}

}  // namespace divisi::model
