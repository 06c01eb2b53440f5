// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>

#include "tests/support/test_program.h"

#include "tests/unit/data/files.h"

namespace synthetic_test {

using namespace divisi;
using namespace divisi::data;

class SyntheticTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void data_depend_only_on_the_seed();
    void classes_can_be_distinguished();
    void target_values_depend_on_the_input();
    void tokens_can_be_predicted();
    void heads_have_their_own_targets();
    void data_can_be_generated_for_any_model();
    void refuses_what_it_cannot_generate();

private:
    DatasetSpec spec(std::vector<std::int64_t> shape, std::int64_t classes) const {
        DatasetSpec spec;
        spec.kind = "synthetic";
        spec.input_shape = std::move(shape);
        spec.classes = classes;
        spec.samples = 400;
        spec.batch = spec.rows = 200;
        return spec;
    }
};

void SyntheticTest::data_depend_only_on_the_seed() {
    auto wanted = spec({3, 8, 8}, 4);
    const auto draw = [&] { return numbers((*open_dataset(wanted))->microbatch(2, 0, 200).value(), "input"); };
    const auto first = draw();
    QCOMPARE(first, draw());
    wanted.seed = 1;
    QVERIFY(first != draw());
}

void SyntheticTest::classes_can_be_distinguished() {
    // A classifier that knows only the mean picture of each class, from one half, must do well on the other half.
    auto wanted = spec({3, 8, 8}, 4);
    wanted.validation_share = 0.5;
    const auto data = open_dataset(wanted);
    QVERIFY(data.ok());
    const std::size_t pixels = 3 * 8 * 8;
    const Batch seen = (*data)->microbatch(1, 0, 200).value(), fresh = (*data)->validation(0, 200).value();
    std::vector<std::vector<double>> means(4, std::vector<double>(pixels));
    const auto x = numbers(seen, "input"), fresh_x = numbers(fresh, "input");
    const auto y = integers(seen, "target"), fresh_y = integers(fresh, "target");
    for (std::size_t i = 0; i < y.size(); ++i)
        for (std::size_t p = 0; p < pixels; ++p) means[static_cast<std::size_t>(y[i])][p] += x[i * pixels + p] / 50.0;
    int right = 0;
    for (std::size_t i = 0; i < fresh_y.size(); ++i) {
        std::size_t best = 0;
        double best_distance = 1e300;
        for (std::size_t c = 0; c < 4; ++c) {
            double distance = 0.0;
            for (std::size_t p = 0; p < pixels; ++p) distance += std::pow(fresh_x[i * pixels + p] - means[c][p], 2);
            if (distance < best_distance) best_distance = distance, best = c;
        }
        right += static_cast<std::int64_t>(best) == fresh_y[i];
    }
    QVERIFY2(right > 180, qPrintable(QString::number(right)));
}

void SyntheticTest::target_values_depend_on_the_input() {
    // If there is one feature, the target is a multiple of the input, except for the noise.
    auto wanted = spec({1}, 0);
    wanted.target_form = DatasetSpec::Targets::values;
    const auto data = open_dataset(wanted);
    QVERIFY(data.ok());
    QCOMPARE((*data)->classes(), 0);
    const Batch batch = (*data)->microbatch(1, 0, 200).value();
    const auto x = numbers(batch, "input"), y = numbers(batch, "target");
    double xx = 0, xy = 0, yy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) xx += x[i] * x[i], xy += x[i] * y[i], yy += y[i] * y[i];
    QCOMPARE(open_dataset([&] {
                 auto wide = wanted;
                 wide.classes = 3;
                 return wide;
             }())
                 .value()
                 ->columns()[1]
                 .dims,
             (std::vector<std::int64_t>{3}));
    QVERIFY(std::abs(xx / 200.0 - 1.0) < 0.3);  // deviation about 1
    QVERIFY2(xy * xy / (xx * yy) > 0.8, qPrintable(QString::number(xy * xy / (xx * yy))));
}

void SyntheticTest::tokens_can_be_predicted() {
    auto wanted = spec({16}, 32);
    wanted.input_dtype = graph::DType::int64;
    const auto data = open_dataset(wanted);
    QVERIFY(data.ok());
    const Batch batch = (*data)->microbatch(1, 0, 200).value();
    const auto tokens = integers(batch, "tokens"), targets = integers(batch, "target");
    std::map<std::int64_t, std::map<std::int64_t, int>> counts;
    for (std::size_t i = 0; i < tokens.size(); ++i) ++counts[tokens[i]][targets[i]];
    int right = 0;
    for (const auto& [token, next] : counts) {
        int best = 0;
        for (const auto& [value, count] : next) best = std::max(best, count);
        right += best;
    }
    QVERIFY(right > 2700 && right < 3100);  // nine tenths of 3200
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
        if (i % 16 != 15) QCOMPARE(targets[i], tokens[i + 1]);
}

void SyntheticTest::heads_have_their_own_targets() {
    auto wanted = spec({16}, 0);
    wanted.heads = {{"target/a", Targets::classes, 3}, {"target/b", Targets::values, 2}};
    const auto data = open_dataset(wanted);
    QVERIFY2(data.ok(), data.ok() ? "" : data.error().message().c_str());
    const Batch both = (*data)->microbatch(2, 0, 200).value();
    QVERIFY(!both.find("target"));
    const auto labels = integers(both, "target/a");
    for (std::int64_t label = 0; label < 3; ++label) QVERIFY(std::count(labels.begin(), labels.end(), label) > 20);
    QCOMPARE(both.find("target/b")->dims, (std::vector<std::int64_t>{200, 2}));
    // A head has its own target: the target does not depend on the other heads.
    wanted.heads = {{"target/b", Targets::values, 2}};
    const Batch alone = (*open_dataset(wanted))->microbatch(2, 0, 200).value();
    QCOMPARE(numbers(alone, "target/b"), numbers(both, "target/b"));
    QCOMPARE(numbers(alone, "input"), numbers(both, "input"));
}

void SyntheticTest::data_can_be_generated_for_any_model() {
    // Inputs are token numbers with a mask and values; targets are a label at each place, and values in the form of a
    // picture.
    auto wanted = spec({5}, 0);
    wanted.inputs = {{"input/ids", graph::DType::int64, {5}, 30},
                     {"input/mask", graph::DType::boolean, {5}},
                     {"input/x", graph::DType::float32, {2, 3}}};
    wanted.heads = {{"target/places", Targets::classes, 4, {5}}, {"target/picture", Targets::values, 0, {40, 60}}};
    const auto data = open_dataset(wanted);
    QVERIFY2(data.ok(), data.ok() ? "" : data.error().message().c_str());
    const Batch batch = (*data)->microbatch(2, 0, 200).value();
    for (const Column& column : (*data)->columns()) {
        std::vector<std::int64_t> dims{200};
        dims.insert(dims.end(), column.dims.begin(), column.dims.end());
        QCOMPARE(batch.find(column.name)->dims, dims);
        QVERIFY(batch.find(column.name)->dtype == column.dtype);
    }
    const auto ids = integers(batch, "input/ids"), mask = integers(batch, "input/mask");
    QVERIFY(*std::max_element(ids.begin(), ids.end()) == 29 && *std::min_element(ids.begin(), ids.end()) == 0);
    for (std::size_t i = 0; i < mask.size(); ++i) QVERIFY(mask[i] == 1 || (i % 5 != 0 && mask[i] == 0));
    const auto places = integers(batch, "target/places");
    QVERIFY(*std::max_element(places.begin(), places.end()) == 3 &&
            *std::min_element(places.begin(), places.end()) == 0);
    wanted.seed = 1;
    QVERIFY(numbers((*open_dataset(wanted))->microbatch(2, 0, 200).value(), "target/picture") !=
            numbers(batch, "target/picture"));

    wanted.inputs.back().dims = {2, 0};
    COMPARE_CONTAINS(refusal(wanted), "a sample has no numbers");
    wanted.inputs.back() = {"input/x", graph::DType::float64, {2}};
    COMPARE_CONTAINS(refusal(wanted), "inputs of type float64");
}

void SyntheticTest::refuses_what_it_cannot_generate() {
    COMPARE_CONTAINS(refusal(spec({}, 4)), "input shape is unknown");
    COMPARE_CONTAINS(refusal(spec({4}, 0)), "at least two classes");
    auto wanted = spec({4}, 4);
    wanted.path = "somewhere";
    COMPARE_CONTAINS(refusal(wanted), "has no files");
    wanted.path.clear();
    wanted.input_dtype = graph::DType::float64;
    COMPARE_CONTAINS(refusal(wanted), "inputs of type float64");
    wanted.input_dtype = graph::DType::float32;
    COMPARE_CONTAINS(refusal(spec({1 << 20, 1 << 20}, 4)), "more than 268435456 numbers");
    COMPARE_CONTAINS(refusal(spec({4}, std::int64_t{1} << 40)), "more than 268435456 numbers");
    wanted.validation_share = 0.4;
    COMPARE_CONTAINS(refusal(wanted), "the validation part has 160 samples");
}

DIVISI_TEST(SyntheticTest)

}  // namespace synthetic_test

#include "synthetic_test.moc"
