// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <optional>

#include "backend/file/folder_lock.h"
#include "tests/support/test_program.h"
#include "tests/unit/file/system_calls.h"

namespace folder_lock_test {

using namespace divisi;
using file::FolderLock;

class FolderLockTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void only_one_process_locks_a_folder() {
        const QTemporaryDir directory;
        const std::filesystem::path folder = directory.path().toStdString();
        std::optional<FolderLock> first = FolderLock::take(folder).value();
        const auto second = FolderLock::take(folder);
        QVERIFY(!second.ok());
        QCOMPARE(second.error().code, ErrorCode::conflict);
        QVERIFY(second.error().what.find(std::to_string(::getpid())) != std::string::npos);
        first.reset();
        QVERIFY(std::filesystem::is_empty(folder));
        QVERIFY(FolderLock::take(folder).ok());
    }
    /// The second process opens the file; the first removes it and releases the lock; the second locks a file without a
    /// name.
    void lock_released_meanwhile_is_not_taken_twice() {
        const QTemporaryDir directory;
        const std::filesystem::path folder = directory.path().toStdString();
        std::optional<FolderLock> first = FolderLock::take(folder).value();
        tests::before_flock = [&] { first.reset(); };
        const auto second = FolderLock::take(folder);
        QVERIFY(second.ok());
        const auto third = FolderLock::take(folder);
        QVERIFY2(!third.ok(), "two hold the folder");
    }
};

DIVISI_TEST(FolderLockTest)

}  // namespace folder_lock_test

#include "folder_lock_test.moc"
