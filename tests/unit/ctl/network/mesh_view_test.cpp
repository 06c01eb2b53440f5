// SPDX-License-Identifier: Apache-2.0
#include "backend/ctl/network/mesh_view.h"

#include "tests/support/test_program.h"

namespace mesh_view_test {

using namespace divisi;
using namespace divisi::control;

class MeshViewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void flow_is_carried_by_the_segments_to_its_next_gateway() {
        DeviceView gateway;
        gateway.id = 1;
        gateway.segments = {{{1, 7, 8, 2}}, {{1, 9, 3}}};
        FlowReport flow;
        flow.path = {1, 2};
        QVERIFY(ctl::carried_by(gateway, flow) == &gateway.segments[0]);
        flow.path = {1, 3};
        QVERIFY(ctl::carried_by(gateway, flow) == &gateway.segments[1]);
        flow.path = {1, 7, 2};  // hop by hop: the next hop is the router, to which no traffic is steered
        QVERIFY(!ctl::carried_by(gateway, flow));
        flow.path = {4, 2};  // flow of another gateway
        QVERIFY(!ctl::carried_by(gateway, flow));
        flow.path = {};
        QVERIFY(!ctl::carried_by(gateway, flow));
        gateway.segments = {{{1, 2}}};  // passes no router
        flow.path = {1, 2};
        QVERIFY(!ctl::carried_by(gateway, flow));
    }
};

DIVISI_TEST(MeshViewTest)

}  // namespace mesh_view_test

#include "mesh_view_test.moc"
