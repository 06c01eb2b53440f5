// SPDX-License-Identifier: Apache-2.0
// Compares the bounds of encoded_size() with the encoding, for structs whose fields are all as long as they can be.

#include <limits>

#include "backend/control/protocol/message_fields.h"
#include "backend/control/state/encoded_size.h"
#include "backend/wire/message_codec.h"
#include "tests/support/test_program.h"

namespace field_list_test {

using namespace divisi;
using namespace divisi::control;

namespace {

/// Sets every field to a value with a long encoding, and counts strings and sub-messages.
struct Filler {
    std::size_t elements = 0;

    template <typename... Fields>
    void operator()(Fields&... fields) {
        (fill(fields), ...);
    }

    void fill(std::string& text) {
        text.assign(300, 'x');  // its length takes two bytes
        ++elements;
    }
    template <typename Tag>
    void fill(StrongId<Tag, std::string>& id) {
        std::string text;
        fill(text);
        id = StrongId<Tag, std::string>(text);
    }
    template <typename T>
    requires std::is_arithmetic_v<T>
    void fill(T& number) {
        // A negative number takes ten bytes.
        if constexpr (std::is_signed_v<T>) number = static_cast<T>(-1);
        else number = std::numeric_limits<T>::max();
    }
    template <typename E>
    requires std::is_enum_v<E>
    void fill(E& value) { value = static_cast<E>(1); }
    void fill(TimePoint& time) { time = TimePoint(Duration(-1)); }
    template <typename T>
    void fill(std::optional<T>& value) {
        fill(value.emplace());
    }
    template <typename List>
    void fill_list(List& list) {
        list.resize(2);
        for (auto& one : list) fill(one);
    }
    template <typename T>
    void fill(std::vector<T>& list) {
        fill_list(list);
    }
    template <typename T>
    void fill(std::deque<T>& list) {
        fill_list(list);
    }
    template <typename T>
    requires std::is_class_v<T>
    void fill(T& value) {
        ++elements;
        FieldList<T>::visit(*this, value);
    }
};

template <typename T>
struct Filled {
    T value{};
    std::size_t elements = 0;
};

template <typename T>
Filled<T> filled() {
    Filled<T> one;
    Filler filler;
    filler.fill(one.value);
    one.elements = filler.elements;
    return one;
}

std::size_t page_bytes_of(const Snapshot& page) { return wire::encode_page(page).value().size(); }

/// Compares the bound of a value with the number of bytes that the value adds to a page. `put` puts the value on the
/// page.
template <typename T, typename Put>
void compare(Put put) {
    const Filled<T> one = filled<T>();
    Snapshot page;
    const std::size_t before = page_bytes_of(page);
    put(page, one.value);
    const EncodedSize bound = encoded_size(one.value);
    QVERIFY2(bound.bytes >= page_bytes_of(page) - before, FieldList<T>::names);
    QVERIFY2(bound.elements >= one.elements, FieldList<T>::names);
    QVERIFY2(bound.bytes < 2 * (page_bytes_of(page) - before), FieldList<T>::names);
}

template <std::size_t I>
void compare_event() {
    Event event;
    event.sequence = std::numeric_limits<std::uint64_t>::max();
    event.time = TimePoint(Duration(-1));
    Filler filler;
    filler.fill(event.body.emplace<I>());
    const EncodedSize bound = encoded_size(event);
    QVERIFY2(bound.bytes >= wire::encode_event(event).value().size(), kind_name(event.body));
    QVERIFY2(bound.elements > filler.elements, kind_name(event.body));
}

template <std::size_t... I>
void compare_events(std::index_sequence<I...>) {
    (compare_event<I>(), ...);
}

}  // namespace

class FieldListTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void field_list_has_the_names_of_its_fields();
    void no_event_exceeds_its_bound();
    void no_entry_of_the_state_exceeds_its_bound();
    void no_report_exceeds_its_bound();
    void size_bounds_match_hand_computed_values();
};

void FieldListTest::field_list_has_the_names_of_its_fields() {
    QCOMPARE(std::string(FieldList<TaskEnded>::names), std::string("m.task, m.outcome, m.error"));
    QCOMPARE(std::string(FieldList<Done>::names), std::string());
}

void FieldListTest::no_event_exceeds_its_bound() { compare_events(std::make_index_sequence<AnyEvent::size>{}); }

void FieldListTest::no_entry_of_the_state_exceeds_its_bound() {
    compare<NodeView>([](Snapshot& page, const auto& one) { page.state.nodes[one.info.id] = one; });
    compare<InstanceView>([](Snapshot& page, const auto& one) { page.state.instances[one.id] = one; });
    compare<TaskView>([](Snapshot& page, const auto& one) { page.state.tasks[one.id] = one; });
    compare<KeyChanged>([](Snapshot& page, const auto& one) { page.state.keys[one.public_key] = one; });
    compare<LinkView>([](Snapshot& page, const auto& one) { page.state.links[key_of(one.link)] = one; });
    compare<StatedLink>([](Snapshot& page, const auto& one) { page.state.stated_links = {one}; });
    compare<TaskNumber>([](Snapshot& page, const auto& one) { page.state.numbers[one.name] = one; });
    compare<LeaseView>([](Snapshot& page, const auto& one) { page.state.leases[one.lease.number] = one; });
    compare<Pool>([](Snapshot& page, const auto& one) { page.state.pools = {one}; });
    compare<QueueRules>([](Snapshot& page, const auto& one) { page.state.queue = one; });
    compare<SubmitterView>([](Snapshot& page, const auto& one) { page.state.submitters[one.name] = one; });
    compare<Reservation>([](Snapshot& page, const auto& one) { page.state.reservations[one.number] = one; });
    compare<MeshMember>([](Snapshot& page, const auto& one) { page.state.devices[one.name] = one; });
    compare<mesh::Service>([](Snapshot& page, const auto& one) { page.state.services[one.said.sid] = one; });
    compare<PolicyVersion>([](Snapshot& page, const auto& one) { page.state.policies[one.version] = one; });
    compare<ExceptionEntry>([](Snapshot& page, const auto& one) { page.state.exceptions[one.number] = one; });
    compare<ModelVersion>([](Snapshot& page, const auto& one) { page.state.versions[one.number] = one; });
    compare<Alert>([](Snapshot& page, const auto& one) { page.state.alerts[one.number] = one; });
    compare<InstanceLoad>([](Snapshot& page, const auto& one) { page.loads = {one}; });
    compare<NodeMachine>([](Snapshot& page, const auto& one) { page.nodes = {one}; });
}

void FieldListTest::no_report_exceeds_its_bound() {
    const auto step = filled<StepRecord>();
    const auto evaluation = filled<EvalRecord>();
    const auto line = filled<LogLine>();
    const auto missed = [](MissedReports reports) { return wire::encode(Message(std::move(reports))).value().size(); };
    QVERIFY(encoded_size(step.value).bytes >= missed({{}, {}, {step.value}, {}}));
    QVERIFY(encoded_size(evaluation.value).bytes >= missed({{}, {}, {}, {evaluation.value}}));
    QVERIFY(encoded_size(line.value).bytes >= wire::encode(Message(LinesPage{{line.value}})).value().size());
    QVERIFY(encoded_size(step.value).elements >= step.elements);
    QVERIFY(encoded_size(evaluation.value).elements >= evaluation.elements);
    QVERIFY(encoded_size(line.value).elements >= line.elements);
}

/// The bounds decide where pages end. A bound counts seven bytes for each string and sub-message, and twelve for each
/// number.
void FieldListTest::size_bounds_match_hand_computed_values() {
    const auto expect = [](const EncodedSize& bound, std::size_t bytes, std::size_t elements) {
        QCOMPARE(bound.bytes, bytes);
        QCOMPARE(bound.elements, elements);
    };
    expect(encoded_size(TaskNumber{"gpt", 1}), 7 + 7 + 3 + 12, 2);
    expect(encoded_size(NodeMachine{}), 3 * 7 + 16 * 12, 3);  // temperature and power count, although absent
    expect(encoded_size(InstanceLoad{}), 3 * 7 + 17 * 12, 3);
    expect(encoded_size(Event{1, {}, LeaseMeasured{}}), 4 * 7 + 10 * 12, 4);
    expect(encoded_size(Event{1, {}, StepDone{}}), 4 * 7 + 7 * 12, 4);
    TaskRecut recut;
    recut.origins = {StageOrigin{{}, {1, 2, 3}}};
    expect(encoded_size(Event{1, {}, recut}), 10 * 7 + 7 * 12, 9);  // the stages are one field, not elements
    expect(encoded_size(mesh::Service{}), 15 * 7 + 7 * 12, 15);
}

DIVISI_TEST(FieldListTest)

}  // namespace field_list_test

#include "field_list_test.moc"
