// SPDX-License-Identifier: Apache-2.0
#include "backend/process/processor.h"

#include "tests/support/test_program.h"

namespace processor_test {

using namespace divisi;

/// Tests the names of processor capabilities in the math library.
class ProcessorTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void kernels_depend_on_instruction_sets();
    void kernel_choice_of_the_user_is_kept();
};

void ProcessorTest::kernels_depend_on_instruction_sets() {
    const std::string avx512 = " avx512f avx512dq avx512cd avx512bw avx512vl";
    QCOMPARE(process::blas_kernels_for("fpu sse2 fma avx avx2" + avx512), std::string("SkylakeX"));
    QCOMPARE(process::blas_kernels_for("fpu sse2 fma avx avx2 avx512f avx512cd"), std::string("Haswell"));  // Xeon Phi
    QCOMPARE(process::blas_kernels_for("fpu sse2 fma avx avx2"), std::string("Haswell"));
    QCOMPARE(process::blas_kernels_for("fpu sse2 avx avx2x"), std::string());
    QCOMPARE(process::blas_kernels_for(""), std::string());
}

void ProcessorTest::kernel_choice_of_the_user_is_kept() {
    const QByteArray before = qgetenv("OPENBLAS_CORETYPE");
    const bool set = qEnvironmentVariableIsSet("OPENBLAS_CORETYPE");
    qputenv("OPENBLAS_CORETYPE", "Zen");
    QCOMPARE(process::blas_kernels(), std::string("Zen"));
    qunsetenv("OPENBLAS_CORETYPE");
    QCOMPARE(process::blas_kernels(), process::blas_kernels_for(process::proc_value("/proc/cpuinfo", "flags")));
    if (set) qputenv("OPENBLAS_CORETYPE", before);
}

DIVISI_TEST(ProcessorTest)

}  // namespace processor_test

#include "processor_test.moc"
