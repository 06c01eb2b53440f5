// SPDX-License-Identifier: Apache-2.0
#include "backend/base/text.h"

#include "backend/base/result.h"
#include "tests/support/test_program.h"

namespace text_test {

using namespace divisi;

class TextTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void distinguishes_characters_from_bytes_data();
    void distinguishes_characters_from_bytes();
    void leaves_valid_text_alone();
    void shows_other_bytes_as_numbers();
    void truncates_before_a_character();
    void output_is_always_utf8();
    void error_message_shows_invalid_bytes_as_numbers();
    void joins_names();
};

void TextTest::distinguishes_characters_from_bytes_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("length");
    QTest::newRow("nothing") << QByteArray() << 0;
    QTest::newRow("ASCII") << QByteArray("ab") << 1;
    QTest::newRow("zero") << QByteArray("\0", 1) << 1;
    QTest::newRow("two bytes") << QByteArray("\xc3\xa4z") << 2;
    QTest::newRow("three bytes") << QByteArray("\xe4\xb8\xad") << 3;
    QTest::newRow("four bytes") << QByteArray("\xf0\x9f\x8e\xbb") << 4;
    QTest::newRow("cut") << QByteArray("\xe4\xb8") << 0;
    QTest::newRow("a continuation byte alone") << QByteArray("\xa4") << 0;
    QTest::newRow("overlong slash") << QByteArray("\xc0\xaf") << 0;
    QTest::newRow("surrogate") << QByteArray("\xed\xa0\x80") << 0;
    QTest::newRow("beyond Unicode") << QByteArray("\xf4\x90\x80\x80") << 0;
    QTest::newRow("mark of UTF-16") << QByteArray("\xff\xfe") << 0;
}

void TextTest::distinguishes_characters_from_bytes() {
    QFETCH(QByteArray, text);
    QFETCH(int, length);
    QCOMPARE(static_cast<int>(character_length(text.toStdString())), length);
}

void TextTest::leaves_valid_text_alone() {
    const std::string text = "caf\xc3\xa9 \xe4\xb8\xad\n\tC:\\x41 \xf0\x9f\x8e\xbb";
    QCOMPARE(legible(text), text);
}

void TextTest::shows_other_bytes_as_numbers() {
    QCOMPARE(legible("\xe9t\xe9"), std::string("\\xe9t\\xe9"));
    QCOMPARE(legible("\x1b[2J\x7f"), std::string("\\x1b[2J\\x7f"));
    QCOMPARE(legible(std::string_view("a\0b", 3)), std::string("a\\x00b"));
    QCOMPARE(legible("\xc2\x9b"), std::string("\\xc2\\x9b"));  // U+009B, an escape sequence in a single character
}

void TextTest::truncates_before_a_character() {
    QCOMPARE(legible("abcdef", 6), std::string("abcdef"));
    QCOMPARE(legible("abcdef", 5), std::string("abcde..."));
    QCOMPARE(legible("ab\xe4\xb8\xad", 4), std::string("ab..."));
}

void TextTest::output_is_always_utf8() {
    // Qt's decoder is the reference: it replaces invalid UTF-8.
    quint32 state = 1;
    for (int round = 0; round < 20'000; ++round) {
        QByteArray bytes;
        for (int i = 0; i < 12; ++i) {
            state = state * 1664525u + 1013904223u;
            // Uses mostly bytes of multi-byte characters.
            bytes += static_cast<char>(state >> 31 ? 0x80 | state >> 24 : state >> 24);
        }
        const QByteArray text = QByteArray::fromStdString(legible(bytes.toStdString()));
        QCOMPARE(QString::fromUtf8(text).toUtf8(), text);
    }
}

void TextTest::error_message_shows_invalid_bytes_as_numbers() {
    const Error error{ErrorCode::invalid_input, "no column '\xff\xfe'", "t.csv:1", "rename it"};
    QCOMPARE(error.message(), std::string("t.csv:1: no column '\\xff\\xfe'; rename it"));
}

void TextTest::joins_names() {
    QCOMPARE(joined({}), std::string());
    QCOMPARE(joined({"mg-1"}), std::string("mg-1"));
    QCOMPARE(joined({"mg-1", "sr-1", "mg-2"}), std::string("mg-1, sr-1, mg-2"));
}

DIVISI_TEST(TextTest)

}  // namespace text_test

#include "text_test.moc"
