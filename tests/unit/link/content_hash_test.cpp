// SPDX-License-Identifier: Apache-2.0
#include "backend/link/content_hash.h"

#include <cstring>

#include "tests/support/test_program.h"

namespace content_hash_test {

using namespace divisi;
using namespace divisi::link;

namespace {

std::span<const std::byte> bytes(const char* text) { return std::as_bytes(std::span(text, std::strlen(text))); }
QByteArray hex(const frame::ContentKey& key) {
    return QByteArray(reinterpret_cast<const char*>(key.data()), static_cast<int>(key.size())).toHex();
}

}  // namespace

class ContentHashTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void hash_is_blake2b_of_32_bytes();
    void hash_of_parts_equals_hash_of_the_whole();
};

/// Expected: Python's hashlib.blake2b(..., digest_size=32).
void ContentHashTest::hash_is_blake2b_of_32_bytes() {
    QCOMPARE(hex(content_hash({})), QByteArray("0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"));
    QCOMPARE(hex(content_hash(bytes("abc"))),
             QByteArray("bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319"));
}

void ContentHashTest::hash_of_parts_equals_hash_of_the_whole() {
    ContentHasher hasher;
    hasher.add(bytes("a"));
    hasher.add({});
    hasher.add(bytes("bc"));
    QVERIFY(hasher.key() == content_hash(bytes("abc")));
}

DIVISI_TEST(ContentHashTest)

}  // namespace content_hash_test

#include "content_hash_test.moc"
