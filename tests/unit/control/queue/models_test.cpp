// SPDX-License-Identifier: Apache-2.0
#include "backend/control/queue/models.h"

#include "tests/support/test_program.h"
#include "tests/unit/control/floor.h"

namespace models_test {

using namespace divisi;
using namespace divisi::control;

namespace {

struct Shelf : test::Floor {
    Models models{desk};

    Shelf() {
        desk.follow([this](const Event& event) { models.follow(event); });
    }
    TaskId submit(const std::string& name, const std::string& bytes) {
        const TaskId task(name);
        desk.append(TaskSubmitted{task, name, "", "/", skeleton_name(bytes), {}, "me", 0});
        return task;
    }
};

}  // namespace

/// Tests skeletons of imported models, which are kept with their tasks and checked when they are read again.
class ModelsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void model_is_named_by_its_content();
    void stored_model_must_match_its_name();
    void queued_task_without_its_model_ends();
    void skeleton_is_sent_or_refused_with_the_reason();
    void models_are_removed_with_their_tasks();
};

void ModelsTest::model_is_named_by_its_content() {
    QCOMPARE(skeleton_name(""), std::string());
    QVERIFY(skeleton_name("a") != skeleton_name("b"));
    QVERIFY(skeleton_name(std::string(2, '\0')) != skeleton_name(std::string(1, '\0')));
}

void ModelsTest::stored_model_must_match_its_name() {
    Shelf shelf;
    const TaskId task = shelf.submit("t-1", "bytes");
    shelf.models.restore(task, "bytez");
    QCOMPARE(shelf.models.of(task), std::string());
    shelf.models.restore(task, "bytes");
    QCOMPARE(shelf.models.of(task), std::string("bytes"));
    shelf.models.restore(TaskId("t-9"), "bytes");
    QCOMPARE(shelf.models.all().size(), std::size_t{1});
}

void ModelsTest::queued_task_without_its_model_ends() {
    Shelf shelf;
    const TaskId lost = shelf.submit("t-1", "bytes"), zoo = shelf.submit("t-2", ""), kept = shelf.submit("t-3", "b");
    const TaskId running = shelf.submit("t-4", "c");
    shelf.desk.append(PhaseChanged{running, TaskPhase::exchange, ""});
    shelf.models.restore(kept, "b");
    shelf.models.end_tasks_without();
    const auto outcome = [&](const TaskId& task) { return shelf.desk.state().tasks.at(task).outcome; };
    QCOMPARE(outcome(lost), Outcome::failed);
    QCOMPARE(shelf.desk.state().tasks.at(lost).error->where, std::string("skeletons/t-1.onnx in its data folder"));
    QCOMPARE(outcome(zoo), Outcome::none);
    QCOMPARE(outcome(kept), Outcome::none);
    QCOMPARE(outcome(running), Outcome::none);  // its instances already have the model
}

void ModelsTest::skeleton_is_sent_or_refused_with_the_reason() {
    Shelf shelf;
    const TaskId task = shelf.submit("t-1", "bytes"), lost = shelf.submit("t-2", "others"),
                 zoo = shelf.submit("t-3", "");
    shelf.models.keep(task, "bytes");
    const PeerId peer = shelf.connect(1);
    shelf.say(shelf.models, peer, FetchSkeleton{task});
    QCOMPARE(shelf.sent<SkeletonData>().at(0).second.bytes, std::string("bytes"));
    shelf.say(shelf.models, peer, FetchSkeleton{lost});
    QVERIFY(shelf.refusal().find("gone or damaged") != std::string::npos);
    shelf.say(shelf.models, peer, FetchSkeleton{zoo});
    QVERIFY(shelf.refusal().find("no imported model") != std::string::npos);
    shelf.say(shelf.models, peer, FetchSkeleton{TaskId("t-9")});
    QVERIFY(shelf.refusal().find("no imported model") != std::string::npos);
}

void ModelsTest::models_are_removed_with_their_tasks() {
    Shelf shelf;
    const TaskId first = shelf.submit("first", "bytes");
    shelf.models.keep(first, "bytes");
    shelf.desk.append(TaskEnded{first, Outcome::succeeded, {}});
    QCOMPARE(shelf.models.of(first), std::string("bytes"));  // needed for the export of the trained model
    for (int i = 0; shelf.desk.state().tasks.contains(first); ++i) {
        QVERIFY(i < 10'000);
        const TaskId next = shelf.submit("t-" + std::to_string(i), "");
        shelf.desk.append(TaskEnded{next, Outcome::succeeded, {}});
    }
    QCOMPARE(shelf.models.of(first), std::string());
    QCOMPARE(shelf.desk.output().forgotten, std::vector<TaskId>{first});
}

DIVISI_TEST(ModelsTest)

}  // namespace models_test

#include "models_test.moc"
