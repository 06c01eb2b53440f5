// SPDX-License-Identifier: Apache-2.0

#include "backend/control/protocol/input_limits.h"
#include "backend/control/protocol/instance_messages.h"
#include "backend/control/protocol/node_messages.h"
#include "backend/control/protocol/state_messages.h"
#include "backend/control/protocol/task_messages.h"
#include "backend/control/types/blob_types.h"
#include "backend/frame/control_frame.h"
#include "backend/wire/message_codec.h"
#include "tests/support/test_program.h"

namespace limits_test {

using namespace divisi;
using namespace divisi::control;

namespace {

std::span<const std::byte> view(const std::string& text) { return std::as_bytes(std::span(text)); }

const TaskId task_id{"gpt-text-1"};
const InstanceId instance{"gpt-text-1/stage-0/0#3"};

UnitView unit() { return {Sid("t/forward-0/0"), "forward", instance, {Sid("t/load/0")}, UnitState::running}; }

}  // namespace

/// Tests values of the largest allowed size, and larger ones.
class LimitsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void limits_apply_in_both_directions();
    void largest_list_of_blob_hashes_fits_a_message();
    void largest_list_of_selected_values_fits_a_message();
    void accepted_input_can_be_logged_and_read();
    void task_at_every_limit_fits_a_page();
};

void LimitsTest::limits_apply_in_both_directions() {
    QCOMPARE(wire::encode(EndInstance{instance, std::string(frame::control_frame_limit, 'x')}).error().code,
             ErrorCode::exhausted);
    QVERIFY(!wire::decode(0, view(std::string(frame::control_frame_limit + 1, '\x0a'))).ok());
    QVERIFY(wire::size_limit(wire::type_of(Deploy{})) > skeleton_limit);
}

void LimitsTest::largest_list_of_blob_hashes_fits_a_message() {
    constexpr std::size_t most_asked = 4096;  // equals most_asked_blobs of the store, which this test does not link
    const std::vector<std::string> hashes(most_asked, std::string(64, 'a'));
    for (const Message& message : {Message(WhichBlobs{hashes}), Message(NeededBlobs{hashes})}) {
        const auto bytes = wire::encode(message);
        QVERIFY2(bytes.ok(), bytes.ok() ? "" : bytes.error().message().c_str());
        QVERIFY(wire::decode(wire::type_of(message), view(*bytes)).ok());
    }
}

void LimitsTest::largest_list_of_selected_values_fits_a_message() {
    const std::vector<std::string> values(most_selected_values,
                                          std::string(most_selected_bytes / most_selected_values, 'v'));
    const std::string hash(64, 'a');
    const OpenBlobEnd sink{1, hash, Sid("blobs/1/sink"), Sid("blobs/1/source"), true, values};
    for (const Message& message : {Message(sink), Message(FetchBlob{1, hash, "ipc://x", "key", values})}) {
        const auto bytes = wire::encode(message);
        QVERIFY2(bytes.ok(), bytes.ok() ? "" : bytes.error().message().c_str());
        QVERIFY(wire::decode(wire::type_of(message), view(*bytes)).ok());
    }
}

void LimitsTest::accepted_input_can_be_logged_and_read() {
    SubmitTask task{std::string(longest_task_text, 't'),
                    std::string(longest_path, 'f'),
                    std::string(skeleton_limit, 's'),
                    {},
                    std::string(longest_word, 'u')};
    for (std::size_t i = 0; i < most_task_files; ++i)
        task.files.push_back(
            {std::string(longest_word, 'p'), std::string(longest_path, 'x'), std::string(longest_word, 'h'), 1, true});
    QVERIFY(check_submission(task).ok());
    const auto sent = wire::encode(task);
    QVERIFY2(sent.ok(), sent.ok() ? "" : sent.error().message().c_str());
    QVERIFY(wire::decode(wire::type_of(task), view(*sent)).ok());
    const TaskSubmitted submitted{task_id, "gpt", task.text, task.folder, "h", task.files, task.submitted_by, 0};
    TaskPlanned planned{task_id, 1, {}, 1, 1, "m", "h", {}};
    while (check_task(submitted, planned)) planned.units.resize(planned.units.size() + 100, unit());
    planned.units.resize(planned.units.size() - 100);
    QVERIFY(check_task(submitted, planned).ok() && planned.units.size() >= 100);
    for (UnitView& one : planned.units) one.instance = InstanceId(std::string(100, 'i'));  // set when the task starts
    for (const Event::Body& body : {Event::Body(submitted), Event::Body(planned)}) {
        const auto bytes = wire::encode_event({1, {}, body});
        QVERIFY2(bytes.ok(), bytes.ok() ? "" : bytes.error().message().c_str());
        QVERIFY(wire::decode_event(view(*bytes)).ok());
    }
    const Deploy deploy{task_id, 1, instance, 0, true, task.text, task.folder, {}, "h", task.skeleton, task.files};
    QVERIFY(wire::encode(deploy).ok());
}

/// 256 stages, a hundred checkpoints, full curves with many heads and a long error: the largest task that the state
/// keeps.
void LimitsTest::task_at_every_limit_fits_a_page() {
    ClusterState s;
    std::uint64_t sequence = 0;
    const auto add = [&](Event::Body body) { apply(s, {++sequence, {}, std::move(body)}); };
    TaskSubmitted submitted{task_id, "gpt", std::string(longest_task_text, 't'), "/", "", {}, "me", 0};
    TaskPlanned planned{task_id, 1, {}, 1, 1, "m", "h", {}};
    while (check_task(submitted, planned)) planned.units.resize(planned.units.size() + 100, unit());
    planned.checkpoint.keep = 100;
    add(submitted);
    add(planned);
    const std::string detail(longest_detail, 'e');
    for (std::size_t i = 0; i < most_recoveries + 1; ++i) add(TaskRecovers{task_id, 2, 0, instance, detail});
    for (int i = 0; i < 256; ++i)
        add(WeightsStored{task_id, InstanceId(std::string(longest_word, 'i') + std::to_string(i)), 1,
                          std::string(longest_word, 'h'), std::string(longest_path, 'p'), 1});
    std::vector<HeadRecord> heads(20, {"a head of an ordinary name", 0.5f, 0.25});
    for (std::int64_t step = 1; step <= 5000; ++step) {
        add(StepDone{task_id, {step, 1, 2, 3, 1, heads}});
        add(Evaluated{task_id, {step, 1, 0.5, heads}});
    }
    Checkpoint last{1, 5000, {}, {}};
    const NodeId node(std::string(129, 'n'));  // as long as two names
    for (std::int32_t i = 0; i < 256; ++i)
        last.parts.push_back({Sid(std::string(129, 's')), i, std::string(64, 'h'), 1LL << 40, {node, node}});
    for (int i = 0; i < 100; ++i) add(CheckpointCommitted{task_id, last});
    const auto fits = [&] {
        std::size_t tasks = 0;
        for (const Snapshot& page : snapshot_pages(s, {})) {
            const auto bytes = wire::encode(page);
            QVERIFY2(bytes.ok(), bytes.ok() ? "" : bytes.error().message().c_str());
            const auto back = wire::decode(wire::type_of(page), view(*bytes));
            QVERIFY2(back.ok(), back.ok() ? "" : back.error().message().c_str());
            tasks += get<Snapshot>(*back).state.tasks.size();
        }
        QCOMPARE(tasks, std::size_t(1));
    };
    fits();
    QVERIFY(s.tasks.at(task_id).checkpoints.size() > 1);
    TaskRecut recut{task_id, 2, last.step, "h", "h", "me", submitted.text, {}};
    for (std::int32_t i = 0; i < 256; ++i) recut.origins.push_back({node, {i, i + 1}});
    add(recut);
    fits();
    add(TaskEnded{task_id, Outcome::failed, Error{ErrorCode::failed, detail, detail, detail}});
    fits();
    QVERIFY(s.tasks.at(task_id).evaluations.size() > 100);
}

DIVISI_TEST(LimitsTest)

}  // namespace limits_test

#include "limits_test.moc"
