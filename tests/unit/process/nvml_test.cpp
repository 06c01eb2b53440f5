// SPDX-License-Identifier: Apache-2.0
#include "backend/process/nvml.h"

#include "backend/process/gpus.h"
#include "tests/support/test_program.h"

namespace nvml_test {

using namespace divisi;
using namespace divisi::process;

class NvmlTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nothing_is_reported_without_the_library() {
        QVERIFY(!Nvml::load("libno-such-library.so.1"));
        QVERIFY(!Nvml::load("libc.so.6"));  // a library without these functions
    }

    void all_figures_of_a_gpu_are_read() {
        const auto nvml = Nvml::load(DIVISI_NVML_STAND_IN);
        QVERIFY(nvml != nullptr);
        const auto gpus = nvml->read();
        QCOMPARE(gpus.size(), std::size_t{2});
        QCOMPARE(gpus[0].uuid, std::string("GPU-1"));
        QCOMPARE(gpus[0].model, std::string("NVIDIA H200"));
        QCOMPARE(gpus[0].busy_share.value(), 0.25);
        QCOMPARE(gpus[0].memory.value(), Bytes{1000});
        QCOMPARE(gpus[0].used.value(), Bytes{600});
        QCOMPARE(gpus[0].temperature_c.value(), 41.0);
        QCOMPARE(gpus[0].power_w.value(), 250.5);
        QCOMPARE(gpus[0].energy_mj.value(), std::int64_t{5'000'000'000});
        QCOMPARE(gpus[1].busy_share.value(), 0.5);
        QVERIFY(!gpus[1].power_w && !gpus[1].energy_mj);
    }

    /// The driver's files are the reference.
    void a_real_driver_names_the_same_gpus() {
        const auto nvml = Nvml::load();
        const auto known = list_gpus(driver_folder, nullptr);
        if (!nvml || known.empty()) QSKIP("there is no NVIDIA driver here");
        const auto gpus = nvml->read();
        QCOMPARE(gpus.size(), known.size());
        for (std::size_t i = 0; i < known.size(); ++i) {
            QCOMPARE(gpus[i].uuid, known[i].uuid);
            QVERIFY(gpus[i].memory.value_or(0) > 0 && gpus[i].used.value_or(-1) >= 0);
            QVERIFY(gpus[i].busy_share.value_or(0) >= 0 && gpus[i].busy_share.value_or(0) <= 1);
        }
    }
};

DIVISI_TEST(NvmlTest)

}  // namespace nvml_test

#include "nvml_test.moc"
