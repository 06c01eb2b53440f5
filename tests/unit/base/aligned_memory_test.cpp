// SPDX-License-Identifier: Apache-2.0
#include "backend/base/aligned_memory.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "tests/support/test_program.h"
#include "tests/unit/base/stage_heap.h"

namespace aligned_memory_test {

using namespace divisi;

class AlignedMemoryTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void returns_aligned_memory();
    void reports_when_memory_is_exhausted();
    void reuses_freed_memory_for_equal_sizes();
};

void AlignedMemoryTest::returns_aligned_memory() {
    std::vector<void*> taken;
    for (std::size_t bytes = 0; bytes < 300; ++bytes) {
        void* memory = allocate_tensor(bytes);
        QVERIFY(memory != nullptr);
        QCOMPARE(reinterpret_cast<std::uintptr_t>(memory) % tensor_alignment, std::uintptr_t{0});
        std::memset(memory, 0xff, bytes);
        taken.push_back(memory);
    }
    for (void* memory : taken) free_tensor(memory);
    free_tensor(nullptr);
}

void AlignedMemoryTest::reports_when_memory_is_exhausted() {
    QVERIFY(allocate_tensor(std::numeric_limits<std::size_t>::max()) == nullptr);
    QVERIFY(allocate_tensor(std::numeric_limits<std::size_t>::max() / 2) == nullptr);
}

/// The C library's aligned allocation would make this heap 2.4 times as large at the end (glibc 2.36).
void AlignedMemoryTest::reuses_freed_memory_for_equal_sizes() {
#ifdef __SANITIZE_ADDRESS__
    QSKIP("AddressSanitizer brings a heap of its own");
#endif
    tests::StageHeap stage(allocate_tensor, free_tensor);
    stage.play(200);
    const double settled = stage.heap_bytes();
    stage.play(1800);
    const double growth = stage.heap_bytes() / settled;
    qInfo("after 2000 rounds the heap is %.2f times as large as after 200", growth);
    QVERIFY2(growth < 1.1, qPrintable(QString::number(growth)));
}

DIVISI_TEST(AlignedMemoryTest)

}  // namespace aligned_memory_test

#include "aligned_memory_test.moc"
