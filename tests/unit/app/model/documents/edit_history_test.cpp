// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/documents/edit_history.h"

#include <QJsonArray>
#include <QSignalSpy>
#include <QTemporaryDir>

#include "app/model/documents/task_split.h"
#include "tests/support/test_program.h"
#include "tests/unit/app/many_steps.h"
#include "tests/unit/app/sample_graphs.h"

namespace edit_history_test {

using namespace divisi;
using model::Cuts;
using model::EditHistory;
using model::GraphDocument;
using model::TaskDraft;

namespace {

/// A fixture with a document whose history is recorded.
struct Kept {
    GraphDocument document;
    TaskDraft draft{document};
    EditHistory history{draft, document};

    Kept() {
        document.set_model(testing::chain_model(20), {4});
        history.take();
    }
    QUndoStack& stack() { return document.undo_stack(); }
    void set_lr(double lr, const std::string& field = {}) {
        task::TaskSpec spec = draft.spec();
        spec.train.lr = lr;
        draft.edit(std::move(spec), QStringLiteral("lr"), field);
    }
};

/// A second program that opens the recorded history, as DocumentOpener does.
struct Restored {
    GraphDocument document;
    TaskDraft draft{document};
    std::size_t steps = 0;

    explicit Restored(const QJsonObject& kept) {
        Result<model::TaskFile> file = model::kept_task(kept);
        if (!file.ok()) qFatal("%s", file.error().message().c_str());
        const model::ModelPtr model = testing::chain_model(20);
        const Result<model::Split> split = model::listed_split(file->state.spec, *model);
        draft.open(*std::move(file));
        document.open(model, split.ok() ? *split : model::Split());
        steps = model::replay(kept, draft, document);
    }
    QUndoStack& stack() { return document.undo_stack(); }
};

}  // namespace

class EditHistoryTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void steps_are_restored_in_their_order();
    void undone_steps_can_be_redone();
    void continued_typing_is_one_step();
    void combined_step_is_undone_as_a_whole();
    void saved_state_is_recognised();
    void history_without_the_saved_state_stays_modified();
    void empty_list_of_cuts_is_restored();
    void each_step_keeps_its_files_after_a_save_elsewhere();
    void steps_of_another_model_are_left_out();
    void changed_batch_size_is_still_the_same_model();
    void preview_is_not_a_step();
    void two_hundred_steps_undone_and_redone_are_identical();
    void oldest_steps_are_merged_into_the_start();
    void search_result_is_recorded_without_a_step();
    void invalid_history_is_refused();
};

void EditHistoryTest::combined_step_is_undone_as_a_whole() {
    Kept kept;
    kept.document.move_cut(0, 6);
    kept.document.move_cut(0, 8);
    QVERIFY(kept.document.record_split({Cuts{4}, {}}, {Cuts{8}, {}}, QStringLiteral("re-cut")));
    Restored restored(kept.history.json());
    QCOMPARE(restored.stack().count(), 3);
    QCOMPARE(restored.document.cuts(), Cuts{8});
    for (GraphDocument* document : {&kept.document, &restored.document}) {
        document->undo_stack().undo();
        QCOMPARE(document->cuts(), Cuts{4});
        document->undo_stack().redo();
        QCOMPARE(document->cuts(), Cuts{8});
    }
    QVERIFY(restored.document.way_back(2) && !restored.document.way_back(1));
}

void EditHistoryTest::steps_are_restored_in_their_order() {
    Kept kept;
    kept.document.add_cut(9);
    kept.set_lr(0.5);
    kept.document.move_cut(0, 2);
    Restored restored(kept.history.json());
    QCOMPARE(restored.steps, std::size_t{3});
    QCOMPARE(restored.stack().count(), 3);
    QCOMPARE(restored.document.cuts(), (Cuts{2, 9}));
    QCOMPARE(restored.draft.spec().train.lr, 0.5);
    QCOMPARE(restored.stack().text(1), QStringLiteral("lr"));
    restored.stack().undo();
    QCOMPARE(restored.document.cuts(), (Cuts{4, 9}));
    restored.stack().undo();
    QCOMPARE(restored.draft.spec().train.lr, model::fresh_task().train.lr);
    restored.stack().undo();
    QCOMPARE(restored.document.cuts(), (Cuts{4}));
    QVERIFY(!restored.stack().canUndo());
}

void EditHistoryTest::undone_steps_can_be_redone() {
    Kept kept;
    kept.document.add_cut(9);
    kept.document.add_cut(12);
    kept.stack().undo();
    kept.stack().undo();
    Restored restored(kept.history.json());
    QCOMPARE(restored.document.cuts(), (Cuts{4}));
    restored.stack().redo();
    QCOMPARE(restored.document.cuts(), (Cuts{4, 9}));
    restored.stack().redo();
    QCOMPARE(restored.document.cuts(), (Cuts{4, 9, 12}));
    // A step after an undo discards the undone steps.
    kept.document.add_cut(1);
    QCOMPARE(Restored(kept.history.json()).stack().count(), 1);
}

void EditHistoryTest::continued_typing_is_one_step() {
    Kept kept;
    kept.set_lr(0.5, "train.lr");
    kept.set_lr(0.25, "train.lr");
    Restored restored(kept.history.json());
    QCOMPARE(restored.stack().count(), 1);
    QCOMPARE(restored.draft.spec().train.lr, 0.25);
}

void EditHistoryTest::saved_state_is_recognised() {
    Kept kept;
    kept.document.add_cut(9);
    kept.stack().setClean();
    kept.document.add_cut(12);
    Restored restored(kept.history.json());
    QVERIFY(restored.draft.modified());
    restored.stack().undo();
    QVERIFY(!restored.draft.modified());
    restored.stack().undo();
    QVERIFY(restored.draft.modified());
}

void EditHistoryTest::history_without_the_saved_state_stays_modified() {
    Kept kept;
    kept.stack().resetClean();
    Restored restored(kept.history.json());
    QVERIFY(restored.draft.modified());
}

/// A task saved to another folder names its files relative to that folder. The earlier steps had other relative paths.
void EditHistoryTest::each_step_keeps_its_files_after_a_save_elsewhere() {
    QTemporaryDir other;
    Kept kept;
    task::TaskSpec spec = kept.draft.spec();
    spec.data.kind = "text";
    spec.data.path = "samples/text.txt";
    kept.draft.edit(std::move(spec), QStringLiteral("data"));
    const std::string file = kept.draft.resolved("samples/text.txt");
    kept.set_lr(0.5);
    QVERIFY(kept.draft.save(other.filePath(QStringLiteral("mine.toml"))).ok());
    kept.set_lr(0.25);
    Restored restored(kept.history.json());
    const auto named = [](const TaskDraft& draft) { return draft.resolved(draft.spec().data.path); };
    for (int undone = 0; undone < 3; ++undone, restored.stack().undo()) QCOMPARE(named(restored.draft), file);
    restored.stack().redo();
    QCOMPARE(named(restored.draft), file);
}

void EditHistoryTest::empty_list_of_cuts_is_restored() {
    Kept kept;
    kept.document.clear_cuts();
    Restored restored(kept.history.json());
    QVERIFY(restored.document.cuts().empty());
    QVERIFY(!restored.document.split().as_in_task);
    restored.stack().undo();
    QCOMPARE(restored.document.cuts(), (Cuts{4}));
}

void EditHistoryTest::steps_of_another_model_are_left_out() {
    Kept kept;
    kept.document.add_cut(9);
    task::TaskSpec other = kept.draft.spec();
    other.model.zoo = "lenet";
    kept.draft.edit(other, QStringLiteral("model"));
    kept.document.add_cut(12);
    const Result<model::TaskFile> file = model::kept_task(kept.history.json());
    QVERIFY(file.ok());
    QCOMPARE(file->state.spec.model.zoo, std::string("lenet"));
    Restored restored(kept.history.json());
    QCOMPARE(restored.steps, std::size_t{1});
    QCOMPARE(restored.document.cuts(), (Cuts{4, 9, 12}));
}

void EditHistoryTest::changed_batch_size_is_still_the_same_model() {
    Kept kept;
    kept.document.add_cut(9);
    task::TaskSpec larger = kept.draft.spec();
    larger.train.batch *= 2;
    kept.draft.edit(larger, QStringLiteral("batch"));
    Restored restored(kept.history.json());
    QCOMPARE(restored.steps, std::size_t{2});
    QCOMPARE(restored.draft.spec().train.batch, larger.train.batch);
}

void EditHistoryTest::two_hundred_steps_undone_and_redone_are_identical() {
    constexpr int steps = 200;
    GraphDocument document;
    TaskDraft draft{document};
    document.set_model(testing::chain_model(testing::many_steps_model));
    QList<QByteArray> bytes{testing::bytes_of(draft, document)};
    for (int number = 0; number < steps; ++number) {
        testing::make_step(draft, document, number, steps);
        bytes << testing::bytes_of(draft, document);
        QCOMPARE(document.undo_stack().count(), number + 1);
        QVERIFY2(bytes[number] != bytes[number + 1], qPrintable(QString::number(number)));
    }
    QVERIFY(document.painting());
    for (int number = steps - 1; number >= 0; --number) {
        document.undo_stack().undo();
        QVERIFY2(testing::bytes_of(draft, document) == bytes[number], qPrintable(QString::number(number)));
    }
    QVERIFY(!document.undo_stack().canUndo());
    for (int number = 1; number <= steps; ++number) {
        document.undo_stack().redo();
        QVERIFY2(testing::bytes_of(draft, document) == bytes[number], qPrintable(QString::number(number)));
    }
    QVERIFY(!document.undo_stack().canRedo());
}

void EditHistoryTest::preview_is_not_a_step() {
    Kept kept;
    QSignalSpy changed(&kept.history, &EditHistory::changed);
    kept.document.preview(Cuts{7});
    QCOMPARE(changed.size(), 0);
    kept.document.drop_preview();
    QCOMPARE(Restored(kept.history.json()).document.cuts(), (Cuts{4}));
}

void EditHistoryTest::oldest_steps_are_merged_into_the_start() {
    Kept kept;
    constexpr int more = 20;
    for (int i = 0; i < EditHistory::most_steps + more; ++i) kept.set_lr(0.001 * (i + 2));
    const QJsonObject json = kept.history.json();
    QCOMPARE(json[QStringLiteral("steps")].toArray().size(), EditHistory::most_steps + 1);
    QCOMPARE(json[QStringLiteral("index")].toInt(), EditHistory::most_steps);
    Restored restored(json);
    QCOMPARE(restored.draft.spec().train.lr, kept.draft.spec().train.lr);
    QVERIFY2(restored.draft.modified(), "what was saved is older than what is kept");
}

/// A search adds no undo step, but the next undo step must start from the result of the search.
void EditHistoryTest::search_result_is_recorded_without_a_step() {
    Kept kept;
    model::Split unknown;
    unknown.as_in_task = true;
    kept.document.open(testing::chain_model(20), unknown);
    kept.document.take_found({Cuts{3, 6}});
    QCoreApplication::processEvents();
    kept.document.add_cut(9);
    Restored restored(kept.history.json());
    QCOMPARE(restored.document.cuts(), (Cuts{3, 6, 9}));
    restored.stack().undo();
    QCOMPARE(restored.document.cuts(), (Cuts{3, 6}));
}

void EditHistoryTest::invalid_history_is_refused() {
    QVERIFY(!model::kept_task({}).ok());
    QVERIFY(!model::kept_task({{QStringLiteral("version"), 1}}).ok());
    QJsonObject newer = Kept().history.json();
    newer[QStringLiteral("version")] = 2;
    QVERIFY(!model::kept_task(newer).ok());
    QJsonObject damaged = Kept().history.json();
    damaged[QStringLiteral("index")] = 4711;  // treated as the last step
    QVERIFY(model::kept_task(damaged).ok());
    damaged[QStringLiteral("steps")] =
        QJsonArray{QJsonObject{{QStringLiteral("text"), QStringLiteral("[task]\nname = ")}}};
    const Result<model::TaskFile> refused = model::kept_task(damaged);
    QVERIFY(!refused.ok());
    QVERIFY(refused.error().message().find("the kept task") != std::string::npos);
}

DIVISI_WINDOW_TEST(EditHistoryTest)

}  // namespace edit_history_test

#include "edit_history_test.moc"
