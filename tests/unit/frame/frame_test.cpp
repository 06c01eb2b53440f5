// SPDX-License-Identifier: Apache-2.0

#include <random>

#include "backend/frame/crc32c.h"
#include "backend/frame/frame.h"
#include "tests/support/test_program.h"

namespace frame_test {

using namespace divisi;
using namespace divisi::frame;

namespace {

std::span<const std::byte> view(const std::string& text) { return std::as_bytes(std::span(text)); }

/// Returns a random valid header.
FrameHeader random_header(std::mt19937_64& rng) {
    TensorFrame frame;
    frame.key = {rng(),
                 static_cast<Generation>(rng()),
                 static_cast<FrameKind>(1 + rng() % last_frame_kind),
                 static_cast<std::uint32_t>(rng()),
                 static_cast<std::int64_t>(rng() >> 1),
                 static_cast<std::int32_t>(rng() % 1000)};
    frame.source = {rng(), rng()};
    frame.destination = {rng(), rng()};
    std::vector<std::int64_t> dims;
    std::int64_t count = 1;
    for (std::size_t i = 0, rank = rng() % 5; i < rank; ++i) {
        dims.push_back(static_cast<std::int64_t>(rng() % 7));
        count *= dims.back();
    }
    const std::vector<float> values(static_cast<std::size_t>(count), 1.5f);
    frame.tensor = graph::HostTensor::of(graph::DType::float32, dims, values);
    if (dims.size() == 2 && count > 0) frame.tensor.strides = {1, dims[0]};
    for (std::size_t i = 0, n = rng() % 4; i < n; ++i)
        frame.routing.push_back({static_cast<std::uint16_t>(rng()), std::string(rng() % 40, 'r')});
    FrameHeader header = chunk_header(frame, 0, min_chunk_bytes);
    header.credit = static_cast<std::uint32_t>(rng());
    header.about = FrameKind::gradient;
    return header;
}

}  // namespace

class FrameTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void checksum_is_castagnoli_in_both_implementations();
    void headers_survive_encoding();
    void every_flipped_bit_is_detected();
    void every_truncation_is_detected();
    void noise_is_refused();
    void impossible_headers_with_a_valid_checksum_are_refused();
    void chunks_cover_the_tensor_exactly();
};

void FrameTest::checksum_is_castagnoli_in_both_implementations() {
    QCOMPARE(crc32c(view("123456789")), 0xE3069283u);
    std::mt19937_64 rng(1);
    std::string bytes(100'000, '\0');
    for (char& c : bytes) c = static_cast<char>(rng());
    for (const std::size_t size : {0ul, 1ul, 7ul, 8ul, 4095ul, 24'576ul, 24'577ul, 100'000ul}) {
        const auto all = view(bytes).first(size);
        QCOMPARE(crc32c(all), crc32c_portable(all));
        QCOMPARE(crc32c(all.subspan(size / 3), crc32c(all.first(size / 3))), crc32c(all));
    }
}

void FrameTest::headers_survive_encoding() {
    std::mt19937_64 rng(2);
    for (int i = 0; i < 500; ++i) {
        const FrameHeader header = random_header(rng);
        const auto bytes = encode_header(header);
        QVERIFY2(bytes.ok(), bytes.ok() ? "" : bytes.error().message().c_str());
        const auto back = decode_header(view(*bytes));
        QVERIFY2(back.ok(), back.ok() ? "" : back.error().message().c_str());
        QVERIFY(*back == header);
    }
}

void FrameTest::every_flipped_bit_is_detected() {
    std::mt19937_64 rng(3);
    const auto bytes = encode_header(random_header(rng));
    QVERIFY(bytes.ok());
    for (std::size_t bit = 0; bit < bytes->size() * 8; ++bit) {
        std::string damaged = *bytes;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
        QVERIFY2(!decode_header(view(damaged)).ok(), std::to_string(bit).c_str());
    }
}

void FrameTest::every_truncation_is_detected() {
    std::mt19937_64 rng(4);
    const auto bytes = encode_header(random_header(rng));
    for (std::size_t size = 0; size < bytes->size(); ++size) QVERIFY(!decode_header(view(*bytes).first(size)).ok());
    QVERIFY(!decode_header(view(*bytes + "x")).ok());
}

void FrameTest::noise_is_refused() {
    std::mt19937_64 rng(5);
    for (int i = 0; i < 2000; ++i) {
        std::string noise(rng() % 2000, '\0');
        for (char& c : noise) c = static_cast<char>(rng());
        QVERIFY(!decode_header(view(noise)).ok());
    }
}

void FrameTest::impossible_headers_with_a_valid_checksum_are_refused() {
    std::mt19937_64 rng(6);
    FrameHeader good = random_header(rng);
    good.dtype = graph::DType::float32;
    good.dims = {2, 3};
    good.strides = {1, 2};
    good.total_bytes = good.payload_bytes = 24;
    QVERIFY(encode_header(good).ok());
    const auto refused = [&](auto change) {
        FrameHeader bad = good;
        change(bad);
        return !encode_header(bad).ok();
    };
    QVERIFY(refused([](FrameHeader& h) { h.dims = {2, 4}; }));
    QVERIFY(refused([](FrameHeader& h) { h.dims = {-2, -3}; }));
    QVERIFY(refused([](FrameHeader& h) {
        h.dims = {1LL << 62, 1LL << 62};
        h.strides.clear();
    }));
    QVERIFY(refused([](FrameHeader& h) { h.strides = {3, 3}; }));
    QVERIFY(refused([](FrameHeader& h) { h.strides = {-1, 2}; }));
    QVERIFY(refused([](FrameHeader& h) { h.strides = {1LL << 62, 1LL << 62}; }));
    QVERIFY(refused([](FrameHeader& h) { h.strides = {1}; }));
    QVERIFY(refused([](FrameHeader& h) { h.chunk_count = 2; }));
    QVERIFY(refused([](FrameHeader& h) { h.chunk_index = 1; }));
    QVERIFY(refused([](FrameHeader& h) { h.chunk_bytes = 5000; }));
    QVERIFY(refused([](FrameHeader& h) { h.total_bytes = ~0ULL; }));
    QVERIFY(refused([](FrameHeader& h) { h.payload_bytes = 23; }));
    QVERIFY(refused([](FrameHeader& h) { h.key.step = -1; }));
    QVERIFY(refused([](FrameHeader& h) { h.routing = {{1, std::string(2000, 'x')}}; }));
}

void FrameTest::chunks_cover_the_tensor_exactly() {
    for (const std::int64_t size : {0, 1, 4095, 4096, 4097, 20'000}) {
        TensorFrame frame;
        frame.tensor = graph::HostTensor::of(graph::DType::uint8, {size},
                                             std::vector<std::uint8_t>(static_cast<std::size_t>(size), 7));
        std::int64_t sum = 0;
        const auto count = chunk_count(static_cast<std::uint64_t>(size), min_chunk_bytes);
        for (std::uint32_t i = 0; i < count; ++i) {
            QVERIFY(encode_header(chunk_header(frame, i, min_chunk_bytes)).ok());
            sum += static_cast<std::int64_t>(chunk_payload(frame, i, min_chunk_bytes).size());
        }
        QCOMPARE(sum, size);
    }
}

DIVISI_TEST(FrameTest)

}  // namespace frame_test

#include "frame_test.moc"
