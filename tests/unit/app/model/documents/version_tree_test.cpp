// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/documents/version_tree.h"

#include "backend/task/parse.h"
#include "tests/support/test_program.h"

namespace version_tree_test {

using namespace divisi;

namespace {

constexpr const char* text =
    "# kept\n[task]\nname = \"a\"\n\n[model]\nzoo = \"mlp\"\n\n[data]\nkind = \"synthetic\"\n"
    "samples = 64\n\n[train]\nsteps = 7\nbatch = 8\n";

void add(control::ClusterState& state, std::uint64_t number, std::uint64_t parent) {
    control::ModelVersion one;
    one.number = number;
    one.parent = parent;
    one.task = TaskId("a-" + std::to_string(number));
    state.versions[number] = one;
    state.tasks[one.task].id = one.task;
    state.tasks[one.task].text = text;
}

QStringList branches(const control::ClusterState& state) {
    QStringList lines;
    for (const model::VersionRow& row : model::version_tree(state)) lines << model::version_branch(row);
    return lines;
}

}  // namespace

class VersionTreeTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void children_follow_their_parents() {
        control::ClusterState state;
        add(state, 1, 0);
        add(state, 2, 0);
        add(state, 3, 1);
        add(state, 4, 3);
        add(state, 6, 1);
        QCOMPARE(branches(state), (QStringList{QStringLiteral("1"), QStringLiteral("\u251c\u2500 3"),
                                               QStringLiteral("\u2502  \u2514\u2500 4"),
                                               QStringLiteral("\u2514\u2500 6"), QStringLiteral("2")}));
        QCOMPARE(model::lineage_text(state, 4), QStringLiteral("1 \u2192 3 \u2192 4"));
    }

    void child_of_a_forgotten_version_is_a_root() {
        control::ClusterState state;
        add(state, 5, 4);
        add(state, 7, 9);  // no version is older than its parent; such a log must not cause a cycle
        add(state, 9, 7);
        QCOMPARE(branches(state),
                 (QStringList{QStringLiteral("5"), QStringLiteral("7"), QStringLiteral("\u2514\u2500 9")}));
    }

    void task_begins_with_a_version() {
        control::ClusterState state;
        add(state, 3, 0);
        const auto made = model::task_from_version(state, 3);
        QVERIFY2(made.ok(), made.ok() ? "" : made.error().message().c_str());
        QVERIFY(QString::fromStdString(*made).startsWith(QStringLiteral("# kept")));
        const auto spec = task::parse_task(*made, "made");
        QVERIFY(spec.ok());
        QCOMPARE(spec->model.from, std::string("3"));
        QCOMPARE(spec->model.zoo, std::string("mlp"));
        QCOMPARE(spec->train.steps, std::int64_t{7});
    }

    void checkpoints_of_running_tasks_can_be_kept_once() {
        using model::KeepableCheckpoint;
        control::ClusterState state;
        const TaskId runs("gpt-1"), over("gpt-2");
        for (const TaskId& id : {runs, over}) {
            state.tasks[id].id = id;
            state.tasks[id].phase = id == over ? control::TaskPhase::ended : control::TaskPhase::exchange;
            for (const std::int64_t step : {10, 20}) {
                control::Checkpoint one;
                one.step = step;
                state.tasks[id].checkpoints.push_back(one);
            }
        }
        QVERIFY(model::keepable_checkpoints(state) == (std::vector<KeepableCheckpoint>{{runs, 20}, {runs, 10}}));
        control::ModelVersion version;
        version.number = 4;
        version.task = runs;
        version.step = 20;
        state.versions[4] = version;  // made at the end of a training
        QCOMPARE(model::keepable_checkpoints(state).size(), std::size_t{2});
        state.versions[4].checkpoint = true;
        QVERIFY(model::keepable_checkpoints(state) == (std::vector<KeepableCheckpoint>{{runs, 10}}));
        state.versions[4].kept = false;  // dropped again
        QCOMPARE(model::keepable_checkpoints(state).size(), std::size_t{2});
    }

    void dropped_version_cannot_be_a_start() {
        control::ClusterState state;
        add(state, 3, 0);
        QCOMPARE(model::task_from_version(state, 4).error().code, ErrorCode::not_found);
        state.versions[3].kept = false;
        QCOMPARE(model::task_from_version(state, 3).error().code, ErrorCode::conflict);
        state.versions[3].kept = true;
        state.tasks.clear();
        QVERIFY(model::task_from_version(state, 3).error().message().find("--from 3") != std::string::npos);
    }
};

DIVISI_TEST(VersionTreeTest)

}  // namespace version_tree_test

#include "version_tree_test.moc"
