// SPDX-License-Identifier: Apache-2.0

#include "backend/staging/profile.h"

#include "tests/support/test_program.h"

namespace profile_test {

using namespace divisi;
using namespace divisi::staging;

class ProfileTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nodes_and_edges_are_read();
    void line_ends_order_and_blanks_do_not_matter();
    void wrong_lines_are_named_data();
    void wrong_lines_are_named();
};

namespace {

std::string node(const std::string& id, const std::string& costs = "") {
    return id + " -- ReLU(inplace) -- " +
           (costs.empty() ? "forward_compute_time=1.5, backward_compute_time=2.0, activation_size=8.0, "
                            "parameter_size=4.0"
                          : costs) +
           "\n";
}

}  // namespace

void ProfileTest::nodes_and_edges_are_read() {
    const auto profile = parse_profile(
        "node2 -- LSTM(a -- b, c=(1, 2)) -- forward_compute_time=3.190, backward_compute_time=5e0, "
        "activation_size=[64.0; 8.5; 1.0], parameter_size=12.000 -- stage_id=3\n" +
            node("node1") + "\tnode1 -- node2\n\tnode1 -- node2\n",
        "p");
    QVERIFY2(profile.ok(), profile.ok() ? "" : profile.error().message().c_str());
    QCOMPARE(profile->nodes.size(), std::size_t{2});
    const ProfileNode& lstm = profile->nodes[0];
    QCOMPARE(lstm.id, std::string("node2"));
    QCOMPARE(lstm.description, std::string("LSTM(a -- b, c=(1, 2))"));
    QCOMPARE(lstm.forward_ms, 3.19);
    QCOMPARE(lstm.backward_ms, 5.0);
    QCOMPARE(lstm.activation_bytes, 73.5);
    QCOMPARE(lstm.parameter_bytes, 12.0);
    QCOMPARE(profile->edges.size(), std::size_t{1});
    QVERIFY((profile->edges[0] == Profile::Edge{1, 0}));
}

void ProfileTest::line_ends_order_and_blanks_do_not_matter() {
    const auto profile = parse_profile(
        "\xef\xbb\xbf\tb -- a \r\n\r\n# measured\r\n\t\ta\t-- c\nc\t--\tZ\t--\tforward_compute_time=+1, "
        "backward_compute_time=1E-999, activation_size=[], parameter_size=2E3\nb -- X -- forward_compute_time=1, "
        "backward_compute_time=2, activation_size=3, "
        "parameter_size=[4]\r\n   \r\na -- Y -- parameter_size=0,activation_size=1,backward_compute_time=1e-999, "
        "forward_compute_time=0",
        "p");
    QVERIFY2(profile.ok(), profile.ok() ? "" : profile.error().message().c_str());
    QCOMPARE(profile->nodes[2].id, std::string("a"));
    QCOMPARE(profile->nodes[2].backward_ms, 0.0);
    QVERIFY((profile->edges == std::vector<Profile::Edge>{{1, 2}, {2, 0}}));
    QCOMPARE(profile->nodes[0].description, std::string("Z"));
    QCOMPARE(profile->nodes[0].forward_ms, 1.0);
    QCOMPARE(profile->nodes[0].backward_ms, 0.0);
    QCOMPARE(profile->nodes[0].activation_bytes, 0.0);
    QCOMPARE(profile->nodes[0].parameter_bytes, 2000.0);
}

void ProfileTest::wrong_lines_are_named_data() {
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::string>("where");
    QTest::addColumn<std::string>("what");
    const auto row = [](const char* name, const std::string& text, const char* where, const char* what) {
        QTest::newRow(name) << text << std::string(where) << std::string(what);
    };
    row("garbage", node("a") + "hello\n", "p:2", "'hello'");
    row("garbage edge", node("a") + "\thello\n", "p:2", "'hello'");
    row("half an edge", node("a") + "\ta -- \n", "p:2", "not an edge");
    row("no cost", node("a") + "b -- ReLU\n", "p:2", "no cost");
    row("no backward", node("a", "forward_compute_time=1, activation_size=1, parameter_size=1"), "p:1", "backward");
    row("two forwards", node("a", "forward_compute_time=1, forward_compute_time=1"), "p:1", "not expected");
    row("unknown key", node("a", "forward_compute_time=1, tiem=1"), "p:1", "'tiem=1'");
    for (const char* number : {"-1.0", "nan", "inf", "1e999", "", "1x", "[1.0; 2.0]", "0x10", "+-1", "1E999"})
        row(number,
            "\n" + node("a", std::string("forward_compute_time=") + number +
                                 ", backward_compute_time=1, "
                                 "activation_size=1, parameter_size=1"),
            "p:2", "forward_compute_time");
    row("list of nothing", node("a", "forward_compute_time=1, activation_size=[1;]"), "p:1", "activation_size");
    row("half a list", node("a", "forward_compute_time=1, activation_size=[1; x]"), "p:1", "activation_size");
    row("sum too large", node("a", "forward_compute_time=1, activation_size=[1e308; 1e308]"), "p:1", "activation_size");
    row("unknown node", node("a") + "\ta -- b\n", "p:2", "'b'");
    row("twice", node("a") + node("a"), "p:2", "twice");
    row("itself", node("a") + "\ta -- a\n", "p:2", "itself");
    row("cycle",
        node("s") + node("a") + node("b") + node("c") + node("t") +
            "\ta -- b\n\tb -- c\n\tc -- a\n\ts -- a\n\tb -- t\n",
        "p:8", "cycle: 'a' -> 'b' -> 'c' -> 'a'");
    std::string nodes, edges;
    for (int i = 0; i < 20; ++i) {
        nodes += node("n" + std::to_string(i));
        edges += "\tn" + std::to_string(i) + " -- n" + std::to_string((i + 1) % 20) + "\n";
    }
    row("long cycle", nodes + edges, "p:40", "'n6' -> ... -> 'n19' -> 'n0'");
    row("nothing", "\n", "p", "no nodes");
    row("too long",
        node("a",
             "forward_compute_time=1e300, backward_compute_time=1e300, activation_size=0, "
             "parameter_size=0"),
        "p", "1e300");
}

void ProfileTest::wrong_lines_are_named() {
    QFETCH(std::string, text);
    QFETCH(std::string, where);
    QFETCH(std::string, what);
    const auto profile = parse_profile(text, "p");
    QVERIFY(!profile.ok());
    const Error& error = profile.error();
    QCOMPARE(error.where, where);
    QVERIFY2(error.what.find(what) != std::string::npos, error.what.c_str());
    QVERIFY(!error.next.empty());
    QCOMPARE(error.code, ErrorCode::invalid_input);
}

DIVISI_TEST(ProfileTest)

}  // namespace profile_test

#include "profile_test.moc"
