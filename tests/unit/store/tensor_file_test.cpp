// SPDX-License-Identifier: Apache-2.0
#include "backend/store/tensor_file.h"

#include <QTemporaryDir>
#include <algorithm>

#include "tests/support/test_program.h"

namespace tensor_file_test {

using namespace divisi;
using namespace divisi::store;

class TensorFileTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void tensors_read_back_unchanged();
};

void TensorFileTest::tensors_read_back_unchanged() {
    const QTemporaryDir folder;
    const auto file = std::filesystem::path(folder.path().toStdString()) / "weights.sqlite";
    graph::HostTensor empty;  // some exporters write such constants; they have no data pointer
    empty.dtype = graph::DType::int64;
    empty.dims = {0};
    NamedTensor turned{"c", graph::HostTensor::of<float>(graph::DType::float32, {2, 3}, {1, 2, 3, 4, 5, 6})};
    turned.tensor.strides = {1, 2};
    const std::vector<NamedTensor> tensors{
        {"a.empty", empty}, {"b", graph::HostTensor::of<float>(graph::DType::float32, {2, 1}, {1.5F, -2.0F})}, turned};
    const auto written = write_tensors(file, tensors);
    QVERIFY2(written.ok(), written.ok() ? "" : written.error().message().c_str());
    const auto read = read_tensors(file);
    QVERIFY2(read.ok(), read.ok() ? "" : read.error().message().c_str());
    QCOMPARE(read->size(), std::size_t{3});
    QCOMPARE(read->at(0).tensor.dims, std::vector<std::int64_t>{0});
    QVERIFY(read->at(0).tensor.dtype == graph::DType::int64);
    QCOMPARE(read->at(1).tensor.number_at(1), -2.0);
    QVERIFY(read->at(1).tensor.strides.empty());
    QCOMPARE(read->at(2).tensor.dims, (std::vector<std::int64_t>{2, 3}));
    QCOMPARE(read->at(2).tensor.strides, (std::vector<std::int64_t>{1, 2}));
    QVERIFY(std::ranges::equal(read->at(2).tensor.bytes(), turned.tensor.bytes()));
}

DIVISI_TEST(TensorFileTest)

}  // namespace tensor_file_test

#include "tensor_file_test.moc"
