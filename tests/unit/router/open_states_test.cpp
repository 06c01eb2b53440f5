// SPDX-License-Identifier: Apache-2.0
#include "agents/router/open_states.h"

#include "tests/support/test_program.h"

namespace open_states_test {

using namespace divisi;
using namespace divisi::router;
using mesh::AbnormalKind;

namespace {

control::AbnormalState state(AbnormalKind kind, std::uint32_t neighbour, const std::string& source = "a") {
    return {kind, neighbour, {}, {{TaskId("t"), Sid(source), Sid("b"), {}}}};
}

}  // namespace

class OpenStatesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void state_is_open_until_it_ends();
    void states_of_removed_devices_are_forgotten();
};

void OpenStatesTest::state_is_open_until_it_ends() {
    OpenStates open;
    open.take(state(AbnormalKind::neighbour_silent, 3));
    open.take(state(AbnormalKind::buffer_full, 3, "a"));
    open.take(state(AbnormalKind::buffer_full, 3, "c"));
    QCOMPARE(open.all().size(), std::size_t{3});
    open.take(state(AbnormalKind::neighbour_back, 4));
    open.take(state(AbnormalKind::neighbour_silent, 3));  // an already open state
    QCOMPARE(open.all().size(), std::size_t{3});
    open.take(state(AbnormalKind::buffer_free, 3, "a"));
    QCOMPARE(open.all().size(), std::size_t{2});
    open.take({AbnormalKind::neighbour_back, 3, {}, {}});  // no flow uses the neighbour by then
    QCOMPARE(open.all().size(), std::size_t{1});
    QCOMPARE(open.all()[0].flows[0].source, Sid("c"));
}

void OpenStatesTest::states_of_removed_devices_are_forgotten() {
    OpenStates open;
    open.take(state(AbnormalKind::neighbour_silent, 3));
    open.take(state(AbnormalKind::neighbour_silent, 4));
    open.take(state(AbnormalKind::buffer_full, 4, "a"));
    open.take(state(AbnormalKind::buffer_full, 4, "c"));
    open.keep_only({4, 5}, {{"a", "b"}});
    QCOMPARE(open.all().size(), std::size_t{2});
    for (const control::AbnormalState& one : open.all()) {
        QCOMPARE(one.neighbour, std::uint32_t{4});
        QCOMPARE(one.flows[0].source, Sid("a"));
    }
}

DIVISI_TEST(OpenStatesTest)

}  // namespace open_states_test

#include "open_states_test.moc"
