// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/data_reader.h"

#include "agents/instance/engine/data_requests.h"
#include "agents/instance/engine/orders.h"
#include "agents/instance/engine/unit_setup.h"
#include "tests/unit/instance/compiled_plan.h"

namespace data_reader_test {

using namespace divisi;
using namespace divisi::instance;
using testing::small_plan;

namespace {

data::DatasetSpec spec_of(const task::CompiledPlan& plan) {
    return dataset_spec(plan, [](const std::string&, const std::string& path) { return Result(path); }).value();
}
DataReader open(const std::shared_ptr<const task::CompiledPlan>& plan) {
    auto reader = DataReader::open(plan, spec_of(*plan));
    if (!reader) qFatal("%s", reader.error().message().c_str());
    return std::move(reader).value();
}
/// Returns the bytes of a tensor.
std::vector<std::byte> bytes(const graph::HostTensor& tensor) {
    const auto span = tensor.bytes();
    return {span.begin(), span.end()};
}

}  // namespace

class DataReaderTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void microbatch_numbers_beyond_a_step_denote_validation();
    void preprocess_returns_the_loaded_microbatch();
    void dealt_microbatch_goes_to_the_channels_of_its_stage();
    void request_names_places_and_the_size_of_a_microbatch();
    void data_that_do_not_fit_the_model_are_refused();
};

void DataReaderTest::microbatch_numbers_beyond_a_step_denote_validation() {
    const DataReader reader = open(small_plan());
    QCOMPARE(reader.evaluation_microbatches().value(), 6);  // a quarter of 96 samples, 4 each
    QVERIFY(!reader.batch_samples());
    QVERIFY(reader.read({1, 1}) && reader.read({1, 2}) && reader.read({1, 7}));
    const auto first = reader.read({1, 2}).value(), later = reader.read({5, 2}).value();
    QVERIFY(bytes(*first.find("input")) == bytes(*later.find("input")));
    QVERIFY(bytes(*reader.read({1, 0}).value().find("input")) != bytes(*reader.read({2, 0}).value().find("input")));
}

void DataReaderTest::preprocess_returns_the_loaded_microbatch() {
    const auto plan = small_plan();
    DataReader reader = open(plan);
    const auto& operations = plan->programs->data.training;
    const plan::Operation& load = operations.at(0);
    const plan::Operation& preprocess = operations.at(1);
    QVERIFY(load.kind == plan::OperationKind::load && preprocess.kind == plan::OperationKind::preprocess);
    QVERIFY(reader.load({load, 1})->empty());
    const auto outputs = reader.preprocess({preprocess, 1});
    QCOMPARE(outputs->size(), preprocess.outputs.size());
    const auto read = reader.read({1, 0}).value();
    for (std::size_t i = 0; i < outputs->size(); ++i) {
        const auto& channel = plan->programs->channels[static_cast<std::size_t>(preprocess.outputs[i])];
        QVERIFY(bytes((*outputs)[i]) == bytes(*read.find(column_of(*plan, channel.value))));
    }
}

void DataReaderTest::dealt_microbatch_goes_to_the_channels_of_its_stage() {
    const auto plan = small_plan();
    DealtData dealt(plan);
    QVERIFY(dealt.empty() && !dealt.next());
    dealt.take({11, 1}, 0, {1, 0, {{2, 1}}});
    const auto item = dealt.next();
    QVERIFY(item && item->stage == 0 && item->place == (frame::DataPlace{2, 1}) && !dealt.next());
    const auto batch = open(plan).read(item->place).value();
    const auto tensors = dealt.tensors(*item, batch);
    QCOMPARE(tensors.size(), plan->graph().inputs.size());
    for (const auto& [key, tensor] : tensors) {
        QVERIFY(key.step == 2 && key.microbatch == 1);
        const auto& channel = plan->programs->channels[static_cast<std::size_t>(key.channel)];
        QVERIFY(channel.from == plan::data_unit && channel.to == 0);
    }
    QVERIFY(dealt.tensors({7, item->place}, batch).empty());
}

void DataReaderTest::request_names_places_and_the_size_of_a_microbatch() {
    const auto plan = small_plan();
    DataRequests requests(*plan->programs, 0);
    QVERIFY(!requests.take_changed());
    requests.begin(6);
    const auto first = requests.take_changed();
    QVERIFY(first && !first->places.empty() && first->bytes == 0);
    QVERIFY(first->places.front() == (frame::DataPlace{1, 0}) && !requests.take_changed());
    std::int64_t bytes = 0;
    for (std::size_t number = 0; number < plan->programs->channels.size(); ++number) {
        if (plan->programs->channels[number].from != plan::data_unit) continue;
        requests.arrived({static_cast<std::int32_t>(number), 1, 0}, 100);
        bytes += 100;
    }
    requests.arrived({1'000, 1, 0}, 7);  // no data of this stage
    const auto second = requests.take_changed();
    QVERIFY(second && second->bytes == bytes && second->places.front() != (frame::DataPlace{1, 0}));
}

void DataReaderTest::data_that_do_not_fit_the_model_are_refused() {
    const auto plan = small_plan();
    data::DatasetSpec spec = spec_of(*plan);
    spec.input_shape = {13};
    for (data::InputSpec& input : spec.inputs) input.dims = {13};
    const auto refused = DataReader::open(plan, spec);
    QVERIFY(!refused);
    QVERIFY(refused.error().code == ErrorCode::invalid_input);
}

DIVISI_TEST(DataReaderTest)

}  // namespace data_reader_test

#include "data_reader_test.moc"
