// SPDX-License-Identifier: Apache-2.0
#include "backend/ctl/hosting/hosted_programs.h"

#include <algorithm>

#include "tests/support/test_program.h"

namespace hosted_programs_test {

using namespace divisi;
using namespace divisi::ctl;

namespace {

std::vector<HostedProgram> programs(const std::string& host);

}  // namespace

/// Tests the programs that a host starts from a cluster file, and their arguments.
class HostedProgramsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void host_starts_the_programs_listed_for_it_in_the_file();
    void cluster_file_enables_metrics();

private:
    /// Returns the argument that follows an option; empty if the option is missing.
    static std::string behind(const std::vector<std::string>& arguments, const std::string& option) {
        const auto at = std::ranges::find(arguments, option);
        return at == arguments.end() || at + 1 == arguments.end() ? std::string() : *(at + 1);
    }
};

namespace {

// Defined after the class, because moc mistakes // in a raw string for the beginning of a comment.
const char* cluster_text = R"([cluster]
name = "lab"
transport = "tcp"
orchestrator = "tcp://10.0.0.1:7600"
host = "head"
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
metrics = "127.0.0.1:9465"
metrics_instances = true
[[mic.node]]
name = "node-2"
host = "alpha"
[mic.gateway]
name = "mg-1"
host = "alpha"
metrics = "127.0.0.1:9466"
links = ["sr-1"]
[[router]]
name = "sr-1"
host = "alpha"
port = 7630
metrics = "127.0.0.1:9467"
[[module]]
name = "link-trend"
host = "alpha"
arguments = ["--horizon", "4"]
metrics = "127.0.0.1:9468"
)";

std::vector<HostedProgram> programs(const std::string& host) {
    return hosted_programs(task::parse_cluster(cluster_text, "c.toml").value(), host, "/c.toml", "/data");
}

}  // namespace

void HostedProgramsTest::host_starts_the_programs_listed_for_it_in_the_file() {
    std::vector<std::string> names;
    for (const HostedProgram& one : programs("alpha")) names.push_back(one.program + " " + one.name);
    QCOMPARE(names,
             (std::vector<std::string>{"divisi-node mic-1/node-1", "divisi-node mic-1/node-2", "divisi-gateway mg-1",
                                       "divisi-router sr-1", "divisi-module-link-trend link-trend"}));
    QCOMPARE(programs("head").size(), std::size_t{1});
    QCOMPARE(programs("head")[0].program, std::string("divisid"));
    const auto gateway = programs("alpha")[2].arguments;
    QCOMPARE(behind(gateway, "--listen"), std::string("10.0.0.2:7620"));
    QCOMPARE(behind(gateway, "--mic"), std::string("mic-1"));
    QCOMPARE(behind(gateway, "--neighbours"), std::string("sr-1"));
    QCOMPARE(behind(programs("alpha")[4].arguments, "--horizon"), std::string("4"));
}

void HostedProgramsTest::cluster_file_enables_metrics() {
    const std::vector<HostedProgram> all = programs("alpha");
    const char* const addresses[] = {"127.0.0.1:9465", "", "127.0.0.1:9466", "127.0.0.1:9467", "127.0.0.1:9468"};
    for (std::size_t i = 0; i < all.size(); ++i) {
        QCOMPARE(behind(all[i].arguments, "--metrics"), std::string(addresses[i]));
        QCOMPARE(std::ranges::count(all[i].arguments, "--metrics-instances"), std::ptrdiff_t{i == 0});
    }
}

DIVISI_TEST(HostedProgramsTest)

}  // namespace hosted_programs_test

#include "hosted_programs_test.moc"
