// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/documents/task_draft.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>

#include "app/model/documents/task_split.h"
#include "backend/task/parse.h"
#include "tests/support/test_program.h"
#include "tests/unit/app/sample_graphs.h"

namespace task_draft_test {

using namespace divisi;
using model::Cuts;
using model::GraphDocument;
using model::TaskDraft;

namespace {

struct Draft {
    GraphDocument document;
    TaskDraft draft{document};

    Draft() { document.set_model(testing::chain_model(10), {4}); }
    QUndoStack& stack() { return document.undo_stack(); }
    void type_lr(double lr) {
        task::TaskSpec spec = draft.spec();
        spec.train.lr = lr;
        draft.edit(std::move(spec), QStringLiteral("lr"), "train.lr");
    }
    void type_batch(std::int64_t batch) {
        task::TaskSpec spec = draft.spec();
        spec.train.batch = batch;
        draft.edit(std::move(spec), QStringLiteral("batch"), "train.batch");
    }
};

model::ModelPtr zoo(std::int64_t layers) {
    model::ModelSource source;
    source.zoo = "mlp";
    source.sizes["layers"] = layers;
    return *model::load_model(model::source_of(model::fresh_task(source), {}));
}

}  // namespace

class TaskDraftTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void fields_and_cuts_share_one_undo_stack() {
        Draft task;
        const double before = task.draft.spec().train.lr;
        task.type_lr(0.5);
        QVERIFY(task.document.move_cut(0, 6));
        task.type_batch(64);
        QCOMPARE(task.stack().count(), 3);
        task.stack().undo();
        QCOMPARE(task.draft.spec().train.batch, std::int64_t{16});
        QCOMPARE(task.document.cuts(), Cuts{6});
        task.stack().undo();
        QCOMPARE(task.document.cuts(), Cuts{4});
        QCOMPARE(task.draft.spec().train.lr, 0.5);
        task.stack().undo();
        QCOMPARE(task.draft.spec().train.lr, before);
        QVERIFY(!task.draft.modified());
        task.stack().redo();
        QCOMPARE(task.draft.spec().train.lr, 0.5);
        QVERIFY(task.draft.modified());
    }

    void typing_in_one_field_is_one_step() {
        Draft task;
        for (const double lr : {0.0, 0.01, 0.012}) task.type_lr(lr);
        QCOMPARE(task.stack().count(), 1);
        task.type_batch(1);
        task.type_batch(12);
        QCOMPARE(task.stack().count(), 2);
        task.draft.end_typing();
        task.type_batch(128);
        QCOMPARE(task.stack().count(), 3);
        task.stack().undo();
        QCOMPARE(task.draft.spec().train.batch, std::int64_t{12});
    }

    void typing_the_old_value_leaves_no_undo_step() {
        Draft task;
        const double before = task.draft.spec().train.lr;
        task.type_lr(0.5);
        task.type_lr(before);
        QCOMPARE(task.stack().count(), 0);
        QVERIFY(!task.draft.modified());
    }

    void input_of_unreadable_text_can_be_undone() {
        Draft task;
        task.draft.edit(task.draft.spec(), {{"train.batch", QStringLiteral("abc")}}, QStringLiteral("batch"),
                        "train.batch");
        QVERIFY(task.draft.modified());
        QCOMPARE(task.draft.unread().size(), 1u);
        task.stack().undo();
        QVERIFY(task.draft.unread().empty());
    }

    void saved_task_is_unmodified_and_later_edits_can_be_undone() {
        const QTemporaryDir folder;
        Draft task;
        QSignalSpy changed(&task.draft, &TaskDraft::stateChanged);
        task.type_lr(0.5);
        QCOMPARE(changed.count(), 1);
        QVERIFY(task.draft.save(folder.filePath(QStringLiteral("a.toml"))).ok());
        QVERIFY(!task.draft.modified());
        task.type_lr(0.25);
        QVERIFY(task.draft.modified());
        QCOMPARE(task.stack().count(), 2);
        task.stack().undo();
        QVERIFY(!task.draft.modified());
        task.stack().undo();
        QVERIFY(task.draft.modified());
    }

    void undo_keeps_the_files_after_saving_elsewhere() {
        const QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkpath(QStringLiteral("a")) && QDir(folder.path()).mkpath(QStringLiteral("b")));
        Draft task;
        task::TaskSpec spec = task.draft.spec();
        spec.data.kind = "text";
        spec.data.path = "text.txt";
        task.draft.open({spec, folder.filePath(QStringLiteral("a"))}, {});
        const std::string file = task.draft.resolved("text.txt");
        task.type_lr(0.5);
        QVERIFY(task.draft.save(folder.filePath(QStringLiteral("b/task.toml"))).ok());
        QCOMPARE(task.draft.spec().data.path, std::string("../a/text.txt"));
        task.stack().undo();
        QCOMPARE(task.draft.resolved(task.draft.spec().data.path), file);
        task.stack().redo();
        QCOMPARE(task.draft.resolved(task.draft.spec().data.path), file);
        QVERIFY(task.draft.save(folder.filePath(QStringLiteral("b/task.toml"))).ok());
        const auto again = model::read_task_file(folder.filePath(QStringLiteral("b/task.toml")));
        QVERIFY(again.ok());
        QCOMPARE(again->state.spec.data.path, std::string("../a/text.txt"));
    }

    void split_by_the_tasks_strategy_stays_in_the_task_file() {
        for (const char* strategy : {"block", "layer"}) {
            Draft task;
            task::TaskSpec spec = task.draft.spec();
            spec.split.strategy = strategy;
            spec.split.stages = 3;
            if (spec.split.strategy == "layer") spec.split.method = "optimal";
            task.draft.open({spec, {}}, {});
            model::Split asked;
            asked.as_in_task = true;
            task.document.open(testing::chain_model(10), asked);
            const QString text = task.draft.text();
            QVERIFY(text.contains(QStringLiteral("stages = 3")));
            QVERIFY(task.document.add_cut(5));
            QVERIFY(!task.draft.text().contains(QStringLiteral("stages = 3")));
            task.stack().undo();
            QCOMPARE(task.draft.text(), text);
            task.document.take_found({{2, 7}});
            QCOMPARE(task.document.cuts(), (Cuts{2, 7}));
            QVERIFY(!task.draft.modified());
        }
    }

    void undo_brings_back_the_model_and_its_cuts() {
        GraphDocument document;
        TaskDraft draft(document);
        const model::ModelPtr small = zoo(3), large = zoo(6);
        draft.open({model::fresh_task(small->source), {}}, {});
        document.open(small, {{0, 1}});
        task::TaskSpec spec = draft.spec();
        spec.model.sizes["layers"] = 6;
        draft.edit(spec, QStringLiteral("layers"), "model.layers");
        QVERIFY(!draft.shows_model());
        document.show(large, model::carried_over(document.split(), *small, *large));
        QVERIFY(draft.shows_model());
        QVERIFY(document.move_cut(1, 3));
        document.undo_stack().undo();
        document.undo_stack().undo();
        QCOMPARE(document.model(), small);
        QCOMPARE(document.cuts(), (Cuts{0, 1}));
        QVERIFY(draft.shows_model());
        document.undo_stack().redo();
        QCOMPARE(document.model(), large);
        document.undo_stack().redo();
        QCOMPARE(document.cuts().back(), 3);
    }

    void cuts_are_carried_over_by_name() {
        const auto from = testing::chain_model(10), to = testing::chain_model(6);
        model::Split split{{2, 8}};
        QCOMPARE(model::carried_over(split, *from, *to).cuts, Cuts{2});
        split = {{}, model::painting_of(*to, Cuts{2}, {})};
        const auto painting = model::carried_over(split, *to, *from).painting;
        QVERIFY(painting);
        QCOMPARE(painting->segment_of, (std::vector<std::int32_t>{0, 0, 0, 1, 1, 1, 1, 1, 1, 1}));
    }

    void a_fresh_task_is_named_like_its_model() {
        model::ModelSource source;
        source.onnx = "/tmp/My net (v2).onnx";
        QCOMPARE(model::fresh_task(source).task.name, std::string("My-net--v2-"));
        QVERIFY(model::fresh_task(source).model.zoo.empty());
    }

    void the_sizes_of_a_zoo_model_are_complete() {
        task::TaskSpec spec = model::fresh_task();
        const model::ModelSource all = model::source_of(spec, {});
        QVERIFY(!all.sizes.empty());
        spec.model.sizes = all.sizes;
        QVERIFY(model::source_of(spec, {}) == all);
    }
};

DIVISI_TEST(TaskDraftTest)

}  // namespace task_draft_test

#include "task_draft_test.moc"
