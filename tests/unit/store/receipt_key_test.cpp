// SPDX-License-Identifier: Apache-2.0
#include "backend/store/receipt_key.h"

#include <sys/stat.h>

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>

#include "tests/support/test_program.h"

namespace receipt_key_test {

using namespace divisi;
using namespace divisi::store;

namespace {

std::string from_hex(const char* digits) { return QByteArray::fromHex(digits).toStdString(); }

}  // namespace

/// Tests the key that signs receipts.
class ReceiptKeyTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void signatures_match_rfc_8032_data();
    void signatures_match_rfc_8032();
    void openssl_verifies_signatures();
    void key_is_created_once_and_only_its_owner_may_read_it();
    void invalid_key_is_refused();
};

/// The cases are from section 7.1, tests 1, 2 and 3.
void ReceiptKeyTest::signatures_match_rfc_8032_data() {
    QTest::addColumn<QByteArray>("seed");
    QTest::addColumn<QByteArray>("key");
    QTest::addColumn<QByteArray>("message");
    QTest::addColumn<QByteArray>("signature");
    QTest::newRow("nothing") << QByteArray("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
                             << QByteArray("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
                             << QByteArray("")
                             << QByteArray(
                                    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
                                    "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b");
    QTest::newRow("a byte") << QByteArray("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
                            << QByteArray("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")
                            << QByteArray("72")
                            << QByteArray(
                                   "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                                   "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00");
    QTest::newRow("two bytes") << QByteArray("c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7")
                               << QByteArray("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025")
                               << QByteArray("af82")
                               << QByteArray(
                                      "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
                                      "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a");
}

void ReceiptKeyTest::signatures_match_rfc_8032() {
    QFETCH(QByteArray, seed);
    QFETCH(QByteArray, key);
    QFETCH(QByteArray, message);
    QFETCH(QByteArray, signature);
    const auto seal = seal_with(seed.toStdString(), "vector").value();
    const std::string text = from_hex(message);
    QCOMPARE(seal.public_key, key.toStdString());
    QCOMPARE(seal.sign(text), signature.toStdString());
    QVERIFY(verify_signature(text, signature.toStdString(), seal.public_key));
    QVERIFY(!verify_signature(text + "x", signature.toStdString(), seal.public_key));
    std::string changed = signature.toStdString();
    changed[0] = changed[0] == '0' ? '1' : '0';
    QVERIFY(!verify_signature(text, changed, seal.public_key));
}

/// openssl shares no code with libsodium, and reads our PEM.
void ReceiptKeyTest::openssl_verifies_signatures() {
    QTemporaryDir folder;
    const auto seal = load_or_make_seal(folder.filePath("key").toStdString()).value();
    const auto write = [&](const char* name, const std::string& bytes) {
        QFile file(folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write");
        file.write(QByteArray::fromStdString(bytes));
    };
    const auto verified = [&](const std::string& text, const std::string& signature) {
        write("text", text);
        write("signature", from_hex(signature.c_str()));
        QProcess openssl;
        openssl.setWorkingDirectory(folder.path());
        openssl.start("openssl", {"pkeyutl", "-verify", "-pubin", "-inkey", "key.pem", "-rawin", "-in", "text",
                                  "-sigfile", "signature"});
        if (!openssl.waitForFinished()) qFatal("openssl is not installed; packaging/setup does that");
        return openssl.exitCode() == 0;
    };
    write("key.pem", public_key_pem(seal.public_key));
    const std::string signature = seal.sign("a receipt");
    QVERIFY(verified("a receipt", signature));
    QVERIFY(!verified("a receipT", signature));
    QCOMPARE(public_key_of(public_key_pem(seal.public_key), "key.pem").value(), seal.public_key);
    QCOMPARE(public_key_of(seal.public_key + "\n", "digits").value(), seal.public_key);
}

void ReceiptKeyTest::key_is_created_once_and_only_its_owner_may_read_it() {
    QTemporaryDir folder;
    const std::string file = folder.filePath("receipts.key").toStdString();
    const auto first = load_or_make_seal(file).value();
    struct stat status {};
    QCOMPARE(::stat(file.c_str(), &status), 0);
    QCOMPARE(int(status.st_mode & 0777), 0600);
    const auto second = load_or_make_seal(file).value();
    QCOMPARE(second.public_key, first.public_key);
    QVERIFY(verify_signature("text", second.sign("text"), first.public_key));
    QCOMPARE(::chmod(file.c_str(), 0640), 0);
    QVERIFY(load_or_make_seal(file).error().code == ErrorCode::denied);
}

void ReceiptKeyTest::invalid_key_is_refused() {
    QTemporaryDir folder;
    const std::string file = folder.filePath("receipts.key").toStdString();
    QFile broken(QString::fromStdString(file));
    QVERIFY(broken.open(QIODevice::WriteOnly));
    broken.write("abc\n");
    broken.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
    broken.close();
    QVERIFY(load_or_make_seal(file).error().code == ErrorCode::corrupt);
    const std::string rsa =
        "-----BEGIN PUBLIC KEY-----\nMFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAK==\n-----END PUBLIC KEY-----\n";
    for (const std::string& text : {std::string(), std::string("12"), std::string(64, 'g'), rsa})
        QVERIFY(public_key_of(text, "given").error().code == ErrorCode::invalid_input);
    QVERIFY(!verify_signature("text", "12", std::string(64, '0')));
    QVERIFY(!verify_signature("text", std::string(128, '0'), "no key"));
}

DIVISI_TEST(ReceiptKeyTest)

}  // namespace receipt_key_test

#include "receipt_key_test.moc"
