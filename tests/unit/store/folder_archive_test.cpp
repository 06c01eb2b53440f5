// SPDX-License-Identifier: Apache-2.0
#include <QProcess>
#include <QTemporaryDir>
#include <fstream>

#include "backend/store/blob_hash.h"
#include "backend/store/blob_source.h"
#include "backend/store/blob_store.h"
#include "tests/support/test_program.h"

namespace folder_archive_test {

using namespace divisi;
using namespace divisi::store;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& path, const std::string& bytes) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
}
std::string read(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}
std::string bytes_of(const FolderArchive& archive) {
    std::string bytes(static_cast<std::size_t>(archive.size()), 'x');
    if (!archive.read(0, std::as_writable_bytes(std::span(bytes))).ok()) qFatal("cannot read the archive");
    return bytes;
}
/// Recomputes the header's checksum after a change of the header.
void sign(std::string& bytes, std::size_t header) {
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(header + 148), 8, ' ');
    unsigned sum = 0;
    for (std::size_t i = 0; i < 512; ++i) sum += static_cast<unsigned char>(bytes[header + i]);
    std::snprintf(&bytes[header + 148], 8, "%06o", sum);
}

}  // namespace

/// Tests a folder as one stream: equal for equal contents, intact after transmission, and harmless with any contents.
class FolderArchiveTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void equal_folders_give_equal_bytes();
    void joined_pieces_equal_the_whole_stream();
    void tar_can_list_the_archive();
    void folder_is_restored_unchanged();
    void escaping_names_and_odd_entries_are_refused();
    void damaged_archives_are_refused();
    void oversized_folder_is_refused();
    void file_that_changes_is_detected();
    void instances_blob_is_adopted_without_a_copy();

private:
    Result<void> unpack(const std::string& bytes) {
        write(folder_ / "archive", bytes);
        fs::remove_all(folder_ / "out");
        return unpack_archive(folder_ / "archive", folder_ / "out");
    }
    std::unique_ptr<QTemporaryDir> directory_;
    fs::path folder_;
};

void FolderArchiveTest::init() {
    directory_ = std::make_unique<QTemporaryDir>();
    folder_ = directory_->path().toStdString();
    write(folder_ / "in/bee/2.png", std::string(1000, 'b'));
    write(folder_ / "in/bee/1.png", std::string(512, 'a'));
    write(folder_ / "in/ant/1.png", "");
    write(folder_ / "in/.hidden", "h");
    fs::create_directories(folder_ / "in/empty");
    write(folder_ / "in/long" / std::string(90, 'x') / (std::string(90, 'y') + ".png"), "long");
}

void FolderArchiveTest::equal_folders_give_equal_bytes() {
    fs::copy(folder_ / "in", folder_ / "copy", fs::copy_options::recursive);
    const std::string bytes = bytes_of(FolderArchive::scan(folder_ / "in").value());
    QCOMPARE(bytes_of(FolderArchive::scan(folder_ / "copy").value()), bytes);
    QVERIFY(bytes.find("hidden") == std::string::npos);
    write(folder_ / "copy/bee/1.png", std::string(512, 'c'));
    QVERIFY(bytes_of(FolderArchive::scan(folder_ / "copy").value()) != bytes);
}

void FolderArchiveTest::joined_pieces_equal_the_whole_stream() {
    const auto archive = FolderArchive::scan(folder_ / "in").value();
    const std::string whole = bytes_of(archive);
    for (const std::size_t width : {1ul, 7ul, 511ul, 513ul}) {
        std::string joined;
        for (std::size_t at = 0; at < whole.size(); at += width) {
            std::string piece(std::min(width, whole.size() - at), 'x');
            QVERIFY(archive.read(static_cast<Bytes>(at), std::as_writable_bytes(std::span(piece))).ok());
            joined += piece;
        }
        QVERIFY(joined == whole);
    }
}

void FolderArchiveTest::tar_can_list_the_archive() {
    write(folder_ / "archive", bytes_of(FolderArchive::scan(folder_ / "in").value()));
    QProcess tar;
    tar.start("tar", {"tf", QString::fromStdString((folder_ / "archive").string())});
    QVERIFY(tar.waitForFinished());
    QCOMPARE(tar.exitCode(), 0);
    const QString listed = tar.readAllStandardOutput();
    QVERIFY(listed.startsWith("ant/\nant/1.png\nbee/\nbee/1.png\nbee/2.png\nempty/\nlong/\n"));
    QVERIFY(listed.endsWith("yyy.png\n"));
}

void FolderArchiveTest::folder_is_restored_unchanged() {
    auto store = BlobStore::open(folder_ / "blobs").value();
    const auto source = BlobSource::open(folder_ / "in").value();
    QVERIFY(source.is_folder());
    auto writer = store.begin(source.manifest()).value();
    for (const auto i : writer.missing()) {
        const std::string piece = source.read(i).value();
        QVERIFY(writer.put(i, std::as_bytes(std::span(piece))).ok());
    }
    QVERIFY(writer.finish().ok());
    const fs::path out = store.folder_of(source.manifest().hash).value();
    QCOMPARE(read(out / "bee/2.png"), std::string(1000, 'b'));
    QCOMPARE(fs::file_size(out / "ant/1.png"), 0u);
    QVERIFY(fs::is_directory(out / "empty"));
    QCOMPARE(read(out / "long" / std::string(90, 'x') / (std::string(90, 'y') + ".png")), std::string("long"));
    QCOMPARE(store.folder_of(source.manifest().hash).value(), out);  // unpacked only once
    QVERIFY(BlobSource::open(out)->manifest() == source.manifest());
    // A killed process leaves a partial folder next to the complete one. The store never uses the partial folder.
    fs::create_directories(folder_ / "blobs" / (source.manifest().hash + ".folder.abcdef"));
    store.clean_up();
    QVERIFY(!fs::exists(folder_ / "blobs" / (source.manifest().hash + ".folder.abcdef")) && fs::exists(out));
    QVERIFY(store.remove(source.manifest().hash).ok());
    QVERIFY(fs::is_empty(folder_ / "blobs"));
}

void FolderArchiveTest::escaping_names_and_odd_entries_are_refused() {
    const std::string good = bytes_of(FolderArchive::scan(folder_ / "in").value());
    QVERIFY(unpack(good).ok());
    for (const std::string name : {"../out", "/tmp/x", "ant/../../x", "./x"}) {
        std::string bad = good;
        bad.replace(0, 100, name + std::string(100 - name.size(), '\0'));
        sign(bad, 0);
        QCOMPARE(unpack(bad).error().code, ErrorCode::corrupt);
    }
    for (const char type : {'2', '1', '3', '6', 'x'}) {  // links, devices, pipes
        std::string bad = good;
        bad[156] = type;
        sign(bad, 0);
        QCOMPARE(unpack(bad).error().code, ErrorCode::corrupt);
    }
    std::string huge = good;
    huge.replace(512 + 124, 11, "77777777777");
    sign(huge, 512);
    QCOMPARE(unpack(huge).error().code, ErrorCode::corrupt);
}

void FolderArchiveTest::damaged_archives_are_refused() {
    const std::string good = bytes_of(FolderArchive::scan(folder_ / "in").value());
    for (std::size_t cut = 0; cut + 1024 < good.size(); cut += 500) QVERIFY(!unpack(good.substr(0, cut)).ok());
    std::string flipped = good;
    flipped[3] ^= 1;
    QCOMPARE(unpack(flipped).error().code, ErrorCode::corrupt);
}

void FolderArchiveTest::oversized_folder_is_refused() {
    write(folder_ / "in/long" / (std::string(101, 'z') + ".png"), "x");
    QCOMPARE(FolderArchive::scan(folder_ / "in").error().code, ErrorCode::unsupported);
    fs::remove_all(folder_ / "in/long");
    fs::create_directory_symlink(folder_ / "in", folder_ / "in/loop");
    QCOMPARE(FolderArchive::scan(folder_ / "in").error().code, ErrorCode::unsupported);
}

void FolderArchiveTest::file_that_changes_is_detected() {
    write(folder_ / "file", std::string(2'000'000, 'a'));
    const auto file = BlobSource::open(folder_ / "file").value();
    const auto folder = BlobSource::open(folder_ / "in").value();
    QVERIFY(file.read(1).ok());
    write(folder_ / "file", std::string(1'500'000, 'a'));
    QCOMPARE(file.read(1).error().code, ErrorCode::conflict);
    QVERIFY(file.read(0).ok());  // this piece is unchanged
    write(folder_ / "in/bee/1.png", std::string(512, 'c'));
    QCOMPARE(folder.read(0).error().code, ErrorCode::conflict);
    fs::remove(folder_ / "in/bee/2.png");
    QVERIFY(!folder.read(0).ok());
}

void FolderArchiveTest::instances_blob_is_adopted_without_a_copy() {
    auto store = BlobStore::open(folder_ / "blobs").value();
    write(folder_ / "weights", "trained");
    const std::string hash = store.adopt(folder_ / "weights").value();
    QCOMPARE(hash, describe_file(folder_ / "weights")->hash);
    QVERIFY(fs::equivalent(store.path_of(hash).value(), folder_ / "weights"));
    QCOMPARE(store.adopt(folder_ / "weights").value(), hash);
}

DIVISI_TEST(FolderArchiveTest)

}  // namespace folder_archive_test

#include "folder_archive_test.moc"
