// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/data/files.h"

#include "tests/support/test_program.h"

namespace once_test {

using namespace divisi;
using namespace divisi::data;

/// Tests the data of a batch task: every sample is read once, in the order of the files.
class OnceTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void every_row_appears_once_and_the_last_batch_is_filled_up();
    void batch_reads_the_validation_part_if_there_is_one();
    void windows_of_a_text_do_not_overlap();
    void table_needs_no_target();

private:
    DatasetSpec table(const char* text) const {
        DatasetSpec spec;
        spec.kind = "csv";
        spec.path = files_.write("a.csv", text);
        spec.targets = {"y"};
        spec.target_form = Targets::values;
        spec.standardize = false;
        spec.once = true;
        spec.rows = spec.batch = 2;
        return spec;
    }
    Files files_;
};

void OnceTest::every_row_appears_once_and_the_last_batch_is_filled_up() {
    const auto data = open_dataset(table("x,y\n1,0\n2,0\n3,0\n"));
    QVERIFY2(data.ok(), data.ok() ? "" : data.error().message().c_str());
    QCOMPARE((*data)->once_samples(), std::int64_t{3});
    const Batch first = (*data)->once(0, 2).value(), last = (*data)->once(2, 2).value();
    QCOMPARE(first.find("input")->number_at(0), 1.0);
    QCOMPARE(first.find("input")->number_at(1), 2.0);
    QCOMPARE(last.find("input")->number_at(0), 3.0);
    QCOMPARE(last.find("input")->number_at(1), 3.0);
}

void OnceTest::batch_reads_the_validation_part_if_there_is_one() {
    DatasetSpec spec = table("x,y\n1,0\n2,0\n3,0\n4,0\n");
    spec.validation_share = 0.25;
    const auto data = open_dataset(spec);
    QVERIFY2(data.ok(), data.ok() ? "" : data.error().message().c_str());
    QCOMPARE((*data)->once_samples(), std::int64_t{1});
    QCOMPARE((*data)->once(0, 2)->find("input")->number_at(0), 4.0);
}

void OnceTest::windows_of_a_text_do_not_overlap() {
    DatasetSpec spec;
    spec.kind = "text";
    spec.path = files_.write("a.txt", "abcdefghij");
    spec.input_shape = {3};
    spec.once = true;
    const auto data = open_dataset(spec);
    QVERIFY(data.ok());
    QCOMPARE((*data)->once_samples(), std::int64_t{3});
    const Batch last = (*data)->once(2, 1).value();
    QCOMPARE(last.find("input")->integer_at(0), std::int64_t{'g'});
    QCOMPARE(last.find("target")->integer_at(2), std::int64_t{'j'});
}

void OnceTest::table_needs_no_target() {
    DatasetSpec spec = table("x,z\n1,2\n3,4\n");
    spec.targets.clear();
    QVERIFY(!open_dataset(spec).ok());
    spec.labelled = false;
    const auto data = open_dataset(spec);
    QVERIFY2(data.ok(), data.ok() ? "" : data.error().message().c_str());
    const Batch batch = (*data)->once(0, 2).value();
    QCOMPARE(batch.find("input")->dims, (std::vector<std::int64_t>{2, 2}));
    QVERIFY(batch.find("target") == nullptr);
}

DIVISI_TEST(OnceTest)

}  // namespace once_test

#include "once_test.moc"
