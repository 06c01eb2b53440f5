// SPDX-License-Identifier: Apache-2.0

#include "tests/unit/task/models.h"

#include "tests/support/test_program.h"

namespace place_rules_test {

using namespace divisi;
using namespace divisi::task;

namespace {

/// Returns a backbone and two heads in separate segments: stages 0, 1 and 2.
TaskSpec heads_task() {
    TaskSpec spec = test::gpt_task();
    spec.model.zoo = "multitask";
    spec.model.sizes = {{"heads", 2}};
    spec.split.stages = 0;
    spec.split.strategy = "block";
    spec.split.segments = {{{"*"}, ""}, {{"/heads/0/*"}, ""}, {{"/heads/1/*"}, ""}};
    return spec;
}

Result<std::vector<std::string>> placed(const TaskSpec& spec,
                                        std::optional<std::vector<std::string>> secure_nodes = {}) {
    CompileOptions options;
    options.secure_nodes = std::move(secure_nodes);
    DIVISI_ASSIGN(const CompiledPlan compiled, compile(spec, test::model_of(spec), options));
    return compiled.stage_nodes;
}

using Nodes = std::vector<std::string>;

}  // namespace

class PlaceRulesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void pins_place_segments();
    void contradicting_pins_are_named();
    void data_stay_on_their_node();
    void sensitive_operators_need_secure_nodes();
    void operators_kept_together_are_not_split();
    void blocks_avoid_gateways_that_take_their_cores();
};

void PlaceRulesTest::pins_place_segments() {
    TaskSpec spec = heads_task();
    spec.place.pins = {{"/heads/1/*", "n1"}, {"/heads/*", "n2"}, {"/heads/1/Gemm", "n1"}};
    QCOMPARE(placed(spec).value(), (Nodes{"", "n2", "n1"}));
    spec.split.segments[1].place = "n2";
    QCOMPARE(placed(spec).value(), (Nodes{"", "n2", "n1"}));
    const auto again = parse_task(print_task(spec), "printed");
    QVERIFY2(again.ok(), again.ok() ? "" : again.error().message().c_str());
    QCOMPARE(*again, spec);
}

void PlaceRulesTest::contradicting_pins_are_named() {
    TaskSpec spec = heads_task();
    spec.place.pins = {{"/backbone/0/Gemm", "n1"}, {"/backbone/1/*", "n2"}};
    const auto two = placed(spec);
    QVERIFY(!two.ok());
    const std::string text = two.error().message();
    QVERIFY2(text.find("'/backbone/0/Gemm' is pinned on n1, and operator '/backbone/1/Gemm' is pinned on n2") !=
                 std::string::npos,
             text.c_str());
    spec.place.pins = {{"/heads/1/*", "n1"}};
    spec.split.segments[2].place = "n3";
    QVERIFY(!placed(spec).ok());
    spec.place.pins = {{"/heads/9/*", "n1"}};
    QCOMPARE(placed(spec).error().code, ErrorCode::not_found);
}

void PlaceRulesTest::data_stay_on_their_node() {
    TaskSpec spec = heads_task();
    spec.data.path = "node:/private/text.txt";
    spec.place.data = "clinic";
    QCOMPARE(placed(spec).value(), (Nodes{"clinic", "", ""}));
    spec.place.pins = {{"/backbone/*", "lab"}};
    const auto away = placed(spec);
    QVERIFY(!away.ok());
    QVERIFY2(away.error().message().find("reads data that is stored on clinic") != std::string::npos,
             away.error().message().c_str());
    spec.data.path = "text.txt";  // a file of the client may be sent to any node
    QCOMPARE(placed(spec).value(), (Nodes{"lab", "", ""}));
}

void PlaceRulesTest::sensitive_operators_need_secure_nodes() {
    TaskSpec spec = heads_task();
    spec.split.sensitive = {"/backbone/0/*", "/heads/1/*"};
    QCOMPARE(placed(spec).value(), (Nodes{"", "", ""}));
    QCOMPARE(placed(spec, Nodes{"vault-1", "vault-2"}).value(), (Nodes{"vault-1", "", "vault-2"}));
    const auto none = placed(spec, Nodes{});
    QVERIFY(!none.ok() && none.error().message().find("secure = true") != std::string::npos);
    spec.split.segments[2].place = "street";
    const auto open = placed(spec, Nodes{"vault-1"});
    QVERIFY(!open.ok());
    QVERIFY2(open.error().message().find("'/heads/1/Gemm' but would run on street") != std::string::npos,
             open.error().message().c_str());
}

void PlaceRulesTest::operators_kept_together_are_not_split() {
    TaskSpec spec = heads_task();
    spec.split.together = {"/heads/1/*", "/backbone/*"};
    QVERIFY(placed(spec).ok());
    spec.split.together = {"/heads/*"};
    const auto split = placed(spec);
    QVERIFY(!split.ok());
    QVERIFY2(split.error().message().find("'/heads/1/Gemm' is in segment 2") != std::string::npos,
             split.error().message().c_str());
}

/// The fastest node is behind gateways. The gateways would take more computing time from the other nodes than the
/// fastest node saves.
void PlaceRulesTest::blocks_avoid_gateways_that_take_their_cores() {
    const auto profile = [](double rate) {
        return std::make_shared<const price::DeviceProfile>(
            price::DeviceProfile{"", {rate, rate, 10 * rate, 1e-6}, {}});
    };
    CompileOptions options;
    price::NodePool& pool = options.devices;
    for (std::int32_t i = 0; i < 3; ++i) {
        price::PlannedDevice device;
        device.node = device.name = std::string(1, static_cast<char>('a' + i));
        device.profile = profile(i == 2 ? 4e9 : 1e9);
        device.host = i;
        device.mic = i == 2 ? 1 : 0;
        pool.nodes.push_back(std::move(device));
        pool.hosts.push_back({"host-" + std::to_string(i), 1});
    }
    pool.ready = 3;
    pool.complete = true;
    pool.links.between_hosts = {1e-5, 1e8, 1e-6, 0};
    price::MeshPaths paths;
    for (const auto& [from, to] : {std::pair{0, 1}, {1, 0}})
        paths[{from, to}] = {
            {1e-5, 1e10, 1e-6, 0}, {"mg-1", "mg-2"}, "mg-1, mg-2", {{"host-0", 0, 1e-4}, {"host-1", 0, 1e-4}}};
    pool.links.paths = std::make_shared<const price::MeshPaths>(std::move(paths));
    TaskSpec spec = test::gpt_task();
    spec.split.strategy = "block";
    spec.split.stages = 2;
    const auto compiled = compile(spec, test::model_of(spec), options);
    QVERIFY2(compiled.ok(), compiled.ok() ? "" : compiled.error().message().c_str());
    QCOMPARE(compiled->stage_nodes.size(), std::size_t{2});
    for (const std::string& node : compiled->stage_nodes) QVERIFY2(node != "c", node.c_str());
}

DIVISI_TEST(PlaceRulesTest)

}  // namespace place_rules_test

#include "place_rules_test.moc"
