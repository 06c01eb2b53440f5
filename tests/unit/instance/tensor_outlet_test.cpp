// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/serving/tensor_outlet.h"

#include "tests/unit/instance/compiled_plan.h"

namespace tensor_outlet_test {

using namespace divisi;
using namespace divisi::instance;
using testing::small_plan;

namespace {

struct Sent {
    Sid peer;
    frame::TensorFrame frame;
};

/// An outlet of stage 0 whose frames are kept.
struct Recorded {
    std::shared_ptr<const task::CompiledPlan> plan = small_plan(testing::small_task().set("split.stages", 2));
    std::vector<Sent> sent;
    std::vector<Sid> offered;
    std::vector<frame::TensorKey> released;
    std::int64_t asked_bytes = 0;
    TensorOutlet outlet{
        plan,
        77,
        3,
        {{plan::data_unit, Sid("a")}, {0, Sid("a")}, {1, Sid("b")}},
        {[this](const Sid& peer, frame::TensorFrame frame) {
             sent.push_back({peer, std::move(frame)});
         },
         [this](const Sid& peer, const frame::TensorKey&, const frame::ContentKey&) { offered.push_back(peer); },
         [this](const frame::TensorKey& key) { released.push_back(key); },
         [this](const std::vector<frame::DataPlace>&, std::int64_t bytes) { asked_bytes = bytes; }}};

    std::int32_t channel(std::int32_t from, std::int32_t to, plan::Channel::Kind kind) const {
        const auto& channels = plan->programs->channels;
        for (std::size_t number = 0; number < channels.size(); ++number)
            if (channels[number].from == from && channels[number].to == to && channels[number].kind == kind)
                return static_cast<std::int32_t>(number);
        qFatal("the plan has no such channel");
    }
};

}  // namespace

class TensorOutletTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void frame_names_task_generation_kind_and_channel();
    void cached_result_carries_its_content_key();
    void slot_and_request_are_passed_on();
};

void TensorOutletTest::frame_names_task_generation_kind_and_channel() {
    Recorded recorded;
    const std::int32_t forward = recorded.channel(0, 1, plan::Channel::Kind::value);
    const std::int32_t backward = recorded.channel(1, 0, plan::Channel::Kind::gradient);
    recorded.outlet.send({forward, 5, 1}, {});
    recorded.outlet.send({backward, 5, 1}, {});
    QCOMPARE(recorded.sent.size(), std::size_t{2});
    const frame::TensorKey& key = recorded.sent[0].frame.key;
    QVERIFY(key.task == 77 && key.generation == 3 && key.step == 5 && key.microbatch == 1);
    QCOMPARE(key.edge, static_cast<std::uint32_t>(forward));
    QVERIFY(key.kind == frame::FrameKind::activation);
    QVERIFY(recorded.sent[1].frame.key.kind == frame::FrameKind::gradient);
    QCOMPARE(recorded.sent[0].peer, Sid("b"));
    QCOMPARE(recorded.sent[1].peer, Sid("a"));
}

void TensorOutletTest::cached_result_carries_its_content_key() {
    Recorded recorded;
    const std::int32_t forward = recorded.channel(0, 1, plan::Channel::Kind::value);
    const frame::ContentKey content{std::byte{1}, std::byte{2}};
    recorded.outlet.offer({forward, 5, 1}, content);
    recorded.outlet.send({forward, 5, 1}, {}, content);
    QVERIFY(recorded.offered == std::vector{Sid("b")});
    QVERIFY(frame::content_of(recorded.sent.at(0).frame.routing) == content);
}

void TensorOutletTest::slot_and_request_are_passed_on() {
    Recorded recorded;
    recorded.outlet.release({recorded.channel(plan::data_unit, 0, plan::Channel::Kind::value), 5, 1});
    QVERIFY(recorded.released.at(0).kind == frame::FrameKind::input);
    recorded.outlet.ask({}, 9);
    QCOMPARE(recorded.asked_bytes, 9);
}

DIVISI_TEST(TensorOutletTest)

}  // namespace tensor_outlet_test

#include "tensor_outlet_test.moc"
