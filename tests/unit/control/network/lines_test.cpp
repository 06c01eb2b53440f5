// SPDX-License-Identifier: Apache-2.0
// Tests log lines of processes: their rate limit at the process that writes them, and the sender's name that the
// orchestrator adds.
#include "backend/control/protocol/line_buffer.h"

#include <algorithm>

#include "backend/control/network/log_collector.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/fixture.h"

namespace lines_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;
using std::chrono::seconds;

namespace {

LogLine saying(const std::string& text, const std::string& component = "node") {
    LogLine line;
    line.component = component;
    line.text = text;
    return line;
}

/// Takes all lines that a buffer sends now.
std::vector<LogLine> drain(LineBuffer& buffer, TimePoint now) {
    std::vector<LogLine> all;
    for (LogLines part = buffer.take(now); !part.lines.empty(); part = buffer.take(now))
        all.insert(all.end(), part.lines.begin(), part.lines.end());
    return all;
}

}  // namespace

class LinesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void flood_becomes_a_few_lines_and_a_count() {
        LineBuffer buffer;
        const TimePoint now(seconds(1000));
        for (int i = 0; i < 1000; ++i) buffer.add(saying("line " + std::to_string(i)), now);
        const auto first = drain(buffer, now);
        QCOMPARE(first.size(), line_burst);
        QCOMPARE(first.front().text, std::string("line 0"));
        QVERIFY(drain(buffer, now + line_interval / 2).empty());
        const auto rest = drain(buffer, now + line_interval);
        QCOMPARE(rest.size(), std::size_t{1});
        QCOMPARE(rest[0].text, std::to_string(1000 - line_burst) + " lines were dropped");
        QCOMPARE(rest[0].severity, Severity::warning);
        buffer.add(saying("another"), now + line_interval);
        QCOMPARE(drain(buffer, now + line_interval).size(), std::size_t{1});
    }

    void verbose_instance_does_not_displace_the_lines_of_others() {
        LineBuffer buffer;
        const TimePoint now(seconds(1000));
        for (int i = 0; i < 1000; ++i) buffer.add(saying("noise", "instance a"), now);
        for (int i = 0; i < 50; ++i) buffer.add(saying("said", "instance b"), now);
        buffer.add(saying("of the node"), now);
        const auto count = [](const std::vector<LogLine>& lines, const std::string& component) {
            return static_cast<std::size_t>(
                std::ranges::count_if(lines, [&](const LogLine& line) { return line.component == component; }));
        };
        const auto first = drain(buffer, now);
        QCOMPARE(count(first, "instance a"), line_burst);
        QCOMPARE(count(first, "instance b"), component_burst);
        QCOMPARE(count(first, "node"), std::size_t{1});
        const auto rest = drain(buffer, now + line_interval);
        QCOMPARE(rest.size(), std::size_t{2});  // a notice for each component
        QCOMPARE(rest[0].component, std::string("instance a"));
        QCOMPARE(rest[0].text, std::to_string(1000 - line_burst) + " lines were dropped");
        QCOMPARE(rest[1].component, std::string("instance b"));
        QCOMPARE(rest[1].text, std::to_string(50 - component_burst) + " lines were dropped");
        // The buffer is bounded, however many lines are added.
        for (int i = 0; i < 100; ++i)
            for (std::size_t j = 0; j < component_burst; ++j)
                buffer.add(saying("said", "instance " + std::to_string(i)), now + line_interval);
        QCOMPARE(drain(buffer, now + line_interval).size(), most_lines_kept);
    }

    /// The last lines of a process say why it ended.
    void last_lines_of_a_verbose_process_are_kept() {
        LineBuffer buffer;
        const TimePoint now(seconds(1000));
        const std::string a = "instance a";
        for (int i = 0; i < 1000; ++i) buffer.add(saying(std::to_string(i), a), now);
        QCOMPARE(drain(buffer, now).size(), line_burst);
        std::vector<LogLine> last;
        for (int i = 1000; i < 1300; ++i) last.push_back(saying(std::to_string(i), a));
        last.push_back(saying("error: why", a));
        buffer.add_last(a, last, now + seconds(1));
        const auto said = drain(buffer, now + seconds(1));
        QCOMPARE(said.size(), last_lines + 1);
        QCOMPARE(said.front().text, std::to_string(1301 - line_burst - last_lines) + " lines were dropped");
        QCOMPARE(said.front().component, a);
        QCOMPARE(said[1].text, std::to_string(1301 - last_lines));
        QCOMPARE(said.back().text, std::string("error: why"));
        QVERIFY(drain(buffer, now + line_interval).empty());  // everything has been sent
    }

    void last_lines_are_kept_even_if_all_were_read_before_the_end() {
        LineBuffer buffer;
        const TimePoint now(seconds(1000));
        const std::string a = "instance a";
        for (int i = 0; i < 1000; ++i) buffer.add(saying(std::to_string(i), a), now);
        buffer.add_last(a, {}, now);
        auto said = drain(buffer, now);
        QCOMPARE(said.size(), line_burst + 1 + last_lines);
        QCOMPARE(said[line_burst - 1].text, std::to_string(line_burst - 1));
        QCOMPARE(said[line_burst].text, std::to_string(1000 - line_burst - last_lines) + " lines were dropped");
        QCOMPARE(said.back().text, std::string("999"));
        // If no lines were dropped, there is no notice.
        buffer.add(saying("begins", "instance b"), now);
        buffer.add_last("instance b", {saying("ends", "instance b")}, now);
        said = drain(buffer, now);
        QCOMPARE(said.size(), std::size_t{2});
        QCOMPARE(said.back().text, std::string("ends"));
    }

    void newest_lines_are_kept_while_there_is_no_connection() {
        LineBuffer buffer;
        TimePoint now(seconds(1000));
        for (std::size_t i = 0; i < most_lines_kept + 50; ++i) buffer.add(saying(std::to_string(i)), now += seconds(1));
        const auto all = drain(buffer, now + line_interval);
        QCOMPARE(all.front().text, std::string("50"));
        QVERIFY(all.back().text.ends_with("lines were dropped"));
    }

    void level_is_read_from_the_output() {
        QCOMPARE(severity_of_output("error: no such file"), Severity::error);
        QCOMPARE(severity_of_output("terminate called after throwing"), Severity::error);
        QCOMPARE(severity_of_output("[W518 02:05:11 module.cpp] slow"), Severity::warning);
        QCOMPARE(severity_of_output("warning: little memory"), Severity::warning);
        QCOMPARE(severity_of_output("the process continues as t-1/stage-0/0#2"), Severity::info);
    }

    void node_reports_lines_only_of_its_own_instances() {
        Fixture fixture;
        MeshDevices devices(fixture.context);
        LogCollector lines(fixture.context, devices);
        const PeerId a = fixture.node(1, "m/a", "host", "tcp://a");
        fixture.node(2, "m/b", "host", "tcp://b");
        const TaskId task("t-1");
        fixture.context.append(TaskSubmitted{task, "t", "text", "/", "", {}, "me", 0});
        const InstanceId here("t-1/stage-0/0#1"), there("t-1/stage-1/0#1");
        fixture.context.append(InstancePlaced{task, here, Sid("t-1/stage-0/0"), NodeId("m/a"), 0});
        fixture.context.append(InstancePlaced{task, there, Sid("t-1/stage-1/0"), NodeId("m/b"), 1});
        LogLine forged = saying("its own", "orchestrator");
        forged.node = NodeId("m/b");
        forged.task = TaskId("other-1");
        fixture.say(lines, a,
                    LogLines{{forged, saying("of mine", "instance " + here.value()),
                              saying("of another's", "instance " + there.value())}});
        const auto& taken = fixture.context.output().lines;
        QCOMPARE(taken.size(), std::size_t{3});
        QCOMPARE(taken[0].component, std::string("node m/a"));
        QCOMPARE(taken[0].node, NodeId("m/a"));
        QCOMPARE(taken[0].task, TaskId());
        QCOMPARE(taken[1].component, "instance " + here.value());
        QCOMPARE(taken[1].task, task);
        QCOMPARE(taken[1].sid, Sid("t-1/stage-0/0"));
        QCOMPARE(taken[2].component, std::string("node m/a"));
        QVERIFY(fixture.context.output().events.size() >= 5);  // none of the lines became an event
        QVERIFY(fixture.logged<Noted>().empty());
    }

    /// A device has the same name in lines as in its events.
    void device_has_the_same_name_in_log_lines_and_events() {
        Fixture fixture;
        MeshDevices devices(fixture.context);
        LogCollector lines(fixture.context, devices);
        DeviceInfo info;
        info.name = "sr-3";
        info.role = mesh::DeviceRole::router;
        info.endpoint = "tcp://sr-3";
        info.key = "key";
        const PeerId router = fixture.connect(1);
        fixture.say(devices, router, RegisterDevice{info, 0});
        const auto events = fixture.logged<Noted>();
        QCOMPARE(events.size(), std::size_t{1});
        QCOMPARE(events[0].component, std::string("router sr-3"));
        fixture.say(lines, router, LogLines{{saying("it cannot be reached", "device")}});
        QCOMPARE(fixture.context.output().lines.at(0).component, events[0].component);
    }

    void excess_lines_are_counted() {
        Fixture fixture;
        MeshDevices devices(fixture.context);
        LogCollector lines(fixture.context, devices);
        const PeerId a = fixture.node(1, "m/a", "host", "tcp://a");
        LogLines many;
        many.lines.assign(lines_of_peer + 7, saying(std::string(2 * longest_line, 'x')));
        fixture.say(lines, a, many);
        QCOMPARE(fixture.context.output().lines.size(), lines_of_peer);
        QVERIFY(fixture.context.output().lines[0].text.size() <= longest_line + 3);
        fixture.clear();
        fixture.pass(note_interval);
        lines.poll();
        QCOMPARE(fixture.context.output().lines.size(), std::size_t{1});
        QVERIFY(fixture.context.output().lines[0].text.starts_with("7 more lines were dropped"));
    }
};

DIVISI_TEST(LinesTest)

}  // namespace lines_test

#include "lines_test.moc"
