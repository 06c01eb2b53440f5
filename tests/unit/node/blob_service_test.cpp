// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>

#include <QTemporaryDir>
#include <ctime>

#include "agents/node/blob_collector.h"
#include "agents/node/blob_service.h"
#include "backend/frame/crc32c.h"
#include "backend/store/blob_hash.h"
#include "tests/support/test_program.h"

namespace blob_service_test {

using namespace divisi;
using namespace divisi::node;

namespace {

struct TestClock final : Clock {
    TimePoint time{std::chrono::seconds(1)};
    TimePoint now() const override { return time; }
};

BlobManifest manifest_of(const std::string& text) {
    const std::string hash = store::blob_hash(std::as_bytes(std::span(text)));
    return {hash, static_cast<Bytes>(text.size()), {frame::crc32c(std::as_bytes(std::span(text)))}};
}

}  // namespace

/// Tests a node's blob store with several clients, some of which give up.
class BlobServiceTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void two_clients_may_bring_the_same_blob() {
        const QTemporaryDir folder;
        BlobService service(store::BlobStore::open(folder.path().toStdString()).value(), clock_);
        const std::string text = "data";
        const BlobManifest blob = manifest_of(text);
        const auto bytes = std::as_bytes(std::span(text));
        QCOMPARE(service.begin(blob)->size(), std::size_t{1});
        QCOMPARE(service.begin(blob)->size(), std::size_t{1});
        QVERIFY(service.put(blob.hash, 0, bytes).ok());
        QVERIFY(service.finish(blob.hash).ok());
        QVERIFY(service.put(blob.hash, 0, bytes).ok());  // the slower client
        QVERIFY(service.finish(blob.hash).ok());
        QCOMPARE(service.get(blob.hash, 0).value(), text);
        QCOMPARE(service.get(blob.hash, 1).error().code, ErrorCode::not_found);
        QVERIFY(service.begin(blob)->empty());
    }

    /// A client restarts after a lost connection and keeps the bytes already received.
    void repeated_upload_continues() {
        const QTemporaryDir folder;
        BlobService service(store::BlobStore::open(folder.path().toStdString()).value(), clock_);
        const std::string text(static_cast<std::size_t>(blob_chunk_bytes) + 5, 'd');
        const auto all = std::as_bytes(std::span(text));
        const auto first = all.first(static_cast<std::size_t>(blob_chunk_bytes)), second = all.last(5);
        BlobManifest blob = manifest_of(text);
        blob.chunks = {frame::crc32c(first), frame::crc32c(second)};
        QCOMPARE(service.begin(blob)->size(), std::size_t{2});
        QVERIFY(service.put(blob.hash, 0, first).ok());
        QCOMPARE(service.begin(blob).value(), std::vector<std::uint32_t>{1});
        QVERIFY(service.put(blob.hash, 1, second).ok());
        QVERIFY(service.finish(blob.hash).ok());
        QCOMPARE(service.get(blob.hash, 1).value(), std::string(5, 'd'));
    }

    void abandoned_uploads_make_room() {
        const QTemporaryDir folder;
        BlobService service(store::BlobStore::open(folder.path().toStdString()).value(), clock_);
        for (std::size_t i = 0; i < max_open_blobs; ++i)
            QVERIFY(service.begin(manifest_of("blob " + std::to_string(i))).ok());
        const BlobManifest more = manifest_of("one more");
        QCOMPARE(service.begin(more).error().code, ErrorCode::exhausted);
        clock_.time += abandoned_after / 2;
        const std::string busy = "blob 0";
        QVERIFY(service.put(manifest_of(busy).hash, 0, std::as_bytes(std::span(busy))).ok());
        clock_.time += abandoned_after / 2 + std::chrono::seconds(1);
        QVERIFY(service.begin(more).ok());
        QVERIFY(service.finish(manifest_of(busy).hash).ok());
        QCOMPARE(service.finish(manifest_of("blob 1").hash).error().code, ErrorCode::conflict);
    }

    void part_is_stored_with_its_snapshot_and_is_no_blob();
    void old_blobs_are_evicted_and_needed_ones_stay();
    void excess_blobs_are_evicted_least_recently_used_first();
    void blobs_in_use_are_not_evicted();
    void dropped_blobs_are_removed_unless_used_since();
    void blob_dropped_after_the_question_is_asked_about_again();

private:
    /// Puts a blob that was last used `ago` before now.
    std::string bring(BlobService& service, const std::string& text, Duration ago) {
        const BlobManifest blob = manifest_of(text);
        (void)service.begin(blob);
        (void)service.put(blob.hash, 0, std::as_bytes(std::span(text)));
        if (!service.finish(blob.hash)) qFatal("the blob was not stored");
        used(blob.hash, ago);
        return blob.hash;
    }
    void used(const std::string& hash, Duration ago) {
        const auto seconds =
            std::chrono::duration_cast<std::chrono::seconds>((clock_.time - ago).time_since_epoch()).count();
        const timespec times[2] = {{seconds, 0}, {seconds, 0}};
        if (::utimensat(AT_FDCWD, (folder_.path().toStdString() + "/" + hash).c_str(), times, 0) != 0)
            qFatal("the file's time cannot be set");
    }
    BlobService service(store::BlobLimits limits) {
        clock_.time = TimePoint(std::chrono::seconds(::time(nullptr)));  // file times are wall-clock times
        return BlobService(store::BlobStore::open(folder_.path().toStdString()).value(), clock_, limits);
    }

    const QTemporaryDir folder_;
    TestClock clock_;
};

using std::chrono::hours, std::chrono::minutes;

void BlobServiceTest::part_is_stored_with_its_snapshot_and_is_no_blob() {
    BlobService service = this->service({});
    const std::string snapshot(64, 'f'), part = bring(service, "part", minutes(1)),
                                         other = bring(service, "other", minutes(1));
    QVERIFY(service.keep_part(snapshot, part, true).ok());
    QVERIFY(service.keep_part(snapshot, other, false).ok());  // the blob existed for another reason
    QVERIFY(!service.describe(snapshot).ok() && !service.describe(part).ok());
    QVERIFY(service.describe(other).ok());
    QCOMPARE(service.select(snapshot, {"w"}).error().code, ErrorCode::not_found);
    // The part is removed when its snapshot is dropped.
    QCOMPARE(service.remove_named({{snapshot, clock_.time + minutes(1)}}).blobs, std::size_t{1});
    QVERIFY(service.describe(other).ok());
    QVERIFY(store::BlobStore::open(folder_.path().toStdString())->parts_of(snapshot).empty());
}

void BlobServiceTest::old_blobs_are_evicted_and_needed_ones_stay() {
    BlobService service = this->service({Bytes{1} << 30, hours(48), minutes(10)});
    const std::string old = bring(service, "old", hours(50)), needed = bring(service, "needed", hours(60)),
                      young = bring(service, "young", hours(40));
    QCOMPARE(service.to_ask_about(), (std::vector{needed, old}));
    const auto removed = service.remove_unneeded({old}, clock_.time);
    QVERIFY(removed.blobs == 1 && removed.bytes > 0);
    QVERIFY(!service.describe(old).ok());
    QVERIFY(service.describe(needed).ok() && service.describe(young).ok());
    QVERIFY(service.to_ask_about().empty());  // describing a blob counts as a use
}

void BlobServiceTest::excess_blobs_are_evicted_least_recently_used_first() {
    const Bytes each = 10'000;
    BlobService service = this->service({3 * each, hours(1000), minutes(10)});
    std::vector<std::string> hashes;
    for (int i = 0; i < 5; ++i)
        hashes.push_back(
            bring(service, std::string(static_cast<std::size_t>(each), static_cast<char>('a' + i)), hours(10 - i)));
    QCOMPARE(service.to_ask_about(), hashes);
    // The least recently used blob is needed and stays; the next ones are evicted until the rest fits.
    const auto removed = service.remove_unneeded({hashes.begin() + 1, hashes.end()}, clock_.time);
    QVERIFY(removed.blobs >= 2);
    QVERIFY(service.get(hashes[0], 0).ok() && service.get(hashes[4], 0).ok());
    QVERIFY(!service.get(hashes[1], 0).ok() && !service.get(hashes[2], 0).ok());
    QVERIFY(service.to_ask_about().empty());
}

void BlobServiceTest::blobs_in_use_are_not_evicted() {
    BlobService service = this->service({1, hours(1), minutes(10)});
    const std::string fetched = bring(service, "fetched", hours(9)),
                      brought = bring(service, "brought again", hours(9)),
                      recent = bring(service, "recent", minutes(5));
    const BlobManifest coming = manifest_of("coming");
    QCOMPARE(service.begin(coming)->size(), std::size_t{1});
    used(coming.hash + ".part", hours(9));  // upload of a slow client
    const TimePoint asked = clock_.time;
    const std::vector<std::string> could_go = service.to_ask_about();
    QCOMPARE(std::set(could_go.begin(), could_go.end()), (std::set{fetched, brought}));
    // While the orchestrator is asked, one blob is fetched and another is uploaded for a new task.
    QVERIFY(service.get(fetched, 0).ok());
    QVERIFY(service.begin(manifest_of("brought again"))->empty());
    const auto removed = service.remove_unneeded({fetched, brought, recent, coming.hash}, asked);
    QCOMPARE(removed.blobs, std::size_t{0});
    const std::string text = "coming";
    QVERIFY(service.put(coming.hash, 0, std::as_bytes(std::span(text))).ok() && service.finish(coming.hash).ok());
}

void BlobServiceTest::dropped_blobs_are_removed_unless_used_since() {
    BlobService service = this->service({});
    const std::string gone = bring(service, "gone", minutes(1)),
                      young = bring(service, "young", std::chrono::seconds(3)),
                      fetched = bring(service, "fetched", minutes(1)), stored = bring(service, "stored", minutes(1)),
                      other = bring(service, "other", minutes(1));
    const BlobManifest coming = manifest_of("under way");
    QCOMPARE(service.begin(coming)->size(), std::size_t{1});
    used(coming.hash + ".part", minutes(1));
    const TimePoint named = clock_.time - std::chrono::seconds(2);
    // Afterwards a copy is fetched from here, and another task has the same snapshot.
    QVERIFY(service.get(fetched, 0).ok());
    used(stored, std::chrono::seconds(1));
    const auto removed = service.remove_named({{gone, named},
                                               {young, named},
                                               {fetched, named},
                                               {stored, named},
                                               {coming.hash, named},
                                               {std::string(64, 'f'), named}});
    QCOMPARE(removed.blobs, std::size_t{2});
    QVERIFY(!service.describe(gone).ok() && !service.describe(young).ok());
    for (const std::string& hash : {fetched, stored, other}) QVERIFY(service.describe(hash).ok());
    const std::string text = "under way";
    QVERIFY(service.put(coming.hash, 0, std::as_bytes(std::span(text))).ok() && service.finish(coming.hash).ok());
}

void BlobServiceTest::blob_dropped_after_the_question_is_asked_about_again() {
    const auto at = [](int seconds) { return TimePoint(std::chrono::seconds(seconds)); };
    DroppedBlobs dropped;
    dropped.name({"a", "b", "c"}, at(1));
    dropped.name({"b"}, at(3));
    const std::vector<std::string> asked = dropped.named();
    QCOMPARE(asked, (std::vector<std::string>{"a", "b", "c"}));
    dropped.name({"c", "d"}, at(6));
    const auto goes = dropped.confirm(asked, {"a"}, at(5));
    QCOMPARE(goes, (std::map<std::string, TimePoint>{{"b", at(3)}}));
    QCOMPARE(dropped.named(), (std::vector<std::string>{"c", "d"}));
    for (std::size_t i = 0; i < store::most_asked_blobs; ++i) dropped.name({std::to_string(i)}, at(7));
    QCOMPARE(dropped.named().size(), store::most_asked_blobs);
}

DIVISI_TEST(BlobServiceTest)

}  // namespace blob_service_test

#include "blob_service_test.moc"
