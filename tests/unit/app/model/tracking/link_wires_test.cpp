// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/tracking/link_wires.h"
#include "backend/control/protocol/mesh_messages.h"

#include "tests/support/test_program.h"

namespace link_wires_test {

using namespace divisi;
using model::Selected;
using model::Wire;
using model::wires_over;

class LinkWiresTest : public QObject {
    Q_OBJECT
private:
    control::ClusterState cluster_;
    control::MeshState mesh_;

    void add_instance(const char* id, const char* sid, bool exited = false) {
        control::InstanceView instance;
        instance.id = InstanceId(id);
        instance.sid = Sid(sid);
        instance.exited = exited;
        cluster_.instances[instance.id] = instance;
    }
    void add_device(std::uint32_t id, const char* name) {
        control::DeviceView device;
        device.id = id;
        device.info.name = name;
        mesh_.devices.push_back(device);
    }

private Q_SLOTS:
    void init() {
        cluster_ = {};
        mesh_ = {};
        add_instance("gpt/stage-0/0", "gpt/stage-0/0");
        add_instance("gpt/stage-1/0", "gpt/stage-1/0");
        add_device(1, "mg-1");
        add_device(2, "sr-1");
        add_device(3, "mg-2");
        control::FlowReport flow;
        flow.source = Sid("gpt/stage-0/0");
        flow.destination = Sid("gpt/stage-1/0");
        flow.path = {1, 2, 3};
        mesh_.devices[0].flows = {flow};
    }

    void link_on_the_path_matches_either_order_of_its_ends() {
        const std::set<Wire> wire{{InstanceId("gpt/stage-0/0"), InstanceId("gpt/stage-1/0")}};
        QVERIFY(wires_over(Selected::of_link("mg-1", "sr-1"), mesh_, cluster_) == wire);
        QVERIFY(wires_over(Selected::of_link("mg-2", "sr-1"), mesh_, cluster_) == wire);
    }

    void link_outside_the_path_has_no_wires() {
        QVERIFY(wires_over(Selected::of_link("mg-1", "mg-2"), mesh_, cluster_).empty());
        QVERIFY(wires_over(Selected::of_device("sr-1"), mesh_, cluster_).empty());
        mesh_.devices[0].flows[0].path = {1, 9, 3};  // through an unknown device
        QVERIFY(wires_over(Selected::of_link("mg-1", "sr-1"), mesh_, cluster_).empty());
    }

    void wires_name_the_running_incarnation() {
        add_instance("gpt/stage-1/0", "gpt/stage-1/0", true);
        QVERIFY(wires_over(Selected::of_link("mg-1", "sr-1"), mesh_, cluster_).empty());
        add_instance("gpt/stage-1/0#2", "gpt/stage-1/0");
        const std::set<Wire> wire{{InstanceId("gpt/stage-0/0"), InstanceId("gpt/stage-1/0#2")}};
        QVERIFY(wires_over(Selected::of_link("mg-1", "sr-1"), mesh_, cluster_) == wire);
    }
};

DIVISI_TEST(LinkWiresTest)

}  // namespace link_wires_test

#include "link_wires_test.moc"
