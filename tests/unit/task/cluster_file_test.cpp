// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <sstream>

#include "tests/support/test_program.h"

#include "backend/task/cluster_file.h"

namespace cluster_file_test {

using namespace divisi;
using namespace divisi::task;

namespace {

const std::string key_a(40, 'a');

std::string sample() {
    return "[cluster]\nname = \"lab\"\ntransport = \"tcp\"\norchestrator = \"tcp://10.0.0.1:7600\"\n"
           "orchestrator_key = \"" +
           std::string(40, 'o') +
           "\"\n"
           "[[mic]]\nname = \"mic-1\"\n[[mic.node]]\nname = \"node-1\"\nendpoint = \"tcp://10.0.0.2:7610\"\n"
           "key = \"" +
           key_a +
           "\"\ndevices = [\"cpu\", \"cuda:0\"]\ncores = 8\nmemory = \"32 GiB\"\n"
           "[[key]]\nname = \"alice\"\nrole = \"operator\"\npublic = \"" +
           std::string(40, 'b') +
           "\"\n"
           "[[link]]\nlatency = \"0.3 ms\"\n"
           "[[link]]\nfrom = \"mic-1/node-1\"\nto = \"mic-1/*\"\nlatency = \"70us\"\nbandwidth = \"10 Gbit/s\"\n"
           "[[pool]]\nname = \"gpus\"\ntype = \"NVIDIA H200\"\n"
           "[[pool]]\nname = \"small\"\nnodes = [\"mic-1/*\"]\nshared = true\ninstances = 4\n"
           "[queue]\ndiscipline = \"share\"\n[queue.weights]\nalice = 2\n\"uid:1000\" = 0.5\n";
}

std::string with(const std::string& from, const std::string& to) {
    std::string text = sample();
    text.replace(text.find(from), from.size(), to);
    return text;
}

struct Mistake {
    const char *name, *from, *to;
    int where;
    const char* hint;
};

/// The replaced piece of the sample, its replacement, the reported line, and a part of the message.
const Mistake mistakes[] = {
    {"key", "transport", "trnsport", 3, "did you mean 'transport'?"},
    {"section", "[[key]]", "[[kee]]", 15, "did you mean 'key'?"},
    {"transport", "\"tcp\"", "\"udp\"", 3, "tcp"},
    {"scheme", "tcp://10.0.0.1", "ipc://10.0.0.1", 4, "write tcp://"},
    {"port", "10.0.0.2:7610", "10.0.0.2:99999", 10, "65535"},
    {"no port", "10.0.0.2:7610", "10.0.0.2", 10, "host:port"},
    {"same endpoint", "10.0.0.2:7610", "10.0.0.1:7600", 10, "its own"},
    {"name", "\"node-1\"", "\"a/b\"", 9, "letters"},
    {"orchestrator key", "orchestrator_key = \"", "orchestrator_key = \"a", 5, "40 characters"},
    {"node key", "\nkey = \"aaaa", "\nkey = \"aaa", 11, "40 characters"},
    {"role", "\"operator\"", "\"oprator\"", 17, "did you mean 'operator'?"},
    {"memory", "\"32 GiB\"", "\"32 apples\"", 14, "32 GiB"},
    {"flops", "cores = 8", "flops = \"40 TB/s\"", 13, "40 TFLOP/s"},
    {"negative flops", "cores = 8", "flops = -1", 13, "above 0"},
    {"bandwidth", "cores = 8", "memory_bandwidth = \"8 9 GB/s\"", 13, "800 GB/s"},
    {"cores", "cores = 8", "cores = \"8\"", 13, "integer"},
    {"metrics where no host starts the node", "cores = 8", "metrics = \"127.0.0.1:9465\"", 13, "with --metrics"},
    {"metrics of instances likewise", "cores = 8", "metrics_instances = true", 13, "with --metrics-instances"},
    {"latency's unit", "0.3 ms", "0.3 MB/s", 20, "0.2 ms"},
    {"latency is a number", "\"0.3 ms\"", "3", 20, "0.2 ms"},
    {"latency below zero", "0.3 ms", "-1 ms", 20, "out of range"},
    {"latency not finite", "0.3 ms", "inf s", 20, "out of range"},
    {"no latency", "0.3 ms", "ms", 20, "0.2 ms"},
    {"no bandwidth", "10 Gbit/s", "0 B/s", 25, "out of range"},
    {"bandwidth too large", "10 Gbit/s", "1e300 TB/s", 25, "out of range"},
    {"bandwidth's unit", "10 Gbit/s", "10 Gb", 25, "1.2 GB/s"},
    {"link's key", "bandwidth", "bandwith", 25, "did you mean 'bandwidth'?"},
    {"link's node", "from = \"mic-1/node-1", "from = \"mic-1/node-7", 22, "did you mean 'mic-1/node-1'?"},
    {"link's MIC", "mic-1/*", "mic-2/*", 23, "not a node of this file"},
    {"star inside", "mic-1/*", "*/node-1", 23, "not a node of this file"},
    {"link without figures", "latency = \"0.3 ms\"\n", "", 19, "give one of them"},
    {"pool without nodes", "type = \"NVIDIA H200\"\n", "", 26, "by type, by a list, or by both"},
    {"pool of a strange node", "nodes = [\"mic-1/*\"]", "nodes = [\"mic-2/*\"]", 31, "mic-1/node-1"},
    {"pool twice", "\"small\"", "\"gpus\"", 30, "a name of its own"},
    {"instances of nodes that are not shared", "shared = true\n", "", 32, "shared = true"},
    {"too many instances", "instances = 4", "instances = 4000", 33, "1 to 1024"},
    {"discipline", "\"share\"", "\"fair\"", 35, "share"},
    {"weights of another discipline", "\"share\"", "\"fcfs\"", 36, "remove the weights"},
    {"weight 0", "alice = 2", "alice = 0", 37, "a number above 0"},
    {"weight below 0", "= 0.5", "= -0.5", 38, "a number above 0"},
    {"weight that is none", "alice = 2", "alice = \"two\"", 37, "number"},
    {"link twice", "from = \"mic-1/node-1\"\nto = \"mic-1/*\"", "to = \"*\"\n", 21, "one [[link]] for each pair"},
    {"mic is a table", "[[mic]]", "[mic]", 6, "[[mic]]"},
};

const char* mesh_file = R"([cluster]
name = "lab"
transport = "tcp"
)"
                        "orchestrator = \"tcp://10.0.0.1:7600\"\n"  // moc takes slashes in a raw string for a comment
                        R"(host = "head"
[[host]]
name = "head"
address = "10.0.0.1"
[[host]]
name = "alpha"
address = "10.0.0.2"
[[mic]]
name = "mic-1"
[[mic.node]]
name = "node-1"
host = "alpha"
[mic.gateway]
name = "mg-1"
host = "alpha"
links = ["sr-1"]
[[mic]]
name = "mic-2"
[[mic.node]]
name = "node-1"
host = "head"
[mic.gateway]
name = "mg-2"
host = "head"
[[router]]
name = "sr-1"
host = "alpha"
port = 7630
links = ["mg-2"]
[[module]]
name = "link-trend"
arguments = ["--horizon", "4"]
host = "head"
[[link]]
from = "sr-1"
to = "mg-1"
bandwidth = "1 MB/s"
)";
/// Number of lines of the sample's [[module]] section.
constexpr int module_lines = 4;

const char* const node_of_alpha = "host = \"alpha\"\n[mic.gateway]";

const Mistake mesh_mistakes[] = {
    {"unknown host", node_of_alpha, "host = \"alhpa\"\n[mic.gateway]", 16, "did you mean 'alpha'?"},
    {"node without host", node_of_alpha, "[mic.gateway]", 14, "name the [[host]]"},
    {"orchestrator without host", "host = \"head\"\n[[host]]", "[[host]]", 1, "name the [[host]]"},
    {"host twice", "name = \"alpha\"", "name = \"head\"", 10, "a name of its own"},
    {"host without address", "address = \"10.0.0.2\"", "address = \"\"", 11, "at which other hosts reach this host"},
    {"endpoint beside a host", node_of_alpha, "host = \"alpha\"\nendpoint = \"tcp://h:1\"\n[mic.gateway]", 17,
     "remove the endpoint"},
    {"address with a port", "\"10.0.0.2\"", "\"10.0.0.2:7610\"", 11, "without a port"},
    {"brackets around IPv4", "\"10.0.0.2\"", "\"[10.0.0.2]\"", 11, "[fd77::2]"},
    {"bracket left open", "\"10.0.0.2\"", "\"[fd77::2\"", 11, "[fd77::2]"},
    {"IPv6 with two gaps", "\"10.0.0.2\"", "\"fd77::1::2\"", 11, "[fd77::2]"},
    {"IPv6 too short", "\"10.0.0.2\"", "\"fd77:1\"", 11, "[fd77::2]"},
    {"IPv6 with a letter too many", "\"10.0.0.2\"", "\"fd77::g\"", 11, "[fd77::2]"},
    {"router named as the orchestrator", "name = \"sr-1\"", "name = \"divisid\"", 30,
     "is the name of the orchestrator"},
    {"two devices with one name", "name = \"mg-2\"", "name = \"mg-1\"", 27, "a name of its own"},
    {"router named as a gateway", "name = \"sr-1\"", "name = \"mg-1\"", 30, "a name of its own"},
    {"link to nobody", "links = [\"sr-1\"]", "links = [\"sr-7\"]", 20, "did you mean 'sr-1'?"},
    {"link to itself", "links = [\"mg-2\"]", "links = [\"sr-1\"]", 33, "remove 'sr-1'"},
    {"no way between gateways", "links = [\"mg-2\"]", "links = []", 20, "routers that are linked"},
    {"MIC without gateway", "[mic.gateway]\nname = \"mg-2\"\nhost = \"head\"\n", "", 21, "add [mic.gateway]"},
    {"ports that meet", "port = 7630", "port = 7621", 32, "at least two above"},
    {"port out of range", "port = 7630", "port = 65535", 32, "65534"},
    {"gateway's key", "links = [\"sr-1\"]", "key = \"short\"", 20, "40 characters"},
    {"gateway's field", "links = [\"sr-1\"]", "link = [\"sr-1\"]", 20, "did you mean 'links'?"},
    {"figures of no link", "to = \"mg-1\"", "to = \"mg-9\"", 36 + module_lines, "list the link in one"},
    {"module named as a router", "name = \"link-trend\"", "name = \"sr-1\"", 35, "no gateway, router or other module"},
    {"module on an unknown host", "host = \"head\"\n[[link]]", "host = \"heap\"\n[[link]]", 37, "did you mean 'head'?"},
    {"module without host", "host = \"head\"\n[[link]]", "[[link]]", 34, "name the [[host]]"},
    {"module's field", "arguments = [", "argument = [", 36, "did you mean 'arguments'?"},
    {"module's key", "host = \"head\"\n[[link]]", "host = \"head\"\nkey = \"short\"\n[[link]]", 38, "40 characters"},
    {"metrics that others reach", "port = 7630", "metrics = \"10.0.0.2:9466\"", 32, "a proxy or a tunnel"},
    {"metrics at one port", "host = \"alpha\"\n[mic.gateway]\n",
     "host = \"alpha\"\nmetrics = \"127.0.0.1:9465\"\n[mic.gateway]\nmetrics = \"127.0.0.1:9465\"\n", 19,
     "is used twice on alpha"},
    {"metrics of a module said twice", "arguments = [\"--horizon\", \"4\"]",
     "arguments = [\"--metrics\", \"127.0.0.1:1\"]\nmetrics = \"127.0.0.1:9467\"", 37, "keep one of the two"},
    {"metrics of a module said twice in one word", "arguments = [\"--horizon\", \"4\"]",
     "arguments = [\"--metrics=127.0.0.1:1\"]\nmetrics = \"127.0.0.1:9467\"", 37, "keep one of the two"},
    {"instances of a router", "port = 7630", "metrics_instances = true", 32, "metrics_instances"},
    {"hosts on ipc", "transport = \"tcp\"\norchestrator = \"tcp://10.0.0.1:7600\"",
     "transport = \"ipc\"\norchestrator = \"ipc:///run/o\"", 3, "transport = \"tcp\""},
    {"gateway is a list", "[mic.gateway]\nname = \"mg-1\"", "[[mic.gateway]]\nname = \"mg-1\"", 17, "[mic.gateway]"},
};

}  // namespace

class ClusterFileTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void reads_and_prints_a_cluster_file();
    void ipc_cluster_needs_no_keys();
    void rates_can_be_stated();
    void sample_files_are_valid();
    void metrics_addresses_must_be_loopback();
    void every_program_of_a_host_may_have_metrics();
    void mesh_is_read_and_printed();
    void ipv6_addresses_may_be_bracketed();
    void key_belongs_to_one_program();
    void mistakes_in_a_mesh_are_named_with_their_line_data();
    void mistakes_in_a_mesh_are_named_with_their_line();
    void mistakes_are_named_with_their_line_data();
    void mistakes_are_named_with_their_line();
};

void ClusterFileTest::reads_and_prints_a_cluster_file() {
    const auto spec = parse_cluster(sample(), "c.toml");
    QVERIFY2(spec.ok(), spec.ok() ? "" : spec.error().message().c_str());
    const ClusterNode* node = spec->find("mic-1/node-1");
    QVERIFY(node && !spec->find("mic-1/node-2") && !spec->find("node-1"));
    QCOMPARE(node->memory, Bytes{32} << 30);
    QCOMPARE(node->devices.size(), std::size_t{2});
    QCOMPARE(spec->keys[0].role, std::string("operator"));
    QCOMPARE(spec->links.size(), std::size_t{2});
    QCOMPARE(spec->links[0].from + spec->links[0].to, std::string("**"));
    QCOMPARE(*spec->links[0].latency_s, 0.3e-3);
    QVERIFY(!spec->links[0].bytes_per_s);
    QCOMPARE(spec->links[1].to, std::string("mic-1/*"));
    QCOMPARE(*spec->links[1].latency_s, 70e-6);
    QCOMPARE(*spec->links[1].bytes_per_s, 1.25e9);
    QCOMPARE(spec->pools.size(), std::size_t{2});
    QCOMPARE(spec->pools[0].type, std::string("NVIDIA H200"));
    QVERIFY(!spec->pools[0].shared);
    QCOMPARE(spec->pools[1].nodes, std::vector<std::string>{"mic-1/*"});
    QVERIFY(spec->pools[1].shared);
    QCOMPARE(spec->pools[1].instances, std::int64_t{4});
    QCOMPARE(spec->queue.discipline, std::string("share"));
    QCOMPARE(spec->queue.weights, (std::map<std::string, double>{{"alice", 2}, {"uid:1000", 0.5}}));
    const auto again = parse_cluster(print_cluster(*spec), "printed");
    QVERIFY2(again.ok(), again.ok() ? "" : again.error().message().c_str());
    QVERIFY(*again == *spec);
}

void ClusterFileTest::mesh_is_read_and_printed() {
    const auto spec = parse_cluster(mesh_file, "c.toml");
    QVERIFY2(spec.ok(), spec.ok() ? "" : spec.error().message().c_str());
    QCOMPARE(spec->host, std::string("head"));
    QCOMPARE(spec->find_host("alpha")->address, std::string("10.0.0.2"));
    QCOMPARE(spec->find("mic-1/node-1")->endpoint, std::string("tcp://10.0.0.2:0"));
    QCOMPARE(spec->mics[0].gateway->links, std::vector<std::string>{"sr-1"});
    QCOMPARE(spec->mics[1].gateway->port, std::int64_t{7620});
    QCOMPARE(spec->routers[0].address, std::string("10.0.0.2"));
    QCOMPARE(spec->devices().size(), std::size_t{3});
    QCOMPARE(spec->modules.at(0).program, std::string("divisi-module-link-trend"));
    QCOMPARE(spec->modules.at(0).arguments, (std::vector<std::string>{"--horizon", "4"}));
    QVERIFY(spec->linked("mg-1", "sr-1") && spec->linked("sr-1", "mg-1") && !spec->linked("mg-1", "mg-2"));
    const auto again = parse_cluster(print_cluster(*spec), "printed");
    QVERIFY2(again.ok(), again.ok() ? "" : again.error().message().c_str());
    QVERIFY(*again == *spec);
}

void ClusterFileTest::ipv6_addresses_may_be_bracketed() {
    for (const char* address : {"fd77::2", "[fd77::2]"}) {
        std::string text = mesh_file;
        const auto spec = parse_cluster(text.replace(text.find("10.0.0.2"), 8, address), "c.toml");
        QVERIFY2(spec.ok(), spec.ok() ? "" : spec.error().message().c_str());
        QCOMPARE(spec->find_host("alpha")->address, std::string("[fd77::2]"));
        QCOMPARE(spec->find("mic-1/node-1")->endpoint, std::string("tcp://[fd77::2]:0"));
        QCOMPARE(spec->routers[0].address, std::string("[fd77::2]"));
        QVERIFY(*parse_cluster(print_cluster(*spec), "printed") == *spec);
    }
}

void ClusterFileTest::key_belongs_to_one_program() {
    const std::string key = "key = \"" + key_a + "\"\n";
    const std::string entries[] = {"orchestrator = ", "host = \"alpha\"\n[mic", "links = [\"sr-1\"]",
                                   "links = [\"mg-2\"]"};
    for (const std::string& one : entries)
        for (const std::string& other : entries) {
            std::string text = mesh_file;
            text.insert(text.find(one), (one == entries[0] ? "orchestrator_" : "") + key);
            QVERIFY(parse_cluster(text, "c.toml").ok());
            if (one >= other) continue;
            text.insert(text.find(other), (other == entries[0] ? "orchestrator_" : "") + key);
            const auto spec = parse_cluster(text, "c.toml");
            QVERIFY2(!spec.ok() && spec.error().what.ends_with("key is used twice"), text.c_str());
        }
}

void ClusterFileTest::mistakes_in_a_mesh_are_named_with_their_line_data() {
    QTest::addColumn<int>("row");
    for (std::size_t i = 0; i < std::size(mesh_mistakes); ++i) QTest::newRow(mesh_mistakes[i].name) << int(i);
}

void ClusterFileTest::mistakes_in_a_mesh_are_named_with_their_line() {
    QFETCH(int, row);
    const Mistake& mistake = mesh_mistakes[row];
    std::string text = mesh_file;
    const std::size_t at = text.find(mistake.from);
    QVERIFY(at != std::string::npos);
    const auto spec = parse_cluster(text.replace(at, std::string(mistake.from).size(), mistake.to), "c.toml");
    QVERIFY(!spec.ok());
    const std::string message = spec.error().message();
    QVERIFY2(message.starts_with("c.toml:" + std::to_string(mistake.where) + ":"), message.c_str());
    QVERIFY2(message.find(mistake.hint) != std::string::npos, message.c_str());
}

void ClusterFileTest::ipc_cluster_needs_no_keys() {
    const auto spec = parse_cluster(
        "[cluster]\norchestrator = \"ipc:///run/d/o\"\n"
        "[[mic]]\nname = \"m\"\n[[mic.node]]\nname = \"n\"\nendpoint = \"ipc:///run/d/n\"\n",
        "c.toml");
    QVERIFY2(spec.ok(), spec.ok() ? "" : spec.error().message().c_str());
    QCOMPARE(spec->transport, Transport::ipc);
    QVERIFY(parse_cluster(print_cluster(*spec), "printed").value() == *spec);
}

void ClusterFileTest::metrics_addresses_must_be_loopback() {
    const auto with = [](const std::string& address) {
        std::string text = sample();
        text.insert(text.find("[[mic]]"), "metrics = \"" + address + "\"\n");
        return parse_cluster(text, "c.toml");
    };
    for (const char* good : {"127.0.0.1:9464", "127.200.0.9:0", "[::1]:9464", "localhost:65535"}) {
        const auto spec = with(good);
        QVERIFY2(spec.ok(), good);
        QCOMPARE(spec->metrics, std::string(good));
        QVERIFY(parse_cluster(print_cluster(*spec), "printed").value() == *spec);
    }
    for (const char* bad : {"0.0.0.0:9464", "10.0.0.1:9464", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.1:1",
                            "127.0.0.1.example.org:80", "[::]:9464", "127.0.0.1:9464/", "127.0.0.256:1", ":9464"}) {
        const auto spec = with(bad);
        QVERIFY2(!spec.ok(), bad);
        QCOMPARE(spec.error().where, std::string("c.toml:6"));
        QVERIFY2(spec.error().message().find("cluster.metrics") != std::string::npos, spec.error().message().c_str());
    }
}

void ClusterFileTest::every_program_of_a_host_may_have_metrics() {
    std::string text = mesh_file;
    const auto add = [&](const std::string& after, const std::string& lines) {
        text.insert(text.find(after) + after.size(), lines);
    };
    add("7600\"\nhost = \"head\"\n", "metrics = \"127.0.0.1:9464\"\n");
    add("name = \"node-1\"\nhost = \"alpha\"\n", "metrics = \"127.0.0.1:9465\"\nmetrics_instances = true\n");
    add("name = \"node-1\"\nhost = \"head\"\n", "metrics = \"127.0.0.1:9465\"\n");  // port of another host
    add("links = [\"sr-1\"]\n", "metrics = \"127.0.0.1:0\"\n");
    add("port = 7630\n", "metrics = \"127.0.0.1:0\"\n");  // the system chooses a free port for each program
    add("\"4\"]\n", "metrics = \"[::1]:9464\"\n");
    const auto spec = parse_cluster(text, "c.toml");
    QVERIFY2(spec.ok(), spec.ok() ? "" : spec.error().message().c_str());
    const ClusterNode &alpha = spec->mics[0].nodes[0], &head = spec->mics[1].nodes[0];
    QCOMPARE(alpha.metrics, std::string("127.0.0.1:9465"));
    QCOMPARE(head.metrics, alpha.metrics);
    QVERIFY(alpha.metrics_instances && !head.metrics_instances);
    QCOMPARE(spec->mics[0].gateway->metrics, std::string("127.0.0.1:0"));
    QVERIFY(spec->mics[1].gateway->metrics.empty());
    QCOMPARE(spec->routers[0].metrics, std::string("127.0.0.1:0"));
    QCOMPARE(spec->modules[0].metrics, std::string("[::1]:9464"));
    const auto again = parse_cluster(print_cluster(*spec), "printed");
    QVERIFY2(again.ok(), again.ok() ? "" : again.error().message().c_str());
    QVERIFY(*again == *spec);
}

void ClusterFileTest::mistakes_are_named_with_their_line_data() {
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<int>("line");
    QTest::addColumn<QString>("hint");
    for (const Mistake& m : mistakes)
        QTest::newRow(m.name) << QString(m.from) << QString(m.to) << m.where << QString(m.hint);
}

void ClusterFileTest::mistakes_are_named_with_their_line() {
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(int, line);
    QFETCH(QString, hint);
    const auto spec = parse_cluster(with(from.toStdString(), to.toStdString()), "c.toml");
    QVERIFY(!spec.ok());
    const std::string text = spec.error().message();
    QVERIFY2(text.starts_with("c.toml:" + std::to_string(line)), text.c_str());
    QVERIFY2(text.find(hint.toStdString()) != std::string::npos, text.c_str());
}

void ClusterFileTest::rates_can_be_stated() {
    const auto spec =
        parse_cluster(with("cores = 8", "flops = \"1.5 TFLOP/s\"\nmemory_bandwidth = 8e11\ntype = \"a GPU\""), "test");
    QVERIFY2(spec.ok(), spec.ok() ? "" : spec.error().message().c_str());
    const ClusterNode& node = spec->mics[0].nodes[0];
    QCOMPARE(node.flops_per_s, 1.5e12);
    QCOMPARE(node.bytes_per_s, 8e11);
    QCOMPARE(node.type, std::string("a GPU"));
    QCOMPARE(*parse_cluster(print_cluster(*spec), "printed"), *spec);
}

namespace {

Result<ClusterSpec> parse_sample(const std::string& name) {
    std::ifstream stream(std::string(DIVISI_SOURCE_DIR) + "/resources/clusters/" + name);
    std::ostringstream text;
    text << stream.rdbuf();
    return parse_cluster(text.str(), name);
}

}  // namespace

void ClusterFileTest::sample_files_are_valid() {
    const auto mesh = parse_sample("mesh.toml");
    QVERIFY2(mesh.ok(), mesh.ok() ? "" : mesh.error().message().c_str());
    QCOMPARE(mesh->devices().size(), std::size_t{4});
    const auto spec = parse_sample("lab.toml");
    QVERIFY2(spec.ok(), spec.ok() ? "" : spec.error().message().c_str());
    QCOMPARE(spec->find("mic-2/old")->bytes_per_s, 6e9);
}

DIVISI_TEST(ClusterFileTest)

}  // namespace cluster_file_test

#include "cluster_file_test.moc"
