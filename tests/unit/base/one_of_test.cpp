// SPDX-License-Identifier: Apache-2.0
#include "backend/base/one_of.h"

#include <memory>
#include <string>
#include <vector>

#include "tests/support/test_program.h"

namespace one_of_test {

using namespace divisi;

namespace {

struct Empty {};
using Value = OneOf<Empty, int, std::string, std::vector<std::string>>;

/// Takes the place of classes such as Message, which derive from a OneOf.
struct Derived : Value {
    using Value::Value;
};

std::string name_of(const Value& value) {
    return visit(
        [](const auto& one) -> std::string {
            using T = std::decay_t<decltype(one)>;
            if constexpr (std::is_same_v<T, int>) return "int " + std::to_string(one);
            else if constexpr (std::is_same_v<T, std::string>) return "text " + one;
            else if constexpr (std::is_same_v<T, Empty>) return "nothing";
            else return std::to_string(one.size()) + " texts";
        },
        value);
}

/// Changes texts and ignores other values.
struct Change {
    void operator()(std::string& text) const { text += "!"; }
    void operator()(const auto&) const {}
};

}  // namespace

/// Tests that a OneOf behaves as the std::variant that it replaces.
class OneOfTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void begins_with_the_first_type();
    void knows_the_type_of_its_value();
    void visit_reaches_every_type();
    void visit_can_change_or_take_the_value();
    void copies_are_independent();
    void moves_take_the_value();
    void emplace_replaces_the_value();
    void only_listed_types_are_accepted();
};

void OneOfTest::begins_with_the_first_type() {
    const Value value;
    QCOMPARE(value.index(), std::size_t{0});
    QVERIFY(holds_alternative<Empty>(value));
    QVERIFY(!get_if<int>(&value));
}

void OneOfTest::knows_the_type_of_its_value() {
    const Derived value = std::string("a");
    QCOMPARE(value.index(), std::size_t{2});
    QCOMPARE(get<std::string>(value), std::string("a"));
    QCOMPARE(*get_if<std::string>(&value), std::string("a"));
    QVERIFY(!get_if<std::vector<std::string>>(&value));
    QCOMPARE(Value::size, std::size_t{4});
    QVERIFY((std::is_same_v<Value::Type<1>, int>));
}

void OneOfTest::visit_reaches_every_type() {
    QCOMPARE(name_of(Value()), std::string("nothing"));
    QCOMPARE(name_of(7), std::string("int 7"));
    QCOMPARE(name_of(std::string("b")), std::string("text b"));
    QCOMPARE(name_of(std::vector<std::string>{"a", "b"}), std::string("2 texts"));
}

void OneOfTest::visit_can_change_or_take_the_value() {
    Value value = std::string("a");
    visit(Change(), value);
    QCOMPARE(get<std::string>(value), std::string("a!"));
    std::string taken;
    const auto take = [&taken](auto&& one) {
        if constexpr (std::is_same_v<decltype(one), std::string&&>) taken = std::move(one);
    };
    visit(take, std::move(value));
    QCOMPARE(taken, std::string("a!"));
}

void OneOfTest::copies_are_independent() {
    Derived one = std::vector<std::string>{"a"};
    Derived other = one;
    get<std::vector<std::string>>(other).push_back("b");
    QCOMPARE(get<std::vector<std::string>>(one).size(), std::size_t{1});
    one = other;
    QCOMPARE(get<std::vector<std::string>>(one).size(), std::size_t{2});
    one = Derived(3);
    QCOMPARE(name_of(one), std::string("int 3"));
    QCOMPARE(name_of(other), std::string("2 texts"));
}

void OneOfTest::moves_take_the_value() {
    Derived one = std::vector<std::string>{"a"};
    const std::string* text = get<std::vector<std::string>>(one).data();
    const Derived other = std::move(one);
    QCOMPARE(get<std::vector<std::string>>(other).data(), text);
    QVERIFY(!get_if<std::vector<std::string>>(&one));  // after the move, a lookup finds no value
}

void OneOfTest::emplace_replaces_the_value() {
    Value value = 7;
    value.emplace<2>() = "c";
    QCOMPARE(value.index(), std::size_t{2});
    QCOMPARE(name_of(value), std::string("text c"));
}

void OneOfTest::only_listed_types_are_accepted() {
    QVERIFY((std::is_constructible_v<Value, int>));
    QVERIFY((!std::is_constructible_v<Value, double>));
    QVERIFY((!std::is_constructible_v<Value, const char*>));
    QVERIFY((!std::is_constructible_v<Value, std::unique_ptr<int>>));
}

DIVISI_TEST(OneOfTest)

}  // namespace one_of_test

#include "one_of_test.moc"
