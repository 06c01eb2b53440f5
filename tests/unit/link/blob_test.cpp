// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <random>

#include "backend/control/types/blob_types.h"
#include "backend/link/blob_client.h"
#include "backend/link/blob_server.h"
#include "backend/link/memory_transport.h"
#include "tests/support/test_program.h"

namespace blob_test {

using namespace divisi;
using namespace divisi::link;
using std::chrono::seconds;

namespace {

const std::string hash(64, 'a');
const Address address{"mem://node", ""};

/// A blob server's store in memory.
struct Memory final : BlobPort {
    BlobManifest manifest, snapshot;  ///< the stored blob, and the snapshot that it is a part of, if any
    std::map<std::uint32_t, std::string> pieces;
    bool finished = false, full = false;

    Result<BlobManifest> describe(const std::string& wanted) override {
        if (wanted == snapshot.hash) return snapshot;
        if (wanted != manifest.hash) return Error{ErrorCode::not_found, "no such blob", "here", "upload it"};
        return manifest;
    }
    Result<std::vector<std::uint32_t>> begin(const BlobManifest& begun) override {
        if (full) return Error{ErrorCode::exhausted, "the disk is full", "/blobs", "free some space"};
        manifest = begun;
        std::vector<std::uint32_t> missing;
        for (std::uint32_t i = 0; i < begun.chunks.size(); ++i)
            if (!pieces.contains(i)) missing.push_back(i);
        return missing;
    }
    Result<void> put(const std::string&, std::uint32_t index, std::span<const std::byte> bytes) override {
        pieces[index].assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return {};
    }
    Result<void> finish(const std::string&) override {
        finished = true;
        return {};
    }
    Result<std::string> get(const std::string&, std::uint32_t index) override { return pieces.at(index); }
    Result<std::string> select(const std::string& of, const std::vector<std::string>& values) override {
        asked.push_back(values);
        if (part.empty()) return BlobPort::select(of, values);
        return part;
    }
    std::vector<std::vector<std::string>> asked;
    std::string part;  ///< hash of the part that select() makes; empty: none
};

std::string piece(std::uint32_t index) {
    return std::string(index == 9 ? 10 : 1 << 20, static_cast<char>('a' + index));
}
BlobManifest ten_pieces() { return {hash, 9 * blob_chunk_bytes + 10, std::vector<std::uint32_t>(10, 0x12345678)}; }

struct Setup {
    SimLoop loop;
    MemoryTransport net{loop};
    Memory memory;
    BlobServer server{net, memory};
    std::optional<Result<void>> result;
    int reads = 0;
    Bytes moved = 0;
    std::unique_ptr<BlobTransfer> transfer;

    Setup() {
        if (!server.listen(address.endpoint).ok()) qFatal("cannot listen");
    }
    /// Downloads these values of a snapshot, and records the hashes that are announced.
    void select(std::vector<std::string>& begun) {
        BlobTransfer::Target target;
        target.values = {"w", "layer\n2"};
        target.begin = [&begun](const BlobManifest& m) -> Result<std::vector<std::uint32_t>> {
            begun.push_back(m.hash);
            return std::vector<std::uint32_t>{0, 1};
        };
        target.write = [this](std::uint32_t, std::span<const std::byte>) -> Result<void> {
            ++reads;
            return {};
        };
        transfer = BlobTransfer::download(loop, net, address, hash, std::move(target), {},
                                          [this](Result<void> r) { result = std::move(r); });
    }
    void upload(const Address& to = address) {
        transfer = BlobTransfer::upload(
            loop, net, to, {ten_pieces(), [this](std::uint32_t i) -> Result<std::string> { return ++reads, piece(i); }},
            [this](Bytes done, Bytes) { moved = done; }, [this](Result<void> r) { result = std::move(r); });
    }
};

}  // namespace

class BlobTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void uploads_only_what_is_missing();
    void interrupted_upload_resumes();
    void blob_is_downloaded_and_checked();
    void part_is_downloaded_under_its_own_hash();
    void part_is_selected_once();
    void timeout_of_a_part_follows_the_size_of_its_snapshot();
    void blob_without_parts_is_downloaded_whole();
    void unrequested_answers_end_the_transfer_data();
    void unrequested_answers_end_the_transfer();
    void errors_of_the_other_end_arrive_complete();
    void dead_node_ends_the_transfer_after_the_timeout();
    void viewers_and_modules_are_refused();
    void messages_survive_encoding_and_noise_is_refused();
};

void BlobTest::uploads_only_what_is_missing() {
    Setup s;
    s.memory.pieces[3] = piece(3);
    s.upload();
    s.loop.run_for(seconds(5));
    QVERIFY(s.result && s.result->ok());
    QVERIFY(s.memory.finished);
    QCOMPARE(s.reads, 9);
    QCOMPARE(s.memory.pieces.size(), std::size_t{10});
    for (const auto& [i, bytes] : s.memory.pieces) QVERIFY(bytes == piece(i));
    QCOMPARE(s.moved, ten_pieces().size);
}

void BlobTest::interrupted_upload_resumes() {
    Setup s;
    int messages = 0;
    s.net.drop_if([&](const std::string&, const Parts&) {
        if (++messages == 8) s.loop.post([&] { s.net.cut(address.endpoint); });
        return false;
    });
    s.upload();
    s.loop.run_for(seconds(3));
    QVERIFY(!s.result);
    QVERIFY(!s.memory.pieces.empty() && s.memory.pieces.size() < 10);
    s.net.heal(address.endpoint);
    s.loop.run_for(seconds(10));
    QVERIFY(s.result && s.result->ok());
    QCOMPARE(s.memory.pieces.size(), std::size_t{10});
}

void BlobTest::blob_is_downloaded_and_checked() {
    Setup s;
    s.memory.manifest = ten_pieces();
    for (std::uint32_t i = 0; i < 10; ++i) s.memory.pieces[i] = piece(i);
    std::map<std::uint32_t, std::string> got;
    BlobTransfer::Target target;
    target.begin = [](const BlobManifest& m) -> Result<std::vector<std::uint32_t>> {
        if (m.chunks.size() != 10) return Error{ErrorCode::corrupt, "not ten", "", ""};
        return std::vector<std::uint32_t>{0, 5, 9};
    };
    target.write = [&](std::uint32_t i, std::span<const std::byte> bytes) -> Result<void> {
        got[i].assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return {};
    };
    s.transfer = BlobTransfer::download(s.loop, s.net, address, hash, target, {},
                                        [&](Result<void> r) { s.result = std::move(r); });
    s.loop.run_for(seconds(5));
    QVERIFY(s.result && s.result->ok());
    QCOMPARE(got.size(), std::size_t{3});
    QVERIFY(got[9] == piece(9) && got[5] == piece(5));
    s.result.reset();
    target.write = [](std::uint32_t, std::span<const std::byte>) -> Result<void> {
        return Error{ErrorCode::corrupt, "not the piece", "", ""};
    };
    s.transfer = BlobTransfer::download(s.loop, s.net, address, hash, target, {},
                                        [&](Result<void> r) { s.result = std::move(r); });
    s.loop.run_for(seconds(5));
    QCOMPARE(s.result->error().code, ErrorCode::corrupt);
}

void BlobTest::part_is_downloaded_under_its_own_hash() {
    Setup s;
    s.memory.part = std::string(64, 'b');
    s.memory.snapshot = ten_pieces();
    s.memory.manifest = {s.memory.part, blob_chunk_bytes + 10, std::vector<std::uint32_t>(2, 7)};
    for (std::uint32_t i = 0; i < 2; ++i) s.memory.pieces[i] = piece(i);
    std::vector<std::string> begun;
    s.select(begun);
    s.loop.run_for(seconds(5));
    QVERIFY(s.result && s.result->ok());
    QCOMPARE(begun, std::vector<std::string>{s.memory.part});
    QCOMPARE(s.memory.asked, (std::vector<std::vector<std::string>>{{"w", "layer\n2"}}));
    QCOMPARE(s.reads, 2);
}

/// The part is not selected again after a lost connection.
void BlobTest::part_is_selected_once() {
    Setup s;
    s.memory.part = std::string(64, 'b');
    s.memory.snapshot = ten_pieces();
    s.memory.manifest = {s.memory.part, blob_chunk_bytes + 10, std::vector<std::uint32_t>(2, 7)};
    for (std::uint32_t i = 0; i < 2; ++i) s.memory.pieces[i] = piece(i);
    std::vector<std::string> begun;
    bool is_cut = false;
    s.net.drop_if([&](const std::string&, const Parts&) {
        if (begun.size() == 1 && !std::exchange(is_cut, true)) s.loop.post([&] { s.net.cut(address.endpoint); });
        return is_cut && s.reads == 0 && begun.size() == 1;
    });
    s.select(begun);
    s.loop.run_for(seconds(3));
    QVERIFY(is_cut && !s.result);
    s.net.drop_if({});
    s.net.heal(address.endpoint);
    s.loop.run_for(seconds(10));
    QVERIFY(s.result && s.result->ok());
    QCOMPARE(begun, (std::vector<std::string>{s.memory.part, s.memory.part}));
    QCOMPARE(s.memory.asked.size(), std::size_t{1});
}

/// The server reads the whole snapshot before it announces the hash of the part.
void BlobTest::timeout_of_a_part_follows_the_size_of_its_snapshot() {
    Setup s;
    s.memory.part = std::string(64, 'b');
    s.memory.snapshot = {hash, 100 * slowest_disk_bytes_per_s, {}};
    s.net.drop_if([&](const std::string&, const Parts&) { return !s.memory.asked.empty(); });
    std::vector<std::string> begun;
    s.select(begun);
    s.loop.run_for(seconds(120));
    QCOMPARE(s.memory.asked.size(), std::size_t{1});
    QVERIFY(!s.result);
    s.loop.run_for(seconds(20));
    QVERIFY(s.result);
    QCOMPARE(s.result->error().code, ErrorCode::unavailable);
}

void BlobTest::unrequested_answers_end_the_transfer_data() {
    QTest::addColumn<int>("verb");
    QTest::addColumn<int>("status");
    QTest::newRow("what the blob is") << int(wire::BlobVerb::describe) << 0;
    QTest::newRow("a piece") << int(wire::BlobVerb::get) << 0;
    QTest::newRow("a part") << int(wire::BlobVerb::select) << 0;
    QTest::newRow("no part") << int(wire::BlobVerb::select) << 1;
}

void BlobTest::unrequested_answers_end_the_transfer() {
    QFETCH(int, verb);
    QFETCH(int, status);
    Setup s;
    const Address liar{"mem://liar", ""};
    std::unique_ptr<Listener> listener;
    Listener::Events events;
    events.message = [&](const std::string& route, const Credentials&, const Parts& parts) {
        wire::BlobMessage message = wire::decode_blob(parts[0].bytes).value();
        message.answer = true;
        message.verb = static_cast<wire::BlobVerb>(verb);
        message.status = static_cast<std::uint8_t>(status);
        (void)listener->send(route, {Part::of(wire::encode_blob(message).value()), Part::of(std::string())});
    };
    listener = s.net.listen({liar.endpoint, Purpose::blob, false}, std::move(events)).value();
    s.upload(liar);
    s.loop.run_for(seconds(5));
    QVERIFY(s.result);
    QCOMPARE(s.result->error().code, ErrorCode::corrupt);
}

void BlobTest::blob_without_parts_is_downloaded_whole() {
    Setup s;
    s.memory.manifest = {hash, blob_chunk_bytes + 10, std::vector<std::uint32_t>(2, 7)};
    for (std::uint32_t i = 0; i < 2; ++i) s.memory.pieces[i] = piece(i);
    std::vector<std::string> begun;
    s.select(begun);
    s.loop.run_for(seconds(5));
    QVERIFY(s.result && s.result->ok());
    QCOMPARE(begun, std::vector<std::string>{hash});
    QCOMPARE(s.reads, 2);
}

void BlobTest::errors_of_the_other_end_arrive_complete() {
    Setup s;
    s.memory.full = true;
    s.upload();
    s.loop.run_for(seconds(5));
    QCOMPARE(s.result->error().code, ErrorCode::exhausted);
    QCOMPARE(s.result->error().message(), std::string("/blobs: the disk is full; free some space"));
}

void BlobTest::dead_node_ends_the_transfer_after_the_timeout() {
    Setup s;
    s.net.cut(address.endpoint);
    s.upload();
    s.loop.run_for(seconds(29));
    QVERIFY(!s.result);
    s.loop.run_for(seconds(5));
    QCOMPARE(s.result->error().code, ErrorCode::unavailable);
}

void BlobTest::viewers_and_modules_are_refused() {
    for (const identity::Role role : {identity::Role::viewer, identity::Role::module}) {
        Setup s;
        s.net.credentials({false, role, "eve"});
        s.upload();
        s.loop.run_for(seconds(5));
        QCOMPARE(s.result->error().code, ErrorCode::denied);
        QVERIFY(s.memory.pieces.empty());
    }
}

void BlobTest::messages_survive_encoding_and_noise_is_refused() {
    const wire::BlobMessage message{
        wire::BlobVerb::get, true, 3, 77, std::string(32, '0') + std::string(32, 'f'), 12345, 9};
    const auto bytes = wire::encode_blob(message).value();
    QVERIFY(wire::decode_blob(std::as_bytes(std::span(bytes))).value() == message);
    QVERIFY(!wire::encode_blob({wire::BlobVerb::get, false, 0, 0, "short", 0, 0}).ok());
    std::mt19937 rng(1);
    for (int i = 0; i < 1000; ++i) {
        std::string noise(rng() % 80, '\0');
        for (char& c : noise) c = static_cast<char>(rng());
        QVERIFY(!wire::decode_blob(std::as_bytes(std::span(noise))).ok());
    }
    const std::vector<std::string> names{"w", "", std::string("\0\n", 2), "/layers/1/attn/weight"};
    const std::string list = wire::encode_names(names);
    QCOMPARE(wire::decode_names(std::as_bytes(std::span(list))).value(), names);
    QVERIFY(!wire::decode_names(std::as_bytes(std::span(list)).first(list.size() - 1)).ok());
    QVERIFY(!wire::decode_names(std::as_bytes(std::span(list)).first(3)).ok());
    const std::string most = wire::encode_names(std::vector<std::string>(control::most_selected_values)),
                      more = wire::encode_names(std::vector<std::string>(control::most_selected_values + 1));
    QVERIFY(wire::decode_names(std::as_bytes(std::span(most))).ok());
    QVERIFY(!wire::decode_names(std::as_bytes(std::span(more))).ok());
    const std::vector<std::uint32_t> checksums{0, 1, 0x12345678, 0xffffffff};
    const std::string chunks = wire::encode_chunks(checksums), digest = wire::encode_hash(message.hash).value();
    QCOMPARE(chunks.substr(8, 4), std::string("\x78\x56\x34\x12"));
    QCOMPARE(wire::decode_chunks(std::as_bytes(std::span(chunks))).value(), checksums);
    QVERIFY(wire::decode_chunks({})->empty());
    QVERIFY(!wire::decode_chunks(std::as_bytes(std::span(chunks)).first(15)).ok());
    QCOMPARE(wire::decode_hash(std::as_bytes(std::span(digest))).value(), message.hash);
    QVERIFY(!wire::decode_hash(std::as_bytes(std::span(digest)).first(31)).ok());
    QVERIFY(!wire::decode_hash(std::as_bytes(std::span(bytes))).ok());
    QVERIFY(!wire::encode_hash(std::string(64, 'g')).ok());
    const std::vector<std::uint32_t> some{0, 7, 8, 30};
    const auto bitmap = wire::encode_bitmap(some, 31);
    QCOMPARE(wire::decode_bitmap(std::as_bytes(std::span(bitmap)), 31).value(), some);
    QVERIFY(!wire::decode_bitmap(std::as_bytes(std::span(bitmap)), 33).ok());
}

DIVISI_TEST(BlobTest)

}  // namespace blob_test

#include "blob_test.moc"
