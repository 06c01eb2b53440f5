// SPDX-License-Identifier: Apache-2.0
#include "backend/control/queue/models.h"

#include "backend/control/protocol/batch_group.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/fixture.h"

namespace models_test {

using namespace divisi;
using namespace divisi::control;

namespace {

struct ModelsFixture : test::Fixture {
    Models models{context};

    ModelsFixture() {
        context.follow([this](const Event& event) { models.follow(event); });
    }
    TaskId submit(const std::string& name, const std::string& bytes) {
        const TaskId task(name);
        context.append(TaskSubmitted{task, name, "", "/", skeleton_name(bytes), {}, "me", 0});
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
    ModelsFixture fixture;
    const TaskId task = fixture.submit("t-1", "bytes");
    fixture.models.restore(task, "bytez");
    QCOMPARE(fixture.models.of(task), std::string());
    fixture.models.restore(task, "bytes");
    QCOMPARE(fixture.models.of(task), std::string("bytes"));
    fixture.models.restore(TaskId("t-9"), "bytes");
    QCOMPARE(fixture.models.all().size(), std::size_t{1});
}

void ModelsTest::queued_task_without_its_model_ends() {
    ModelsFixture fixture;
    const TaskId lost = fixture.submit("t-1", "bytes"), zoo = fixture.submit("t-2", ""),
                 kept = fixture.submit("t-3", "b");
    const TaskId running = fixture.submit("t-4", "c");
    fixture.context.append(PhaseChanged{running, TaskPhase::exchange, ""});
    fixture.models.restore(kept, "b");
    fixture.models.adopt();
    const auto outcome = [&](const TaskId& task) { return fixture.context.state().tasks.at(task).outcome; };
    QCOMPARE(outcome(lost), Outcome::failed);
    QCOMPARE(fixture.context.state().tasks.at(lost).error->where, std::string("skeletons/t-1.onnx in its data folder"));
    QCOMPARE(outcome(zoo), Outcome::none);
    QCOMPARE(outcome(kept), Outcome::none);
    QCOMPARE(outcome(running), Outcome::none);  // its instances already have the model
}

void ModelsTest::skeleton_is_sent_or_refused_with_the_reason() {
    ModelsFixture fixture;
    const TaskId task = fixture.submit("t-1", "bytes"), lost = fixture.submit("t-2", "others"),
                 zoo = fixture.submit("t-3", "");
    fixture.models.keep(task, "bytes");
    const PeerId peer = fixture.connect(1);
    fixture.say(fixture.models, peer, FetchSkeleton{task});
    QCOMPARE(fixture.sent<SkeletonData>().at(0).second.bytes, std::string("bytes"));
    fixture.say(fixture.models, peer, FetchSkeleton{lost});
    QVERIFY(fixture.refusal().find("gone or damaged") != std::string::npos);
    fixture.say(fixture.models, peer, FetchSkeleton{zoo});
    QVERIFY(fixture.refusal().find("no imported model") != std::string::npos);
    fixture.say(fixture.models, peer, FetchSkeleton{TaskId("t-9")});
    QVERIFY(fixture.refusal().find("no imported model") != std::string::npos);
}

void ModelsTest::models_are_removed_with_their_tasks() {
    ModelsFixture fixture;
    const TaskId first = fixture.submit("first", "bytes");
    fixture.models.keep(first, "bytes");
    fixture.context.append(TaskEnded{first, Outcome::succeeded, {}});
    QCOMPARE(fixture.models.of(first), std::string("bytes"));  // needed for the export of the trained model
    for (int i = 0; fixture.context.state().tasks.contains(first); ++i) {
        QVERIFY(i < 10'000);
        const TaskId next = fixture.submit("t-" + std::to_string(i), "");
        fixture.context.append(TaskEnded{next, Outcome::succeeded, {}});
    }
    QCOMPARE(fixture.models.of(first), std::string());
    QCOMPARE(fixture.context.output().forgotten, std::vector<TaskId>{first});
}

DIVISI_TEST(ModelsTest)

}  // namespace models_test

#include "models_test.moc"
