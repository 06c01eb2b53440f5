// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "tests/support/test_program.h"

#include "tests/unit/data/files.h"

namespace text_test {

using namespace divisi;
using namespace divisi::data;

class TextTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void target_is_the_next_byte();
    void row_order_depends_on_the_key();
    void microbatches_do_not_change_a_step();
    void epoch_visits_every_window_once();
    void validation_part_is_the_end_of_the_text_without_overlap();
    void large_file_is_not_loaded();
    void refuses_invalid_specifications();
    void notices_a_file_that_shrinks();

private:
    DatasetSpec spec(const std::string& path, std::int64_t context) const {
        DatasetSpec spec;
        spec.kind = "text";
        spec.path = path;
        spec.input_shape = {context};
        spec.batch = 4;
        spec.rows = 2;
        spec.seed = 5;
        return spec;
    }
    QByteArray counting(int size) const {
        QByteArray bytes(size, '\0');
        for (int i = 0; i < size; ++i) bytes[i] = static_cast<char>(i % 251);
        return bytes;
    }
    Files files_;
};

void TextTest::target_is_the_next_byte() {
    const auto opened = open_dataset(spec(files_.write("a.txt", counting(1000)), 8));
    QVERIFY(opened.ok());
    const auto& data = **opened;
    const Batch batch = data.microbatch(3, 1, 2).value();
    QCOMPARE(batch.find("tokens")->dims, (std::vector<std::int64_t>{2, 8}));
    QCOMPARE(batch.find("tokens")->dtype, graph::DType::int64);
    const auto tokens = integers(batch, "input"), targets = integers(batch, "target");
    QCOMPARE(tokens.size(), std::size_t{16});
    for (std::size_t i = 0; i < tokens.size(); ++i) QCOMPARE(targets[i], (tokens[i] + 1) % 251);
    QCOMPARE(data.classes(), 256);
    QCOMPARE(data.training_samples(), 992);
    QCOMPARE(data.columns().front().dims, (std::vector<std::int64_t>{8}));
}

void TextTest::row_order_depends_on_the_key() {
    auto wanted = spec(files_.write("a.txt", counting(1000)), 8);
    const auto first = open_dataset(wanted), again = open_dataset(wanted);
    const auto at = [](const auto& data, std::int64_t step) {
        return integers((*data)->microbatch(step, 0, 2).value(), "tokens");
    };
    QCOMPARE(at(first, 7), at(again, 7));
    QVERIFY(at(first, 7) != at(first, 8));
    wanted.seed = 6;
    QVERIFY(at(open_dataset(wanted), 7) != at(first, 7));
}

void TextTest::microbatches_do_not_change_a_step() {
    const auto data = open_dataset(spec(files_.write("a.txt", counting(1000)), 8));
    auto whole = integers((*data)->microbatch(2, 0, 4).value(), "tokens");
    auto halves = integers((*data)->microbatch(2, 0, 2).value(), "tokens");
    const auto second = integers((*data)->microbatch(2, 1, 2).value(), "tokens");
    halves.insert(halves.end(), second.begin(), second.end());
    QCOMPARE(whole, halves);
}

void TextTest::epoch_visits_every_window_once() {
    // The data have 12 windows in 3 steps of 4. Bytes are distinct, so the first byte identifies the window.
    const auto data = open_dataset(spec(files_.write("a.txt", counting(20)), 8));
    for (int epoch = 0; epoch < 2; ++epoch) {
        std::set<std::int64_t> seen;
        for (int step = 1; step <= 3; ++step)
            for (int row = 0; row < 4; ++row)
                seen.insert(integers((*data)->microbatch(3 * epoch + step, row, 1).value(), "tokens").front());
        QCOMPARE(seen.size(), std::size_t{12});
    }
}

void TextTest::validation_part_is_the_end_of_the_text_without_overlap() {
    auto wanted = spec(files_.write("a.txt", counting(200)), 8);
    wanted.validation_share = 0.2;
    const auto data = open_dataset(wanted);
    QVERIFY(data.ok());
    QCOMPARE((*data)->training_samples(), 152);
    QCOMPARE((*data)->validation_samples(), 4);  // 40 bytes: windows at 0, 8, 16, 24; the next lacks its target
    QCOMPARE((*data)->validation_batches(2), 2);
    const auto second = integers((*data)->validation(1, 2).value(), "tokens");
    QCOMPARE(second.front(), 176);
    QCOMPARE(second.back(), 191);
    QVERIFY(!(*data)->validation(2, 2).ok());

    wanted.validation_share = 0.0;
    wanted.validation = files_.write("b.txt", counting(30));
    const auto apart = open_dataset(wanted);
    QCOMPARE((*apart)->training_samples(), 192);
    QCOMPARE(integers((*apart)->validation(0, 2).value(), "tokens").front(), 0);
}

void TextTest::large_file_is_not_loaded() {
    // The file is sparse, with a hole of 4 GiB: reading it whole would show immediately in time and memory.
    const auto path = files_.write("large.txt", "start");
    QVERIFY(QFile::resize(QString::fromStdString(path), 4LL << 30));
    const auto data = open_dataset(spec(path, 64));
    QVERIFY(data.ok());
    QCOMPARE((*data)->training_samples(), (4LL << 30) - 64);
    QVERIFY((*data)->microbatch(12345, 0, 2).ok());
}

void TextTest::refuses_invalid_specifications() {
    COMPARE_CONTAINS(refusal(spec(files_.path("none.txt"), 8)), "none.txt: no such file");
    COMPARE_CONTAINS(refusal(spec(files_.write("empty.txt", ""), 8)), "empty.txt: the file is empty");
    COMPARE_CONTAINS(refusal(spec(files_.path(""), 8)), "is a folder, not a file");
    COMPARE_CONTAINS(refusal(spec(files_.write("short.txt", "12345678"), 8)), "8 bytes, but one window needs 9");
    auto wanted = spec(files_.write("a.txt", counting(100)), 8);
    wanted.input_shape = {3, 32, 32};
    COMPARE_CONTAINS(refusal(wanted), "the model takes 3x32x32");
    wanted = spec(wanted.path, 8);
    wanted.classes = 65;
    COMPARE_CONTAINS(refusal(wanted), "has only 65 classes");
    wanted.classes = 256;
    wanted.validation_share = 0.05;
    COMPARE_CONTAINS(refusal(wanted), "the validation part has 5 bytes");
    wanted.validation_share = 1.0;
    COMPARE_CONTAINS(refusal(wanted), "below 1");
    wanted.validation_share = 0.1;
    wanted.validation = wanted.path;
    COMPARE_CONTAINS(refusal(wanted), "exclude each other");
    wanted = spec(wanted.path, 8);
    wanted.kind = "texts";
    COMPARE_CONTAINS(refusal(wanted), "unknown kind of data 'texts'");
}

void TextTest::notices_a_file_that_shrinks() {
    const auto path = files_.write("a.txt", counting(1000));
    const auto data = open_dataset(spec(path, 8));
    QVERIFY(QFile::resize(QString::fromStdString(path), 4));
    const auto batch = (*data)->microbatch(1, 0, 2);
    QVERIFY(!batch.ok());
    QCOMPARE(batch.error().code, ErrorCode::corrupt);
}

DIVISI_TEST(TextTest)

}  // namespace text_test

#include "text_test.moc"
