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
    void a_folder_has_one_holder() {
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
    void a_lock_that_ends_meanwhile_makes_no_two_holders() {
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
