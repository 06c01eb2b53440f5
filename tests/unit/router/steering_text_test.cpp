// SPDX-License-Identifier: Apache-2.0
#include "agents/router/steering_text.h"

#include "tests/support/test_program.h"

namespace steering_text_test {

using namespace divisi;
using namespace divisi::router;

namespace {

mesh::Ipv6 address(const char* text) { return parse_ipv6(text).value(); }

}  // namespace

class SteeringTextTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void only_reachable_endpoints_have_an_address_data();
    void only_reachable_endpoints_have_an_address();
    void steering_survives_its_text_form();
    void other_text_is_refused_data();
    void other_text_is_refused();
    void settings_survive_their_text_form();
    void routes_are_read_as_ip_prints_them();
    void egress_interfaces_are_read_as_ip_prints_them();
};

void SteeringTextTest::only_reachable_endpoints_have_an_address_data() {
    QTest::addColumn<QString>("endpoint");
    QTest::addColumn<QString>("found");
    QTest::newRow("one") << "tcp://[fd77::1]:7620"
                         << "fd77::1";
    QTest::newRow("data and lane") << "tcp://[2001:db8::1]:7620 tcp://[2001:db8::1]:7621"
                                   << "2001:db8::1";
    QTest::newRow("long form") << "tcp://[FD77:0:0:0:0:0:0:1]:1"
                               << "fd77::1";
    QTest::newRow("ipv4") << "tcp://10.0.0.1:7620"
                          << "";
    QTest::newRow("ipc") << "ipc:///run/m-1.data"
                         << "";
    QTest::newRow("unspecified") << "tcp://[::]:7620"
                                 << "";
    QTest::newRow("loopback") << "tcp://[::1]:7620"
                              << "";
    QTest::newRow("mapped") << "tcp://[::ffff:10.0.0.1]:7620"
                            << "";
    QTest::newRow("link-local") << "tcp://[fe80::1]:7620"
                                << "";
    QTest::newRow("with a zone") << "tcp://[fe80::1%eth0]:7620"
                                 << "";
    QTest::newRow("multicast") << "tcp://[ff02::1]:7620"
                               << "";
    QTest::newRow("open") << "tcp://[fd77::1"
                          << "";
    QTest::newRow("words") << "tcp://[fd77::1 dev lo]:7620"
                           << "";
}

void SteeringTextTest::only_reachable_endpoints_have_an_address() {
    QFETCH(QString, endpoint);
    QFETCH(QString, found);
    const auto got = reachable_ipv6(endpoint.toStdString());
    QCOMPARE(got ? QString::fromStdString(to_text(*got)) : QString(), found);
}

void SteeringTextTest::steering_survives_its_text_form() {
    const mesh::Steering wanted{
        {{address("fd77::2"), {address("fd77::3"), address("fd77::4")}}, {address("fd77::9"), {address("fd77::4")}}},
        {address("fd77::5"), address("fd77::6")}};
    QVERIFY(parse_steering(to_text(wanted)) == wanted);
    QVERIFY(parse_steering("\n") == mesh::Steering());
}

void SteeringTextTest::other_text_is_refused_data() {
    QTest::addColumn<QString>("text");
    for (const char* text : {"route fd77::2\n", "route\n", "neighbour\n", "neighbour fd77::1 fd77::2\n",
                             "route fd77::2 lo\n", "del fd77::2 fd77::3\n", "route fd77::2/64 fd77::3\n"})
        QTest::newRow(qPrintable(QString(text).simplified())) << text;
}

void SteeringTextTest::other_text_is_refused() {
    QFETCH(QString, text);
    QVERIFY(!parse_steering(text.toStdString()));
}

void SteeringTextTest::settings_survive_their_text_form() {
    for (const Settings& before : {Settings{}, Settings{{"all", "0"}, {"to-a", "0"}, {"eth0.7", "2"}}})
        QVERIFY(parse_settings(to_text(before)) == before);
    for (const char* text : {"", "ready", "before all", "neighbour fd77::1", "the kernel's setting cannot be written"})
        QVERIFY2(!parse_settings(text), text);
}

void SteeringTextTest::routes_are_read_as_ip_prints_them() {
    const auto routes = parse_routes(
        "fd77::9  encap seg6 mode encap segs 2 [ fd77::3 fd77::4 ] dev eth0 proto 213 metric 1 pref medium\n"
        "fd77::2  encap seg6 mode encap segs 1 [ fd77::3 ] dev to-s proto 213 metric 1 linkdown pref medium\n"
        "fd77::6  encap seg6local action End.B6.Encaps srh segs 1 [ fd77::3 ] dev to-r proto 213 metric 1 pref medium\n"
        "fd77::5 via fe80::3 dev to-r proto 213 metric 1 pref medium\n"
        "default via fe80::1 dev eth0 proto ra metric 1024 pref medium\n");
    const std::vector<mesh::SegmentRoute> expected{{address("fd77::2"), {address("fd77::3")}},
                                                   {address("fd77::9"), {address("fd77::3"), address("fd77::4")}}};
    QVERIFY(routes == expected);
    QVERIFY(parse_routes("").empty());
}

void SteeringTextTest::egress_interfaces_are_read_as_ip_prints_them() {
    const auto remote = parse_egress_interface(
        "fd77::3 from :: via fe80::2 dev to-r proto static src fd77::1 metric 1024 pref medium\n");
    QVERIFY(remote && remote->device == "to-r" && !remote->local);
    const auto local =
        parse_egress_interface("local fd77::1 from :: dev lo table local proto kernel src fd77::1 metric 0\n");
    QVERIFY(local && local->device == "lo" && local->local);
    QVERIFY(!parse_egress_interface("unreachable fd77::9 from :: dev lo table unspec metric 4294967295\n"));
    QVERIFY(!parse_egress_interface(""));
}

DIVISI_TEST(SteeringTextTest)

}  // namespace steering_text_test

#include "steering_text_test.moc"
