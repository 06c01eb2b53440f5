// SPDX-License-Identifier: Apache-2.0
#include "backend/store/receipt_export.h"

#include <QFile>
#include <QTemporaryDir>

#include "backend/control/protocol/receipt_book.h"
#include "backend/store/receipt_key.h"
#include "tests/support/test_program.h"

namespace receipt_export_test {

using namespace divisi;
using namespace divisi::store;

namespace {

/// Returns signed receipts, each with a reference to the one before.
std::vector<control::Receipt> receipts(std::uint64_t count, const control::ReceiptSeal& seal) {
    std::vector<control::Receipt> all;
    std::string before;
    for (std::uint64_t number = 1; number <= count; ++number) {
        control::Receipt one;
        one.number = one.lease.number = number;
        one.reason = "the task, \"gpt\", ended";
        one.previous = before;
        one.signature = seal.sign(control::signed_text(control::receipt_fields(one)));
        before = seal.hash(control::receipt_line(control::receipt_fields(one)));
        all.push_back(one);
    }
    return all;
}

}  // namespace

/// Tests exports of receipts, which are read back and checked.
class ReceiptExportTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void changed_export_fails_its_check() {
        const control::ReceiptSeal seal = *seal_with(std::string(64, '1'), "test");
        std::string csv = control::receipts_csv(receipts(3, seal));
        for (const bool changed : {false, true}) {
            if (changed) csv.replace(csv.rfind("gpt"), 3, "vit");
            const auto rows = receipt_rows(csv, "export.csv");
            QVERIFY(rows.ok());
            control::ReceiptCheck check = receipt_check(seal.public_key, false);
            QVERIFY(check.take((*rows)[0], "row 2").ok() && check.take((*rows)[1], "row 3").ok());
            QCOMPARE(check.take((*rows)[2], "row 4").ok(), !changed);
        }
        control::ReceiptCheck other = receipt_check(seal_with(std::string(64, '2'), "test")->public_key, false);
        QVERIFY(!other.take((*receipt_rows(csv, "export.csv"))[0], "row 2").ok());
    }

    void other_files_are_refused() {
        for (const char* text : {"", "name,value\r\n1,2\r\n", "\"open"}) {
            const auto rows = receipt_rows(text, "other.csv");
            QVERIFY2(!rows.ok() && rows.error().message().find("other.csv") != std::string::npos, text);
        }
    }

    void key_is_given_or_read_from_a_file() {
        const std::string digits = seal_with(std::string(64, '1'), "test")->public_key;
        QCOMPARE(*read_public_key(digits), digits);
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("key.pem")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(public_key_pem(digits)));
        file.close();
        QCOMPARE(*read_public_key(file.fileName().toStdString()), digits);
        QVERIFY(!read_public_key("no key").ok());
    }
};

DIVISI_TEST(ReceiptExportTest)

}  // namespace receipt_export_test

#include "receipt_export_test.moc"
