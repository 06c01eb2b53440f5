// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/engine/results.h"

#include <QFile>
#include <QTemporaryDir>

#include <cmath>

#include "tests/support/test_program.h"

namespace results_test {

using namespace divisi;
using namespace divisi::instance;
using graph::DType;
using graph::HostTensor;

/// Tests the results file of a batch, and the figures computed from it.
class ResultsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void classes_are_written_with_their_losses();
    void padding_rows_do_not_count();
    void sequence_is_written_into_one_field();
    void values_read_back_to_the_same_bits();
    void strides_do_not_matter();
    void heads_have_their_own_columns();
    void only_predictions_are_written_without_labels();
    void mismatched_outputs_are_refused();

private:
    std::filesystem::path file() const { return folder_.filePath("results.csv").toStdString(); }
    QStringList lines() const {
        QFile read(folder_.filePath("results.csv"));
        if (!read.open(QIODevice::ReadOnly)) return {};
        return QString(read.readAll()).split("\r\n", Qt::SkipEmptyParts);
    }
    static std::vector<plan::Head> heads(std::vector<plan::Loss> kinds) {
        std::vector<plan::Head> all;
        for (std::size_t i = 0; i < kinds.size(); ++i) all.push_back({"h" + std::to_string(i), kinds[i]});
        return all;
    }
    static HostTensor floats(std::vector<std::int64_t> dims, const std::vector<float>& values) {
        return HostTensor::of(DType::float32, std::move(dims), values);
    }
    static HostTensor numbers(std::vector<std::int64_t> dims, const std::vector<std::int64_t>& values) {
        return HostTensor::of(DType::int64, std::move(dims), values);
    }
    QTemporaryDir folder_;
};

constexpr auto classes = plan::Loss::cross_entropy;
constexpr auto values = plan::Loss::mse;

void ResultsTest::classes_are_written_with_their_losses() {
    auto results = Results::create(file(), heads({classes}), false, true, false);
    QVERIFY(results.ok());
    const auto scores = results->add({{floats({2, 3}, {0, 0, 0, 1, 3, 3}), numbers({2}, {2, 1})}}, 2);
    QVERIFY(scores.ok() && results->close().ok());
    const double second = std::log(std::exp(1) + 2 * std::exp(3)) - 3;
    QVERIFY(std::abs(scores->at(0).loss - (std::log(3.0) + second) / 2) < 1e-12);
    QCOMPARE(scores->at(0).accuracy, 0.5);  // among equal scores, the first one counts
    QCOMPARE(lines().at(0), QString("sample,prediction,target,loss"));
    QCOMPARE(lines().at(1).section(',', 0, 2), QString("0,0,2"));
    QCOMPARE(lines().at(1).section(',', 3).toDouble(), std::log(3.0));
    QCOMPARE(lines().at(2).section(',', 0, 2), QString("1,1,1"));
}

void ResultsTest::padding_rows_do_not_count() {
    auto results = Results::create(file(), heads({classes}), false, true, false);
    const HostTensor scores = floats({2, 2}, {5, 0, 5, 0});
    QVERIFY(results->add({{scores, numbers({2}, {0, 0})}}, 2).ok());
    const auto last = results->add({{scores, numbers({2}, {1, 0})}}, 1);
    QVERIFY(last.ok() && results->close().ok());
    QCOMPARE(last->at(0).accuracy, 0.0);
    QCOMPARE(lines().size(), 4);
    QCOMPARE(results->samples(), std::int64_t{3});
    QCOMPARE(results->totals().at(0).accuracy, 2.0 / 3);
}

void ResultsTest::sequence_is_written_into_one_field() {
    auto results = Results::create(file(), heads({classes}), false, true, false);
    const auto scores = results->add({{floats({1, 2, 2}, {0, 1, 1, 0}), numbers({1, 2}, {1, 1})}}, 1);
    QVERIFY(scores.ok() && results->close().ok());
    QCOMPARE(scores->at(0).accuracy, 0.5);
    QCOMPARE(lines().at(1).section(',', 0, 2), QString("0,1 0,1 1"));
}

void ResultsTest::values_read_back_to_the_same_bits() {
    auto results = Results::create(file(), heads({values}), false, true, true);
    const std::vector<float> made{0.1F, 1e-30F, 3.0F, -0.25F};
    const auto scores = results->add({{floats({2, 2}, made), floats({2, 2}, {0.1F, 0, 1, -0.25F})}}, 2);
    QVERIFY(scores.ok() && results->close().ok());
    QVERIFY(!scores->at(0).accuracy);
    QVERIFY(std::abs(scores->at(0).loss - 1.0) < 1e-12);
    QCOMPARE(lines().at(0), QString("sample,prediction,target,loss,output"));
    for (int row = 0; row < 2; ++row) {
        const QStringList read = lines().at(row + 1).section(',', 4).split(' ');
        for (int i = 0; i < 2; ++i) QCOMPARE(read.at(i).toFloat(), made[static_cast<std::size_t>(2 * row + i)]);
    }
}

void ResultsTest::strides_do_not_matter() {
    auto results = Results::create(file(), heads({values}), false, false, false);
    HostTensor transposed = floats({2, 3}, {1, 3, 5, 2, 4, 6});
    transposed.dims = {3, 2};
    transposed.strides = {1, 3};
    QVERIFY(results->add({{transposed, {}}}, 3).ok() && results->close().ok());
    QCOMPARE(lines().mid(1), QStringList({"0,1 2", "1,3 4", "2,5 6"}));
}

void ResultsTest::heads_have_their_own_columns() {
    auto all = heads({classes, values});
    all[0].name = "a,\"b";
    auto results = Results::create(file(), all, true, true, false);
    const auto scores =
        results->add({{floats({1, 2}, {0, 1}), numbers({1}, {1})}, {floats({1, 1}, {2}), floats({1, 1}, {4})}}, 1);
    QVERIFY(scores.ok() && results->close().ok());
    QCOMPARE(scores->at(1).loss, 4.0);
    QCOMPARE(lines().at(0), QString("sample,\"a,\"\"b.prediction\",\"a,\"\"b.target\",\"a,\"\"b.loss\",h1.prediction,"
                                    "h1.target,h1.loss"));
    QCOMPARE(lines().at(1).section(',', 4), QString("2,4,4"));
}

void ResultsTest::only_predictions_are_written_without_labels() {
    auto results = Results::create(file(), heads({classes}), false, false, false);
    const auto scores = results->add({{floats({2, 2}, {0, 1, 1, 0}), {}}}, 2);
    QVERIFY(scores.ok() && scores->empty() && results->close().ok());
    QCOMPARE(lines(), QStringList({"sample,prediction", "0,1", "1,0"}));
}

void ResultsTest::mismatched_outputs_are_refused() {
    QVERIFY(!Results::create("/nowhere/at/all.csv", heads({classes}), false, true, false).ok());
    auto results = Results::create(file(), heads({classes}), false, true, false);
    const HostTensor scores = floats({2, 2}, {0, 1, 1, 0});
    QCOMPARE(results->add({{scores, numbers({3}, {0, 0, 0})}}, 2).error().code, ErrorCode::corrupt);
    QCOMPARE(results->add({{floats({4}, {0, 1, 1, 0}), numbers({4}, {0, 0, 0, 0})}}, 2).error().code,
             ErrorCode::corrupt);
    QCOMPARE(results->add({{scores, numbers({2}, {0, 0})}}, 3).error().code, ErrorCode::corrupt);
    const auto label = results->add({{scores, numbers({2}, {0, 2})}}, 2);
    QCOMPARE(label.error().code, ErrorCode::invalid_input);
}

DIVISI_TEST(ResultsTest)

}  // namespace results_test

#include "results_test.moc"
