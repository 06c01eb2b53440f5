// SPDX-License-Identifier: Apache-2.0
#include "backend/store/backup.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/stat.h>

#include <QTemporaryDir>

#include <fstream>

#include "backend/file/atomic_file.h"
#include "backend/store/data_folder.h"
#include "tests/support/test_program.h"
#include "tests/unit/store/log_events.h"

namespace backup_test {

using namespace divisi;
using namespace divisi::store;
using divisi::tests::content;
using divisi::tests::Life;
namespace fs = std::filesystem;

namespace {

/// A data folder with an open log, as in a running cluster.
struct House {
    QTemporaryDir dir;
    fs::path root = dir.path().toStdString(), data = root / "data", backup = root / "backup";
    Life life;
    std::unique_ptr<EventLog> log;

    House() {
        fs::create_directories(data / skeletons_folder);
        log = EventLog::open(data / events_file, tests::log_codec()).value();
        append(250);
        write("skeletons/gpt-1.onnx", "a model");
        write("skeletons/.gpt-2.onnx.7-0.part", "half");
        write("receipts.key", std::string(64, 'a') + "\n");
        write("server.key", "keys");
        write("lock", "7");
    }
    void append(std::size_t events) {
        if (!log->append(life.next(events))) qFatal("no log");
    }
    void write(const std::string& name, const std::string& bytes) const {
        std::ofstream(data / name, std::ios::binary) << bytes;
    }
    Result<BackupManifest> make(const fs::path& folder) const {
        return make_backup({data, folder, "1.2.3", TimePoint(Duration(42)), nullptr});
    }
    static control::ClusterState state(const fs::path& folder) {
        return EventLog::open(folder / events_file, tests::log_codec()).value()->restore()->state;
    }
};

/// Changes one byte in the middle of a file.
void flip(const fs::path& path) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    const auto middle = static_cast<std::streamoff>(fs::file_size(path) / 2);
    file.seekg(middle);
    const char byte = static_cast<char>(file.get());
    file.seekp(middle);
    file.put(static_cast<char>(byte ^ 1));
}

std::vector<std::string> names(const BackupManifest& manifest) {
    std::vector<std::string> all;
    for (const BackupFile& file : manifest.files) all.push_back(file.name);
    return all;
}

}  // namespace

/// Tests a backup of divisid's files, and a data folder restored from it.
class BackupTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void backup_restores_the_state_at_the_time_it_was_made();
    void copy_includes_measured_prices();
    void copy_is_readable_only_by_its_owner();
    void existing_folder_is_left_alone();
    void failed_backup_leaves_nothing();
    void manifest_reads_back();
    void invalid_manifest_is_refused_data();
    void invalid_manifest_is_refused();
    void one_changed_byte_is_found_data();
    void one_changed_byte_is_found();
    void missing_file_is_named();
    void backup_is_restored_only_into_an_empty_folder();
};

void BackupTest::backup_restores_the_state_at_the_time_it_was_made() {
    House house;
    const std::string then = content(house.life.state());
    const auto made = house.make(house.backup);
    QVERIFY2(made.ok(), made.ok() ? "" : made.error().message().c_str());
    QCOMPARE(made->sequence, std::uint64_t{250});
    QCOMPARE(names(*made),
             (std::vector<std::string>{"skeletons/gpt-1.onnx", "events.sqlite", "receipts.key", "server.key"}));
    house.append(50);  // the cluster has continued meanwhile
    QVERIFY(verify_backup(house.backup).value() == *made);

    const fs::path elsewhere = house.root / "elsewhere";
    QVERIFY(restore_backup(house.backup, elsewhere).value() == *made);
    QVERIFY(content(House::state(elsewhere)) == then);
    QCOMPARE(file::read_file(elsewhere / "skeletons/gpt-1.onnx").value(), std::string("a model"));
    QCOMPARE(file::read_file(elsewhere / "server.key").value(), std::string("keys"));
    QVERIFY(!fs::exists(elsewhere / "lock") && !fs::exists(elsewhere / manifest_file));
    QVERIFY(!fs::exists(elsewhere.string() + ".new"));
    QVERIFY(verify_backup(house.backup).ok());  // the backup can be restored again
    QCOMPARE(house.log->restore()->state.sequence, std::uint64_t{300});
}

void BackupTest::copy_includes_measured_prices() {
    House house;
    SQLite::Database prices((house.data / profile_file).string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    prices.exec("PRAGMA journal_mode=WAL; CREATE TABLE operator (forward_s REAL); INSERT INTO operator VALUES (0.25)");
    const auto made = house.make(house.backup);
    QVERIFY(made.ok());
    QVERIFY(std::ranges::count(names(*made), std::string(profile_file)) == 1);
    QVERIFY(restore_backup(house.backup, house.root / "elsewhere").ok());
    SQLite::Database copy((house.root / "elsewhere" / profile_file).string());
    QCOMPARE(copy.execAndGet("SELECT forward_s FROM operator").getDouble(), 0.25);
}

void BackupTest::copy_is_readable_only_by_its_owner() {
    const House house;
    QVERIFY(house.make(house.backup).ok());
    QVERIFY(restore_backup(house.backup, house.root / "elsewhere").ok());
    for (const fs::path& folder : {house.backup, house.root / "elsewhere"}) {
        struct stat status {};
        QCOMPARE(::stat(folder.c_str(), &status), 0);
        QCOMPARE(status.st_mode & 0777, mode_t{0700});
        for (const auto& entry : fs::recursive_directory_iterator(folder)) {
            QCOMPARE(::stat(entry.path().c_str(), &status), 0);
            QVERIFY2((status.st_mode & 077) == 0, entry.path().c_str());
        }
    }
}

void BackupTest::existing_folder_is_left_alone() {
    const House house;
    fs::create_directories(house.backup);
    QCOMPARE(house.make(house.backup).error().code, ErrorCode::conflict);
    QVERIFY(fs::is_empty(house.backup));
    // The name of an interrupted backup shows that it is incomplete.
    fs::create_directories(house.root / "other.new");
    const auto refused = house.make(house.root / "other");
    QCOMPARE(refused.error().code, ErrorCode::conflict);
    QVERIFY2(refused.error().where.ends_with("other.new"), refused.error().message().c_str());
    QVERIFY(fs::exists(house.root / "other.new") && !fs::exists(house.root / "other"));
    QCOMPARE(house.make("backup").error().code, ErrorCode::invalid_input);
    QCOMPARE(house.make(house.root / "none" / "backup").error().code, ErrorCode::not_found);
    QVERIFY(house.make(house.root / "with a slash" / "").ok());
    QVERIFY(verify_backup(house.root / "with a slash").ok());
}

void BackupTest::failed_backup_leaves_nothing() {
    House house;
    const auto stopped = make_backup({house.data, house.backup, "1.2.3", TimePoint(Duration(42)), [] { return true; }});
    QCOMPARE(stopped.error().code, ErrorCode::unavailable);
    // A damaged log is not copied as if it were intact.
    house.log.reset();
    fs::resize_file(house.data / events_file, fs::file_size(house.data / events_file) / 2);
    QCOMPARE(house.make(house.backup).error().code, ErrorCode::corrupt);
    QVERIFY(!fs::exists(house.backup) && !fs::exists(house.backup.string() + ".new"));
}

void BackupTest::manifest_reads_back() {
    const BackupManifest manifest{
        backup_version,
        "1.2.3",
        TimePoint(Duration(42)),
        250,
        {{"events.sqlite", 4096, std::string(64, 'a')}, {"skeletons/a b.onnx", 7, std::string(64, '0')}}};
    QVERIFY(parse_manifest(to_text(manifest), "manifest").value() == manifest);
    QCOMPARE(manifest.bytes(), Bytes{4103});
}

void BackupTest::invalid_manifest_is_refused_data() {
    const std::string good =
        to_text({backup_version, "1.2.3", TimePoint(Duration(42)), 250, {{"events.sqlite", 1, std::string(64, 'a')}}});
    const auto outside = [](const std::string& name) {
        return to_text({backup_version, "1", TimePoint(Duration(42)), 1, {{name, 1, std::string(64, 'a')}}});
    };
    std::string flipped = good;
    flipped[good.find("250")] = '3';
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("code");
    const auto add = [](const char* name, const std::string& text, ErrorCode code = ErrorCode::corrupt) {
        QTest::newRow(name) << QByteArray::fromStdString(text) << static_cast<int>(code);
    };
    add("nothing", "");
    add("something else", "SQLite format 3\n");
    add("of a newer program", "divisi-backup 2\nanything\n", ErrorCode::unsupported);
    add("another number", flipped);
    add("cut off", good.substr(0, good.size() - 10));
    add("with more behind it", good + "file\n");
    add("a name that leads out", outside("../events.sqlite"));
    add("a name from the root", outside("/etc/passwd"));
    add("a name that leads out of a folder", outside("skeletons/../../x"));
    add("a name of nothing", outside("skeletons/"));
}

void BackupTest::invalid_manifest_is_refused() {
    QFETCH(const QByteArray, text);
    QFETCH(const int, code);
    const auto refused = parse_manifest(text.toStdString(), "there/manifest");
    QVERIFY(!refused.ok());
    QCOMPARE(static_cast<int>(refused.error().code), code);
    QCOMPARE(refused.error().where, std::string("there/manifest"));
}

void BackupTest::one_changed_byte_is_found_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"events.sqlite", "skeletons/gpt-1.onnx", "receipts.key", "server.key", "manifest"})
        QTest::newRow(name) << name;
}

void BackupTest::one_changed_byte_is_found() {
    QFETCH(const QString, name);
    const House house;
    QVERIFY(house.make(house.backup).ok());
    flip(house.backup / name.toStdString());
    const fs::path elsewhere = house.root / "elsewhere";
    for (const auto& refused : {verify_backup(house.backup), restore_backup(house.backup, elsewhere)}) {
        QVERIFY(!refused.ok());
        QCOMPARE(refused.error().code, ErrorCode::corrupt);
        QVERIFY2(refused.error().where.ends_with("/" + name.toStdString()), refused.error().message().c_str());
    }
    QVERIFY(!fs::exists(elsewhere) && !fs::exists(elsewhere.string() + ".new"));
}

void BackupTest::missing_file_is_named() {
    const House house;
    QVERIFY(house.make(house.backup).ok());
    fs::remove(house.backup / "receipts.key");
    for (const auto& refused : {verify_backup(house.backup), restore_backup(house.backup, house.root / "elsewhere")}) {
        QCOMPARE(refused.error().code, ErrorCode::corrupt);
        QVERIFY2(refused.error().where.ends_with("receipts.key"), refused.error().message().c_str());
    }
    fs::remove(house.backup / manifest_file);
    QCOMPARE(verify_backup(house.backup).error().code, ErrorCode::not_found);
}

void BackupTest::backup_is_restored_only_into_an_empty_folder() {
    const House house;
    QVERIFY(house.make(house.backup).ok());
    const fs::path full = house.root / "full", empty = house.root / "above" / "empty";
    fs::create_directories(full);
    std::ofstream(full / "something") << "x";
    const auto refused = restore_backup(house.backup, full);
    QCOMPARE(refused.error().code, ErrorCode::conflict);
    QVERIFY2(refused.error().where.ends_with("full"), refused.error().message().c_str());
    QCOMPARE(file::read_file(full / "something").value(), std::string("x"));
    QVERIFY(restore_backup(house.backup, house.root / "new" / "folder").ok());  // creates the parent folders
    fs::create_directories(empty);
    QVERIFY(restore_backup(house.backup, empty).ok());
    QCOMPARE(restore_backup(house.backup, empty).error().code, ErrorCode::conflict);
}

DIVISI_TEST(BackupTest)

}  // namespace backup_test

#include "backup_test.moc"
