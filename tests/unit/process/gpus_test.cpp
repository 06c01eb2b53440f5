// SPDX-License-Identifier: Apache-2.0
#include "backend/process/gpus.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include "backend/process/processor.h"
#include "tests/support/test_program.h"

namespace gpus_test {

using namespace divisi::process;

/// Tests the list of GPUs, on the /proc folder of a driver with two models.
class GpusTest : public QObject {
    Q_OBJECT

    void describe(const QString& address, const QByteArray& model, const QByteArray& uuid) const {
        QVERIFY(QDir(driver_.path()).mkpath(address));
        QFile file(driver_.filePath(address + "/information"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("Model: \t\t " + model + "\nIRQ:   \t\t 128\nGPU UUID: \t " + uuid +
                   "\nVideo BIOS: \t 96.00.61\nBus Location: \t 0000:1b:00.0\nDevice Minor: \t 0\n");
    }
    std::vector<Gpu> list(const char* visible = nullptr) const {
        return list_gpus(driver_.path().toStdString(), visible);
    }
    QTemporaryDir driver_;

private Q_SLOTS:
    void initTestCase() {
        describe("0000:4b:00.0", "NVIDIA H200", "GPU-bb22");
        describe("0000:1b:00.0", "NVIDIA A100-SXM4-80GB", "GPU-aa11");
        QVERIFY(QDir(driver_.path()).mkpath("0000:5c:00.0"));  // a GPU without information
    }

    void gpus_are_ordered_by_bus_address() {
        const auto gpus = list();
        QCOMPARE(gpus.size(), std::size_t{2});
        QCOMPARE(gpus[0].model, std::string("NVIDIA A100-SXM4-80GB"));
        QCOMPARE(gpus[1].model, std::string("NVIDIA H200"));
        QCOMPARE(gpus[1].uuid, std::string("GPU-bb22"));
        QVERIFY(list_gpus("/no/such/folder", nullptr).empty());
    }

    void environment_selects_gpus_as_cuda_does() {
        QCOMPARE(list("1")[0].model, std::string("NVIDIA H200"));
        QCOMPARE(list("1,0")[1].model, std::string("NVIDIA A100-SXM4-80GB"));
        QCOMPARE(list("GPU-bb,0")[0].model, std::string("NVIDIA H200"));
        QCOMPARE(list("0,7,1").size(), std::size_t{1});  // entries after a missing GPU are ignored
        QCOMPARE(list("0,GPU-cc,1").size(), std::size_t{1});
        QVERIFY(list("").empty());
        QVERIFY(list("-1").empty());
    }

    void device_type_is_the_model_of_the_gpu() {
        const auto gpus = list();
        QCOMPARE(device_type("cpu", gpus), processor_model());
        QCOMPARE(device_type("cuda", gpus), std::string("NVIDIA A100-SXM4-80GB"));
        QCOMPARE(device_type("cuda:1", gpus), std::string("NVIDIA H200"));
        for (const char* unknown : {"cuda:2", "cuda:", "cuda:x", "cuda1"})
            QCOMPARE(device_type(unknown, gpus), std::string(unknown));
        QCOMPARE(device_type("cuda:0", {}), std::string("cuda:0"));  // no driver is installed
    }
};

DIVISI_TEST(GpusTest)

}  // namespace gpus_test

#include "gpus_test.moc"
