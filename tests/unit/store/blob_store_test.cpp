// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <fstream>
#include <random>

#include "backend/frame/crc32c.h"
#include "backend/store/blob_hash.h"
#include "backend/store/blob_store.h"
#include "tests/support/test_program.h"
#include "tests/unit/file/system_calls.h"

namespace blob_store_test {

using namespace divisi;
using namespace divisi::store;
namespace fs = std::filesystem;

namespace {

std::string noise(std::size_t size, unsigned seed) {
    std::mt19937 rng(seed);
    std::string bytes(size, '\0');
    for (char& c : bytes) c = static_cast<char>(rng());
    return bytes;
}
void write(const fs::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }
std::string read(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}
std::span<const std::byte> piece(const std::string& bytes, std::size_t index) {
    const auto all = std::as_bytes(std::span(bytes));
    const std::size_t offset = index * static_cast<std::size_t>(blob_chunk_bytes);
    return all.subspan(offset, std::min(static_cast<std::size_t>(blob_chunk_bytes), all.size() - offset));
}

}  // namespace

class BlobStoreTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void hashes_are_blake2b_256();
    void files_of_every_size_are_imported_and_kept();
    void interrupted_blob_resumes_with_its_pieces();
    void wrong_pieces_are_refused_and_nothing_looks_finished();
    void wrong_description_is_found_at_the_end();
    void forged_piece_with_a_valid_checksum_is_detected();
    void pieces_may_arrive_in_any_order();
    void two_writers_may_finish_the_same_blob();
    void concurrent_writer_does_not_change_anothers_blob();
    void failed_finish_can_be_repeated_later();
    void finished_blob_is_synced();
    void blob_is_described_without_reading_it_again();
    void full_store_reports_it_and_leaves_nothing();
    void names_cannot_leave_the_folder();

private:
    std::unique_ptr<QTemporaryDir> directory_;
    fs::path folder_;
};

void BlobStoreTest::init() {
    directory_ = std::make_unique<QTemporaryDir>();
    folder_ = directory_->path().toStdString();
}

void BlobStoreTest::hashes_are_blake2b_256() {
    QCOMPARE(blob_hash({}), std::string("0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"));
}

void BlobStoreTest::files_of_every_size_are_imported_and_kept() {
    auto store = BlobStore::open(folder_ / "blobs").value();
    for (const std::size_t size : {0ul, 1ul, 1048576ul, 1048577ul, 3'500'000ul}) {
        const std::string bytes = noise(size, 1);
        write(folder_ / "file", bytes);
        const auto manifest = describe_file(folder_ / "file").value();
        QCOMPARE(manifest.hash, blob_hash(std::as_bytes(std::span(bytes))));
        QCOMPARE(manifest.size, static_cast<Bytes>(size));
        QVERIFY(!store.has(manifest.hash));
        const auto path = store.import(folder_ / "file");
        QVERIFY2(path.ok(), path.ok() ? "" : path.error().message().c_str());
        QVERIFY(read(*path) == bytes);
        QVERIFY(store.has(manifest.hash));
        QVERIFY(store.begin(manifest)->missing().empty());
        QCOMPARE(store.begin(manifest)->finish().value(), *path);
    }
    QCOMPARE(store.used(), 0 + 1 + 1048576 + 1048577 + 3'500'000);
    QCOMPARE(describe_file(folder_ / "none").error().code, ErrorCode::not_found);
    QCOMPARE(describe_file(folder_).error().code, ErrorCode::invalid_input);
}

void BlobStoreTest::interrupted_blob_resumes_with_its_pieces() {
    const std::string bytes = noise(5'000'000, 2);
    write(folder_ / "file", bytes);
    const auto manifest = describe_file(folder_ / "file").value();
    {
        auto store = BlobStore::open(folder_ / "blobs").value();
        auto writer = store.begin(manifest).value();
        QCOMPARE(writer.missing().size(), std::size_t{5});
        QVERIFY(writer.put(3, piece(bytes, 3)).ok());
        QVERIFY(writer.put(1, piece(bytes, 1)).ok());
        QCOMPARE(writer.finish().error().code, ErrorCode::conflict);
    }
    auto store = BlobStore::open(folder_ / "blobs").value();
    QVERIFY(!store.has(manifest.hash));
    auto writer = store.begin(manifest).value();
    QCOMPARE(writer.missing(), (std::vector<std::uint32_t>{0, 2, 4}));
    for (const auto i : writer.missing()) QVERIFY(writer.put(i, piece(bytes, i)).ok());
    QVERIFY(read(writer.finish().value()) == bytes);
    QVERIFY(!fs::exists(folder_ / "blobs" / (manifest.hash + ".part")));
}

void BlobStoreTest::wrong_pieces_are_refused_and_nothing_looks_finished() {
    const std::string bytes = noise(2'000'000, 3);
    write(folder_ / "file", bytes);
    const auto manifest = describe_file(folder_ / "file").value();
    auto store = BlobStore::open(folder_ / "blobs").value();
    auto writer = store.begin(manifest).value();
    QCOMPARE(writer.put(0, piece(bytes, 1)).error().code, ErrorCode::corrupt);
    QCOMPARE(writer.put(0, piece(bytes, 0).first(10)).error().code, ErrorCode::corrupt);
    QCOMPARE(writer.put(2, piece(bytes, 0)).error().code, ErrorCode::invalid_input);
    QVERIFY(!store.has(manifest.hash));
    QCOMPARE(store.path_of(manifest.hash).error().code, ErrorCode::not_found);
}

void BlobStoreTest::wrong_description_is_found_at_the_end() {
    const std::string bytes = noise(100, 4);
    BlobManifest lie{std::string(64, 'a'), 100, {frame::crc32c(std::as_bytes(std::span(bytes)))}};
    auto store = BlobStore::open(folder_ / "blobs").value();
    auto writer = store.begin(lie).value();
    QVERIFY(writer.put(0, piece(bytes, 0)).ok());
    QCOMPARE(writer.finish().error().code, ErrorCode::corrupt);
    QCOMPARE(store.used(), 0);
    lie.size = 1LL << 40;
    QCOMPARE(store.begin(lie).error().code, ErrorCode::invalid_input);
}

/// A piece's checksum detects transmission errors, but not forgery. Only the hash of the whole blob detects forgery.
void BlobStoreTest::forged_piece_with_a_valid_checksum_is_detected() {
    for (const std::uint32_t wrong : {0u, 1u, 2u}) {
        const std::string bytes = noise(3'000'000, 8);
        write(folder_ / "file", bytes);
        auto manifest = describe_file(folder_ / "file").value();
        std::string forged(piece(bytes, wrong).size(), 'x');
        manifest.chunks[wrong] = frame::crc32c(std::as_bytes(std::span(forged)));
        auto store = BlobStore::open(folder_ / "blobs").value();
        auto writer = store.begin(manifest).value();
        for (std::uint32_t i = 0; i < 3; ++i)
            QVERIFY(writer.put(i, i == wrong ? std::as_bytes(std::span(forged)) : piece(bytes, i)).ok());
        QCOMPARE(writer.finish().error().code, ErrorCode::corrupt);
        QVERIFY(!store.has(manifest.hash));
        QVERIFY(!fs::exists(folder_ / "blobs" / (manifest.hash + ".part")));
    }
}

void BlobStoreTest::pieces_may_arrive_in_any_order() {
    const std::string bytes = noise(4'000'000, 9);
    write(folder_ / "file", bytes);
    const auto manifest = describe_file(folder_ / "file").value();
    auto store = BlobStore::open(folder_ / "blobs").value();
    std::vector<std::uint32_t> order{0, 1, 2, 3};
    do {
        auto writer = store.begin(manifest).value();
        for (const std::uint32_t i : order) QVERIFY(writer.put(i, piece(bytes, i)).ok());
        QVERIFY(read(writer.finish().value()) == bytes);
        QVERIFY(store.remove(manifest.hash).ok());
    } while (std::ranges::next_permutation(order).found);
}

void BlobStoreTest::two_writers_may_finish_the_same_blob() {
    const std::string bytes = noise(2'000'000, 6);
    write(folder_ / "file", bytes);
    const auto manifest = describe_file(folder_ / "file").value();
    auto one = BlobStore::open(folder_ / "blobs").value(), other = BlobStore::open(folder_ / "blobs").value();
    auto first = one.begin(manifest).value(), second = other.begin(manifest).value();
    for (std::uint32_t i = 0; i < 2; ++i) QVERIFY(first.put(i, piece(bytes, i)).ok());
    const fs::path path = first.finish().value();
    for (std::uint32_t i = 0; i < 2; ++i) QVERIFY(second.put(i, piece(bytes, i)).ok());
    for (BlobWriter* writer : {&second, &first, &second}) {
        const auto again = writer->finish();
        QVERIFY2(again.ok(), again.ok() ? "" : again.error().message().c_str());
        QCOMPARE(*again, path);
    }
    QVERIFY(read(path) == bytes);
}

/// The second writer claims the same blob but sends other bytes, with chunk checksums that match these bytes. It may
/// write before and after the first writer has finished.
void BlobStoreTest::concurrent_writer_does_not_change_anothers_blob() {
    const std::string bytes = noise(2'000'000, 10), forged(bytes.size(), 'x');
    write(folder_ / "file", bytes);
    const auto manifest = describe_file(folder_ / "file").value();
    BlobManifest lie = manifest;
    for (std::uint32_t i = 0; i < 2; ++i) lie.chunks[i] = frame::crc32c(piece(forged, i));
    auto store = BlobStore::open(folder_ / "blobs").value();
    auto honest = store.begin(manifest).value();
    QVERIFY(honest.put(0, piece(bytes, 0)).ok());
    auto liar = store.begin(lie).value();
    QVERIFY(liar.put(0, piece(forged, 0)).ok());
    QVERIFY(honest.put(1, piece(bytes, 1)).ok());
    const fs::path path = honest.finish().value();
    QVERIFY(read(path) == bytes);
    QVERIFY(liar.put(1, piece(forged, 1)).ok());
    QVERIFY(read(path) == bytes);
    QCOMPARE(liar.finish().error().code, ErrorCode::corrupt);
    QVERIFY(read(path) == bytes);
    // A writer that gives up leaves nothing. A killed writer leaves only files that are removed with the blob.
    QVERIFY(store.remove(manifest.hash).ok());
    const auto files = [&] { return std::distance(fs::directory_iterator(folder_ / "blobs"), {}); };
    const auto first = store.begin(manifest).value();
    {
        const auto second = store.begin(manifest).value();
        QCOMPARE(files(), 2);
    }
    QCOMPARE(files(), 1);
    write(folder_ / "blobs" / (manifest.hash + ".part.killed"), "x");
    QCOMPARE(store.list().size(), std::size_t{1});
    QVERIFY(store.remove(manifest.hash).ok());
    QVERIFY(fs::is_empty(folder_ / "blobs"));
}

void BlobStoreTest::failed_finish_can_be_repeated_later() {
    const std::string bytes = noise(1'500'000, 11);
    write(folder_ / "file", bytes);
    const auto manifest = describe_file(folder_ / "file").value();
    auto store = BlobStore::open(folder_ / "blobs").value();
    auto writer = store.begin(manifest).value();
    for (std::uint32_t i = 0; i < 2; ++i) QVERIFY(writer.put(i, piece(bytes, i)).ok());
    const fs::path in_the_way = folder_ / "blobs" / (manifest.hash + ".pieces");
    fs::create_directory(in_the_way);
    QVERIFY(!writer.finish().ok());
    fs::remove(in_the_way);
    QVERIFY(read(writer.finish().value()) == bytes);
    // If the blob was removed meanwhile, the late writer cannot finish.
    QVERIFY(store.remove(manifest.hash).ok());
    auto late = store.begin(manifest).value();
    for (std::uint32_t i = 0; i < 2; ++i) QVERIFY(late.put(i, piece(bytes, i)).ok());
    QVERIFY(store.remove(manifest.hash).ok());
    const auto next = store.begin(manifest).value();
    QCOMPARE(late.finish().error().code, ErrorCode::conflict);
    QVERIFY(!store.has(manifest.hash));
}

void BlobStoreTest::finished_blob_is_synced() {
    const fs::path blobs = fs::canonical(folder_) / "blobs";
    write(folder_ / "file", "bytes");
    const auto manifest = describe_file(folder_ / "file").value();
    auto store = BlobStore::open(blobs).value();
    tests::watch(blobs / manifest.hash);
    QVERIFY(store.import(folder_ / "file").ok());
    QVERIFY(tests::was_made_durable());
    // An adopted file that was never synced is synced too.
    write(blobs / "unsynced", "other bytes");
    const auto adopted = describe_file(blobs / "unsynced").value();
    tests::watch(blobs / adopted.hash);
    QCOMPARE(store.adopt(blobs / "unsynced").value(), adopted.hash);
    QVERIFY(tests::was_made_durable());
}

void BlobStoreTest::blob_is_described_without_reading_it_again() {
    const std::string bytes = noise(3'000'000, 7);
    write(folder_ / "file", bytes);
    const auto manifest = describe_file(folder_ / "file").value();
    auto store = BlobStore::open(folder_ / "blobs").value();
    const fs::path path = store.import(folder_ / "file").value();
    QVERIFY(store.describe(manifest.hash).value() == manifest);
    write(path, std::string(bytes.size(), 'x'));  // this change shows whether the store reads the file again
    QVERIFY(store.describe(manifest.hash).value() == manifest);
    write(path, bytes);
    fs::remove(path.string() + ".pieces");  // like a store of an earlier version
    QVERIFY(store.describe(manifest.hash).value() == manifest);
    for (const char* other : {"half a li", "0123456789abcdef\n", "xxxxxxxx\nxxxxxxxx\nxxxxxxxx\n"}) {
        write(path.string() + ".pieces", other);
        QVERIFY(store.describe(manifest.hash).value() == manifest);
        QCOMPARE(read(path.string() + ".pieces").size(), std::size_t{3 * 9});
    }
    write(path, std::string(bytes.size(), 'x'));
    fs::remove(path.string() + ".pieces");
    QCOMPARE(store.describe(manifest.hash).error().code, ErrorCode::corrupt);
    QVERIFY(store.remove(manifest.hash).ok());
    QVERIFY(fs::is_empty(folder_ / "blobs"));
}

void BlobStoreTest::full_store_reports_it_and_leaves_nothing() {
    write(folder_ / "file", noise(2'000'000, 5));
    auto store = BlobStore::open(folder_ / "blobs", 1'000'000).value();
    const auto result = store.import(folder_ / "file");
    QCOMPARE(result.error().code, ErrorCode::exhausted);
    QVERIFY(result.error().message().find((folder_ / "blobs").string()) != std::string::npos);
    QCOMPARE(store.used(), 0);
}

void BlobStoreTest::names_cannot_leave_the_folder() {
    auto store = BlobStore::open(folder_ / "blobs").value();
    QCOMPARE(store.path_of("../../etc/passwd").error().code, ErrorCode::invalid_input);
    QCOMPARE(store.remove("../file").error().code, ErrorCode::invalid_input);
    QCOMPARE(store.begin({"../" + std::string(61, 'a'), 0, {}}).error().code, ErrorCode::invalid_input);
}

DIVISI_TEST(BlobStoreTest)

}  // namespace blob_store_test

#include "blob_store_test.moc"
