// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/forms/field_text.h"

#include <cmath>
#include <limits>
#include <random>

#include "backend/task/parse.h"
#include "tests/support/test_program.h"

namespace field_text_test {

using namespace divisi;
using panels::read_text;
using panels::text_of;

namespace {

template <typename Value>
Value round_trip(Value value) {
    const QString text = text_of(&value);
    Value read{};
    if (!read_text(text, &read)) qFatal("%s cannot be read", qPrintable(text));
    return read;
}

/// Returns whether a task is refused because this value of a field is out of range.
bool refused(const panels::TaskField& field, qint64 value) {
    task::TaskSpec spec;
    spec.task.name = "a";
    spec.model.zoo = "gpt";
    spec.data.kind = "synthetic";
    spec.data.samples = 64;
    spec.train.steps = 10;
    spec.train.batch = 8;
    spec.train.microbatches = 1;
    const panels::Slot slot = field.slot(spec);
    if (!read_text(QString::number(value), slot)) qFatal("%s does not take a number", field.key);
    const auto checked = task::check_task(spec);
    if (checked.ok() || checked.error().where != field.key) return false;
    const std::string& what = checked.error().what;
    return what.find("out of range") != std::string::npos || what.find("at least") != std::string::npos;
}

}  // namespace

class FieldTextTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void numbers_keep_every_digit() {
        std::mt19937_64 random(7);
        for (const double number : {0.1, 1.0 / 3, 0.12345678901234567, 1e-8, 1e300, -0.0, 5e-324})
            QCOMPARE(round_trip(number), number);
        for (int i = 0; i < 1000; ++i) {
            const double number = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 200) - 100);
            QVERIFY(round_trip(number) == number);
        }
        double rate = 0.001;
        QCOMPARE(text_of(&rate), QStringLiteral("0.001"));
        QCOMPARE(round_trip(std::numeric_limits<std::int64_t>::min()), std::numeric_limits<std::int64_t>::min());
        QCOMPARE(round_trip(std::numeric_limits<std::uint64_t>::max()), std::numeric_limits<std::uint64_t>::max());
    }

    void names_keep_commas_quotes_and_spaces() {
        using List = std::vector<std::string>;
        for (const List& list : {List{},
                                 {"a", "b"},
                                 {"a, b", "c"},
                                 {"say \"x\""},
                                 {" lead", "trail "},
                                 {""},
                                 {"back\\slash", "\\\",\\"},
                                 {"a=b"},
                                 {"\xe5\x88\x97"}})
            QCOMPARE(round_trip(list), list);
        using Pairs = std::map<std::string, std::string>;
        for (const Pairs& pairs : {Pairs{{"x", "col"}}, {{"a=b", "c,d"}, {"e", "\"f\""}}}) {
            QVERIFY(round_trip(pairs) == pairs);
        }
        QCOMPARE(round_trip(std::string(" /a b/,c ")), std::string(" /a b/,c "));
        QVERIFY((round_trip(std::map<std::string, std::int64_t>{{"n,1", 4}}) ==
                 std::map<std::string, std::int64_t>{{"n,1", 4}}));
    }

    void simple_lists_are_written_without_quotes() {
        std::vector<std::string> list{"price", "size"};
        QCOMPARE(text_of(&list), QStringLiteral("price, size"));
        std::vector<std::string> read;
        QVERIFY(read_text(QStringLiteral(" price ,size, "), &read));
        QCOMPARE(read, list);
    }

    void unreadable_text_changes_nothing() {
        std::vector<std::string> list{"a"};
        QVERIFY(!read_text(QStringLiteral("\"open"), &list));
        QVERIFY(!read_text(QStringLiteral("\"a\" b"), &list));
        QCOMPARE(list, std::vector<std::string>{"a"});
        std::map<std::string, std::int64_t> sizes{{"n", 4}};
        for (const char* text : {"n", "n=", "=4", "n=four", "n=4 m=5"})
            QVERIFY2(!read_text(QString::fromLatin1(text), &sizes), text);
        QCOMPARE(sizes.at("n"), std::int64_t{4});
        double rate = 0.5;
        QVERIFY(!read_text(QStringLiteral("0,5"), &rate));
        QCOMPARE(rate, 0.5);
    }

    /// The ranges that the form shows equal those that the check of a task enforces.
    void ranges_in_the_form_equal_those_of_task_validation() {
        for (const panels::TaskField& field : panels::task_fields()) {
            const model::Range* range = panels::field_range(field.key);
            if (!range) continue;
            QVERIFY2(!refused(field, range->least), field.key);
            // A seed below 0 cannot be parsed, so the check never receives one.
            const bool unsigned_field = std::string_view(field.key) == "train.seed";
            QVERIFY2(unsigned_field || refused(field, range->least - 1), field.key);
            if (range->most && *range->most < std::numeric_limits<qint64>::max())
                QVERIFY2(refused(field, *range->most + 1), field.key);
        }
    }
};

DIVISI_TEST(FieldTextTest)

}  // namespace field_text_test

#include "field_text_test.moc"
