// SPDX-License-Identifier: Apache-2.0
// Tests encoded machine reports of nodes.

#include <span>

#include "backend/control/protocol/node_messages.h"
#include "backend/control/protocol/state_messages.h"
#include "backend/control/state/encoded_size.h"
#include "backend/wire/message_codec.h"
#include "tests/support/test_program.h"
#include "tests/unit/wire/log_parts.h"

namespace machines_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;

namespace {

template <typename Kind>
Kind back(const Kind& message) {
    const std::string bytes = wire::encode(message).value();
    return get<Kind>(*wire::decode(wire::type_of(message), std::as_bytes(std::span(bytes))));
}

}  // namespace

class MachinesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void figures_that_a_machine_does_not_report_stay_absent() {
        MachineFigures silent = machine();
        silent.temperature_c = silent.power_w = std::nullopt;
        const LoadPush push = back(LoadPush{{}, {{NodeId("m/a"), machine()}, {NodeId("m/b"), silent}}});
        QVERIFY(push.loads.empty());
        QCOMPARE(push.nodes.size(), std::size_t{2});
        QCOMPARE(push.nodes[0].node, NodeId("m/a"));
        QVERIFY(push.nodes[0].machine == machine());
        QVERIFY(push.nodes[1].machine == silent);
        silent.temperature_c = 0;  // a zero that is reported
        QVERIFY(back(NodeReport{NodeId("m/b"), 0, 0, {}, {}, silent}).machine == silent);
    }

    void size_bound_is_never_less_than_the_encoded_size() {
        MachineFigures large = machine();
        for (Bytes* amount : {&large.memory, &large.memory_free, &large.disk, &large.disk_free}) *amount = -1;
        for (std::int64_t* total : {&large.received_bytes, &large.sent_bytes, &large.read_bytes, &large.written_bytes})
            *total = -1;  // the longest encoding
        const NodeMachine node{NodeId(std::string(129, 'n')), large};
        QVERIFY(encoded_size(node).bytes >= wire::encode(LoadPush{{}, {node}})->size());
        QVERIFY(encoded_size(node).elements >= 3);
    }
};

DIVISI_TEST(MachinesTest)

}  // namespace machines_test

#include "machines_test.moc"
