// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>
#include <sys/stat.h>

#include <QTemporaryDir>
#include <csignal>

#include "backend/file/atomic_file.h"
#include "backend/file/folder.h"
#include "tests/support/test_program.h"
#include "tests/unit/file/system_calls.h"

namespace atomic_file_test {

using namespace divisi;
namespace fs = std::filesystem;

class AtomicFileTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        directory_ = std::make_unique<QTemporaryDir>();
        folder_ = fs::canonical(directory_->path().toStdString());
    }
    void bytes_then_name_then_folder_are_synced();
    void uncommitted_file_leaves_nothing();
    void full_disk_leaves_the_file_unchanged();
    void unwritable_folder_gives_the_reason_data();
    void unwritable_folder_gives_the_reason();
    void folder_is_listed_and_a_missing_one_gives_the_reason();

private:
    std::size_t entries() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
    }
    std::unique_ptr<QTemporaryDir> directory_;
    fs::path folder_;
};

void AtomicFileTest::bytes_then_name_then_folder_are_synced() {
    tests::watch(folder_ / "key");
    QVERIFY(file::write_file(folder_ / "key", "secret").ok());
    QVERIFY(tests::was_made_durable());
    QCOMPARE(file::read_file(folder_ / "key").value(), std::string("secret"));
    struct stat info {};
    QCOMPARE(::stat((folder_ / "key").c_str(), &info), 0);
    QCOMPARE(info.st_mode & 0777, 0600u);
    QCOMPARE(entries(), std::size_t{1});
}

void AtomicFileTest::uncommitted_file_leaves_nothing() {
    {
        auto file = file::AtomicFile::create(folder_ / "model").value();
        QVERIFY(file.write(std::as_bytes(std::span("bytes"))).ok());
    }
    QCOMPARE(entries(), std::size_t{0});
    QCOMPARE(file::read_file(folder_ / "model").error().code, ErrorCode::not_found);
}

void AtomicFileTest::full_disk_leaves_the_file_unchanged() {
    QVERIFY(file::write_file(folder_ / "log", "before").ok());
    rlimit old{};
    ::getrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{1000, old.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    const auto written = file::write_file(folder_ / "log", std::string(5000, 'x'));
    const auto room = file::make_writable(folder_, 5000);
    ::setrlimit(RLIMIT_FSIZE, &old);
    QVERIFY(!written.ok() && written.error().code == ErrorCode::exhausted);
    QVERIFY(!room.ok() && room.error().code == ErrorCode::exhausted);
    QCOMPARE(room.error().where, folder_.string());
    QCOMPARE(file::read_file(folder_ / "log").value(), std::string("before"));
    QCOMPARE(entries(), std::size_t{1});
}

void AtomicFileTest::unwritable_folder_gives_the_reason_data() {
    QTest::addColumn<QString>("folder");
    QTest::addColumn<QString>("why");
    QTest::newRow("below a file") << "file/data"
                                  << "Not a directory";
    QTest::newRow("mounted read-only") << "/sys/divisi"
                                       << "";  // the reason depends on the user who runs the test
    QTest::newRow("too long") << QString("x").repeated(300) << "File name too long";
}

void AtomicFileTest::unwritable_folder_gives_the_reason() {
    QFETCH(QString, folder);
    QFETCH(QString, why);
    QVERIFY(file::write_file(folder_ / "file", "").ok());
    const fs::path path = folder_ / folder.toStdString();
    const auto refused = file::make_writable(path, 1);
    QVERIFY(!refused.ok());
    QCOMPARE(refused.error().where, path.string());
    QVERIFY2(QString::fromStdString(refused.error().what).contains(why), refused.error().what.c_str());
    QVERIFY(!refused.error().next.empty());
}

void AtomicFileTest::folder_is_listed_and_a_missing_one_gives_the_reason() {
    std::error_code failure;
    QVERIFY(file::list_folder(folder_, failure).empty());
    QVERIFY(!failure);
    QVERIFY(file::write_file(folder_ / "b", "2").ok() && file::write_file(folder_ / "a", "1").ok());
    auto found = file::list_folder(folder_, failure);
    std::sort(found.begin(), found.end());
    QVERIFY(found == std::vector<fs::path>({folder_ / "a", folder_ / "b"}));
    for (const auto& path : found) fs::remove(path);
    QCOMPARE(entries(), std::size_t{0});
    QVERIFY(file::list_folder(folder_ / "none", failure).empty());
    QVERIFY(failure == std::errc::no_such_file_or_directory);
}

DIVISI_TEST(AtomicFileTest)

}  // namespace atomic_file_test

#include "atomic_file_test.moc"
