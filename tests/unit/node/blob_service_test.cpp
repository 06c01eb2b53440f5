// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>

#include "agents/node/blob_service.h"

using namespace divisi;
using namespace divisi::node;

namespace {

struct TestClock final : Clock {
    TimePoint time{std::chrono::seconds(1)};
    TimePoint now() const override { return time; }
};

BlobManifest manifest_of(const std::string& text) {
    const std::string hash = store::blob_hash(std::as_bytes(std::span(text)));
    return {hash, static_cast<Bytes>(text.size()), {hash}};
}

}  // namespace

/// What several clients, some of which give up, do to a node's store.
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
        QVERIFY(service.put(blob.hash, 0, bytes).ok());  // the slower one
        QVERIFY(service.finish(blob.hash).ok());
        QCOMPARE(service.get(blob.hash, 0).value(), text);
        QCOMPARE(service.get(blob.hash, 1).error().code, ErrorCode::not_found);
        QVERIFY(service.begin(blob)->empty());
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

private:
    TestClock clock_;
};

QTEST_GUILESS_MAIN(BlobServiceTest)
#include "blob_service_test.moc"
