// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "backend/ctl/terminal/terminal.h"
#include "tests/support/test_program.h"

namespace error_line_test {

using namespace divisi;
using nlohmann::ordered_json;

namespace {

Error no_checkpoint() {
    return {ErrorCode::not_found,
            "the task has no checkpoint after step 7",
            "gpt-1",
            "it has those after steps 2, 4",
            "no-checkpoint-after-step",
            {"7", "2, 4"}};
}

}  // namespace

class ErrorLineTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void text_has_location_problem_and_next_step() {
        QCOMPARE(ctl::error_line(no_checkpoint(), false),
                 std::string("error: gpt-1: the task has no checkpoint after step 7; it has those after steps 2, 4"));
        QCOMPARE(ctl::error_line({ErrorCode::failed, "a\x1b[31mb", "", ""}, false), std::string("error: a\\x1b[31mb"));
    }

    void json_is_one_object_with_id_and_arguments() {
        const ordered_json expected = {{"id", "no-checkpoint-after-step"},
                                       {"args", {"7", "2, 4"}},
                                       {"code", to_string(ErrorCode::not_found)},
                                       {"message", "the task has no checkpoint after step 7"},
                                       {"where", "gpt-1"},
                                       {"hint", "it has those after steps 2, 4"}};
        QCOMPARE(ctl::error_line(no_checkpoint(), true), expected.dump());
    }

    void json_of_an_error_without_id_has_all_keys() {
        const std::string line = ctl::error_line({ErrorCode::failed, "two\nlines and \xff", "", ""}, true);
        QCOMPARE(line.find('\n'), std::string::npos);
        const ordered_json read = ordered_json::parse(line, nullptr, false);
        QVERIFY(read.is_object());
        QVERIFY(read["id"].is_null());
        QVERIFY(read["args"].is_array() && read["args"].empty());
        QCOMPARE(read["message"].get<std::string>(), std::string("two\nlines and \xef\xbf\xbd"));
        QCOMPARE(read["hint"].get<std::string>(), std::string());
    }
};

DIVISI_TEST(ErrorLineTest)

}  // namespace error_line_test

#include "error_line_test.moc"
