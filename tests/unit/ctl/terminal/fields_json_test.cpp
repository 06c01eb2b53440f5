// SPDX-License-Identifier: Apache-2.0
// Tests the --json output of the structs that are printed by their lists of fields.

#include "backend/ctl/terminal/fields_json.h"

#include "backend/ctl/changing/advice_json.h"
#include "tests/support/test_program.h"

namespace fields_json_test {

using namespace divisi;
using namespace divisi::control;
using ctl::fields_json;

namespace {

std::string text(const nlohmann::ordered_json& line) { return line.dump(); }

MachineFigures machine() {
    MachineFigures machine;
    machine.cpu_share = 0.25;
    machine.memory = 1LL << 40;
    machine.memory_free = 2;
    machine.received_bytes = 3;
    machine.sent_bytes = 4;
    machine.received_bytes_per_s = 5.5;
    machine.sent_bytes_per_s = 6;
    machine.read_bytes = 7;
    machine.written_bytes = 8;
    machine.read_bytes_per_s = 9.5;
    machine.written_bytes_per_s = 10.5;
    machine.disk = 11;
    machine.disk_free = 12;
    machine.power_w = 250;
    machine.measured = TimePoint(Duration(13));
    return machine;
}

RecutAdvice advice() {
    RecutAdvice advice;
    advice.task = TaskId("gpt-1");
    advice.plan = "ph";
    advice.cuts = {"/a", "/b"};
    advice.step_ms = 10.5;
    advice.imbalance = 1.25;
    advice.gain_ms = 2;
    advice.stall_ms = 0.5;
    advice.stall_measured = true;
    advice.payback_steps = 3;
    advice.steps_left = 40;
    advice.why = "too few steps";
    return advice;
}

}  // namespace

class FieldsJsonTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void machine_shows_unknown_figures_as_null() {
        QCOMPARE(text(fields_json(machine())),
                 std::string(R"({"cpu_share":0.25,"memory":1099511627776,"memory_free":2,"received_bytes":3,)"
                             R"("sent_bytes":4,"received_bytes_per_s":5.5,"sent_bytes_per_s":6.0,"read_bytes":7,)"
                             R"("written_bytes":8,"read_bytes_per_s":9.5,"written_bytes_per_s":10.5,"disk":11,)"
                             R"("disk_free":12,"temperature_c":null,"power_w":250.0})"));
    }
    void advice_to_recut_is_shown_without_its_task() {
        QCOMPARE(text(ctl::advice_json(advice())),
                 std::string(R"({"plan":"ph","cuts":["/a","/b"],"step_ms":10.5,"imbalance":1.25,"gain_ms":2.0,)"
                             R"("stall_ms":0.5,"stall_measured":true,"payback_steps":3,"steps_left":40,)"
                             R"("worth":false,"why":"too few steps"})"));
        QCOMPARE(text(ctl::advice_json({})),
                 std::string(R"({"plan":"","cuts":[],"step_ms":0.0,"imbalance":0.0,"gain_ms":0.0,"stall_ms":0.0,)"
                             R"("stall_measured":false,"payback_steps":0,"steps_left":0,"worth":false,"why":""})"));
    }
    void policies_are_shown_by_device_and_path() {
        QCOMPARE(text(fields_json(PolicyAtDevice{"mg-1", true, 4, 5, "too low"})),
                 std::string(R"({"device":"mg-1","up":true,"applied":4,"refused":5,"reason":"too low"})"));
        QCOMPARE(text(fields_json(PathStanding{"mg-1", "mg-2", 40, 1e6, 0, "first path"})),
                 std::string(R"({"from":"mg-1","to":"mg-2","share":40,"first_bytes_per_s":1000000.0,)"
                             R"("second_bytes_per_s":0.0,"state":"first path"})"));
    }
    void tried_task_is_shown_without_its_error() {
        const TriedTask task{TaskId("gpt-1"), 1.5, 2.5, 3.5, "sr-1", "", Error{ErrorCode::failed, "a", "b", "c"}};
        QCOMPARE(text(fields_json(task)),
                 std::string(R"({"task":"gpt-1","measured_ms":1.5,"before_ms":2.5,"after_ms":3.5,)"
                             R"("before_paths":"sr-1","after_paths":""})"));
    }
    void advice_of_modules_is_shown_with_effects_and_refusals() {
        QCOMPARE(text(fields_json(AdviceEffect{TaskId("gpt-1"), 1.5, 0.5})),
                 std::string(R"({"task":"gpt-1","before_ms":1.5,"after_ms":0.5})"));
        QCOMPARE(text(fields_json(RefusalReason{"unknown node", 7})),
                 std::string(R"({"why":"unknown node","count":7})"));
    }
    void dependency_of_units_is_shown_with_its_mics() {
        const mesh::mic::Edge edge{Sid("t/a/0"), Sid("t/b/0"), MicId("mic-1"), MicId("mic-2")};
        QCOMPARE(text(fields_json(edge)),
                 std::string(R"({"from":"t/a/0","to":"t/b/0","from_mic":"mic-1","to_mic":"mic-2"})"));
    }
    void backups_and_dealt_microbatches_are_shown() {
        QCOMPARE(text(fields_json(BackedUp{"/backup", 9, 3, 1024, 0.5})),
                 std::string(R"({"folder":"/backup","sequence":9,"files":3,"bytes":1024,"seconds":0.5})"));
        QCOMPARE(text(fields_json(DealtReport{Sid("t/data/0"), 5, 1, 2}, "sid")),
                 std::string(R"({"microbatches":5,"dealt_again":1,"outstanding":2})"));
    }
    /// `plan` sorts the keys.
    void plan_is_shown_with_stage_counts_paths_and_parts() {
        const auto sorted = [](const auto& one) { return nlohmann::json(fields_json(one)).dump(); };
        QCOMPARE(sorted(search::StageCount{2, 10.5, 0.25}), std::string(R"({"buys":0.25,"slowest":10.5,"stages":2})"));
        QCOMPARE(sorted(task::PricedPath{-1, 1, {"mg-1", "mg-2"}, "mg-1, mg-2", 0.5, 1e6, 2, "measured"}),
                 std::string(R"({"bytes_per_s":1000000.0,"devices":["mg-1","mg-2"],"from":-1,"latency_ms":0.5,)"
                             R"("narrowest":"mg-1, mg-2","source":"measured","tensor_ms":2.0,"to":1})"));
        QCOMPARE(sorted(task::PartPrediction{"head a", 100, 0.5, {0, 2}, {}}),
                 std::string(R"({"flops":100.0,"flops_share":0.5,"name":"head a","shared_values":[],"stages":[0,2]})"));
    }
};

DIVISI_TEST(FieldsJsonTest)

}  // namespace fields_json_test

#include "fields_json_test.moc"
