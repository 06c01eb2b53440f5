// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/result_keys.h"

#include <numeric>
#include <set>

#include "agents/instance/engine/unit_setup.h"
#include "tests/unit/instance/compiled_plan.h"
#include "tests/unit/instance/fake_executor.h"

namespace reuse_test {

using namespace divisi;
using namespace divisi::instance;
using testing::FakeExecutor;
using testing::small_plan;
using testing::small_task;

namespace {

/// A batch task in two stages. Stage 0 has all weights of the model, and all of its consumers are behind gateways.
struct Batch {
    std::shared_ptr<task::CompiledPlan> compiled =
        std::make_shared<task::CompiledPlan>(*small_plan(small_task().set("split.stages", 2)));
    std::shared_ptr<plan::Programs> programs = std::make_shared<plan::Programs>(*compiled->programs);
    std::vector<std::string> calls;
    FakeExecutor executor{calls};
    std::set<std::int32_t> far;

    Batch() {
        programs->length.batch_samples = 8;
        compiled->programs = programs;
        executor.held.resize(compiled->graph().initializers.size());
        std::iota(executor.held.begin(), executor.held.end(), 0);
        far = channels(true);
    }
    /// Returns the channels that begin at stage 0 if `of_stage` is true, or else all other channels.
    std::set<std::int32_t> channels(bool of_stage) const {
        std::set<std::int32_t> found;
        for (std::size_t number = 0; number < programs->channels.size(); ++number)
            if ((programs->channels[number].from == 0) == of_stage) found.insert(static_cast<std::int32_t>(number));
        return found;
    }
    Result<std::optional<ResultKeys>> find(const std::string& fingerprint = "processor") const {
        return find_result_keys(*compiled, 0, far, executor, fingerprint);
    }
    /// Returns whether the stage offers its results.
    bool has_keys() const {
        const auto found = find();
        return found && found->has_value();
    }
};

graph::HostTensor input() { return graph::HostTensor::of<float>(graph::DType::float32, {2}, {1, 2}); }

}  // namespace

/// Tests which stages offer their results to routers.
class ReuseTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void batch_stage_with_consumers_behind_gateways_has_keys();
    void training_has_no_keys();
    void stage_with_a_consumer_in_its_own_mic_has_no_keys();
    void channels_of_other_stages_do_not_matter();
    void stage_with_unknown_weights_has_no_keys();
    void unreadable_weight_is_an_error();
};

void ReuseTest::batch_stage_with_consumers_behind_gateways_has_keys() {
    const Batch batch;
    QVERIFY(!batch.far.empty() && batch.has_keys());
    const auto keys = (*batch.find().value()).keys({input()});
    QVERIFY(!keys.empty());
    const auto expected = ResultKeys::of(segment_config(*batch.compiled, 0), batch.executor, "processor");
    QVERIFY(expected && *expected);
    QVERIFY(keys == (*expected)->keys({input()}));
    QVERIFY(keys != (*batch.find("another processor").value()).keys({input()}));
}

void ReuseTest::training_has_no_keys() {
    const Batch batch;
    batch.programs->length.batch_samples = 0;
    QVERIFY(batch.find());
    QVERIFY(!batch.has_keys());
}

void ReuseTest::stage_with_a_consumer_in_its_own_mic_has_no_keys() {
    Batch batch;
    batch.programs->channels.push_back({plan::Channel::Kind::value, 0, 0, 1, 1});  // a second consumer, in the same MIC
    QVERIFY(batch.find());
    QVERIFY(!batch.has_keys());
    batch.far = batch.channels(true);
    QVERIFY(batch.has_keys());
    batch.far.clear();
    QVERIFY(!batch.has_keys());
}

void ReuseTest::channels_of_other_stages_do_not_matter() {
    Batch batch;
    const auto others = batch.channels(false);
    QVERIFY(!others.empty());
    batch.far.insert(others.begin(), others.end());
    QVERIFY(batch.has_keys());
    batch.far = others;
    QVERIFY(!batch.has_keys());
}

void ReuseTest::stage_with_unknown_weights_has_no_keys() {
    Batch batch;
    batch.executor.held.clear();
    QVERIFY(batch.find());
    QVERIFY(!batch.has_keys());
}

void ReuseTest::unreadable_weight_is_an_error() {
    Batch batch;
    batch.executor.unreadable = Error{ErrorCode::unavailable, "the device is lost", "cuda:0", ""};
    const auto found = batch.find();
    QVERIFY(!found);
    QVERIFY(found.error().code == ErrorCode::unavailable);
}

DIVISI_TEST(ReuseTest)

}  // namespace reuse_test

#include "reuse_test.moc"
