// SPDX-License-Identifier: Apache-2.0

#include "backend/base/error_text.h"
#include "tests/support/test_program.h"

namespace error_text_test {

using namespace divisi;

namespace {

constexpr ErrorText texts[] = {
    {"no-step", ErrorCode::not_found, "there is no step %1", "choose one of %2, not %1"},
    {"worn-out", ErrorCode::failed, "it is worn out"},
};

consteval const ErrorText& text(std::string_view id) { return find_text(texts, id); }

}  // namespace

class ErrorTextTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void error_has_texts_id_and_arguments() {
        const Error error = make_error(text("no-step"), "gpt-1", {"7", "1, 2"});
        QCOMPARE(error.code, ErrorCode::not_found);
        QCOMPARE(error.message(), std::string("gpt-1: there is no step 7; choose one of 1, 2, not 7"));
        QCOMPARE(error.id, std::string("no-step"));
        QCOMPARE(error.args, (std::vector<std::string>{"7", "1, 2"}));
        QCOMPARE(make_error(text("worn-out"), "").message(), std::string("it is worn out"));
    }

    void argument_that_looks_like_a_placeholder_is_not_replaced() {
        QCOMPARE(fill("%1 and %2", {"%2", "b"}), std::string("%2 and b"));
        QCOMPARE(fill("%1 and %2, 5 %", {"a"}), std::string("a and %2, 5 %"));
    }

    void subject_stands_before_the_problem() {
        const Error error = about("train.steps", make_error(text("worn-out"), "a.toml:3"));
        QCOMPARE(error.message(), std::string("a.toml:3: train.steps it is worn out"));
        QCOMPARE(error.id, std::string("worn-out"));
    }

    void error_with_long_arguments_has_only_its_text() {
        const std::string name(most_argument_bytes, 'n');
        const Error error = make_error(text("no-step"), "gpt-1", {name, "1"});
        QCOMPARE(error.what, "there is no step " + name);
        QVERIFY(error.id.empty());
        QVERIFY(error.args.empty());
    }
};

DIVISI_TEST(ErrorTextTest)

}  // namespace error_text_test

#include "error_text_test.moc"
