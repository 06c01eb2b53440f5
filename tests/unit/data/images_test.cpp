// SPDX-License-Identifier: Apache-2.0
#include <png.h>

#include <algorithm>

#include "tests/support/test_program.h"

#include "tests/unit/data/files.h"

namespace images_test {

using namespace divisi;
using namespace divisi::data;

namespace {

QByteArray idx(unsigned char type, const std::vector<int>& dims, const QByteArray& elements) {
    QByteArray bytes{"\0\0", 2};
    bytes += static_cast<char>(type);
    bytes += static_cast<char>(dims.size());
    for (const int dim : dims)
        for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(dim >> shift & 0xff);
    return bytes + elements;
}

QByteArray png(unsigned width, unsigned height, const QByteArray& pixels, bool color) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = width;
    image.height = height;
    image.format = color ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
    png_alloc_size_t size = 0;
    png_image_write_to_memory(&image, nullptr, &size, 0, pixels.constData(), 0, nullptr);
    QByteArray bytes(static_cast<qsizetype>(size), '\0');
    png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels.constData(), 0, nullptr);
    return bytes;
}

}  // namespace

class ImagesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void idx_pairs_pixels_with_labels();
    void idx_reads_labels_of_four_bytes();
    void idx_refuses_inconsistent_files();
    void folder_numbers_classes_by_name();
    void folder_reads_color_as_planes();
    void folder_refuses_inconsistent_pictures();

private:
    DatasetSpec spec(const std::string& path, const std::string& labels = {}) const {
        DatasetSpec spec;
        spec.kind = "images";
        spec.path = path;
        spec.labels = labels;
        return spec;
    }
    Files files_;
};

void ImagesTest::idx_pairs_pixels_with_labels() {
    // Sample i has the pixels 10 i and 10 i + 1 and the label i.
    QByteArray pixels, labels;
    for (int i = 0; i < 10; ++i) {
        pixels += static_cast<char>(10 * i);
        pixels += static_cast<char>(10 * i + 1);
        labels += static_cast<char>(i);
    }
    auto wanted = spec(files_.write("i", idx(8, {10, 1, 2}, pixels)), files_.write("l", idx(8, {10}, labels)));
    wanted.batch = wanted.rows = 5;
    wanted.input_shape = {1, 1, 2};
    wanted.validation_share = 0.5;
    const auto data = open_dataset(wanted);
    QVERIFY2(data.ok(), qPrintable(refusal(wanted)));
    QCOMPARE((*data)->classes(), 10);
    const Batch batch = (*data)->microbatch(1, 0, 5).value();
    QCOMPARE(batch.find("input")->dims, (std::vector<std::int64_t>{5, 1, 1, 2}));
    const auto values = numbers(batch, "input");
    auto targets = integers(batch, "target");
    for (std::size_t i = 0; i < 5; ++i) {
        QCOMPARE(static_cast<float>(values[2 * i]), static_cast<float>(targets[i]) * 10.0f / 127.5f - 1.0f);
    }
    std::ranges::sort(targets);
    QCOMPARE(targets, (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
    QCOMPARE(integers((*data)->validation(0, 5).value(), "target"), (std::vector<std::int64_t>{5, 6, 7, 8, 9}));
}

void ImagesTest::idx_reads_labels_of_four_bytes() {
    const auto images = files_.write("train-images-idx3", idx(8, {2, 1, 1}, QByteArray("\x10\x20", 2)));
    const auto labels = files_.write("train-labels-idx3", idx(12, {2}, QByteArray("\0\0\0\1\0\0\0\2", 8)));
    const auto data = open_dataset(spec(images, labels));
    QVERIFY2(data.ok(), qPrintable(refusal(spec(images, labels))));
    QCOMPARE((*data)->classes(), 3);
}

void ImagesTest::idx_refuses_inconsistent_files() {
    const auto images = files_.write("i", idx(8, {2, 1, 1}, "ab"));
    const auto labels = files_.write("l", idx(8, {2}, QByteArray("\1\7", 2)));
    QCOMPARE(refusal(spec(images, labels)), "opened");
    COMPARE_CONTAINS(refusal(spec(labels, images)), "are not swapped");
    COMPARE_CONTAINS(refusal(spec(images, files_.write("l3", idx(8, {3}, "\1\1\1")))), "3 labels for 2 images");
    COMPARE_CONTAINS(refusal(spec(files_.write("cut", idx(8, {2, 1, 1}, "a")), labels)), "but has 17");
    COMPARE_CONTAINS(refusal(spec(files_.write("gz", QByteArray("\x1f\x8b\x08\0\0\0\0\0", 8)), labels)), "gunzip");
    COMPARE_CONTAINS(refusal(spec(files_.write("junk", "no idx file at all"), labels)), "is not an IDX file");
    COMPARE_CONTAINS(refusal(spec(files_.write("huge", idx(8, {1, 2147483647, 2147483647}, "a")), labels)),
                     "impossible size");
    COMPARE_CONTAINS(refusal(spec(images)), "needs a label file");
    auto wanted = spec(images, labels);
    wanted.classes = 5;
    COMPARE_CONTAINS(refusal(wanted), "label 7 of sample 1 is out of range; there are 5 classes");
    wanted.classes = 10;
    wanted.input_shape = {3, 1, 1};
    COMPARE_CONTAINS(refusal(wanted), "samples are 1x1x1, but the model takes 3x1x1");
    wanted.input_shape = {};
    wanted.validation_share = 0.5;
    wanted.rows = 2;
    COMPARE_CONTAINS(refusal(wanted), "the validation part has 1 samples, but a micro-batch needs 2");
}

void ImagesTest::folder_numbers_classes_by_name() {
    for (int i = 0; i < 6; ++i) {
        files_.write(QStringLiteral("f/ant/%1.png").arg(i), png(2, 1, QByteArray(2, '\0'), false));
        files_.write(QStringLiteral("f/bee/%1.png").arg(i), png(2, 1, QByteArray(2, '\xff'), false));
    }
    files_.write("f/bee/notes.txt", "no picture");
    auto wanted = spec(files_.path("f"));
    wanted.batch = wanted.rows = 12;
    const auto data = open_dataset(wanted);
    QVERIFY2(data.ok(), qPrintable(refusal(wanted)));
    QCOMPARE((*data)->classes(), 2);
    const Batch batch = (*data)->microbatch(1, 0, 12).value();
    QCOMPARE(batch.find("input")->dims, (std::vector<std::int64_t>{12, 1, 1, 2}));
    const auto values = numbers(batch, "input");
    const auto targets = integers(batch, "target");
    for (std::size_t i = 0; i < 12; ++i) QCOMPARE(values[2 * i], targets[i] == 1 ? 1.0 : -1.0);
    QCOMPARE(std::ranges::count(targets, 1), 6);
}

void ImagesTest::folder_reads_color_as_planes() {
    files_.write("c/a/1.png", png(2, 1, QByteArray("\xff\0\0\0\xff\0", 6), true));
    const auto data = open_dataset(spec(files_.path("c")));
    QVERIFY(data.ok());
    const auto values = numbers((*data)->microbatch(1, 0, 1).value(), "input");
    QCOMPARE(values, (std::vector<double>{1, -1, -1, 1, -1, -1}));
}

void ImagesTest::folder_refuses_inconsistent_pictures() {
    const QByteArray good = png(2, 2, QByteArray(4, '\x55'), false);
    files_.write("sizes/a/1.png", good);
    files_.write("sizes/a/2.png", png(1, 2, "ab", false));
    COMPARE_CONTAINS(refusal(spec(files_.path("sizes"))), "is 1x2, but");
    files_.write("truncated/a/1.png", good.left(good.size() - 14));
    COMPARE_CONTAINS(refusal(spec(files_.path("truncated"))), "is a truncated PNG");
    QByteArray flipped = good;
    const auto inside = flipped.indexOf("IDAT") + 7;
    flipped[inside] = static_cast<char>(flipped[inside] ^ 0x55);
    files_.write("damaged/a/1.png", flipped);
    COMPARE_CONTAINS(refusal(spec(files_.path("damaged"))), "is a damaged PNG");
    files_.write("jpeg/a/1.png", QByteArray("\xff\xd8\xff and so on, longer than a header"));
    COMPARE_CONTAINS(refusal(spec(files_.path("jpeg"))), "wrong signature");
    files_.write("hole/a/1.png", good);
    files_.write("hole/b/read.me", "x");
    COMPARE_CONTAINS(refusal(spec(files_.path("hole"))), "contains no .png file");
    files_.write("flat/1.png", good);
    COMPARE_CONTAINS(refusal(spec(files_.path("flat"))), "no sub-folder");
}

DIVISI_TEST(ImagesTest)

}  // namespace images_test

#include "images_test.moc"
