// SPDX-License-Identifier: Apache-2.0

#include "backend/embed/members.h"
#include "backend/process/lifeline.h"
#include "tests/support/test_program.h"

namespace members_test {

using namespace divisi;
using namespace divisi::embed;

class MembersTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void member_that_dies_soon_after_each_start_is_given_up();
    void orderly_exit_ends_a_cluster_and_a_signal_does_not();
    void dismissed_member_restarts_later_if_others_still_run();
    void orderly_end_of_the_orchestrator_ends_the_cluster();
    void only_members_that_were_stopped_count_as_stopped();

private:
    /// Starts a program that runs this script in a shell, and waits until it has begun.
    static Member running(const std::string& name, const std::string& script) {
        Member member;
        member.name = name;
        member.may_die = true;
        member.spec = {"/bin/sh", {"-c", script}, {}, {}};
        if (const auto begun = launch(member); !begun) qFatal("%s", begun.error().message().c_str());
        return member;
    }
    static Member ended(const std::string& name, int code) {
        Member member = running(name, "exit " + std::to_string(code));
        if (!member.child->wait_for(std::chrono::seconds(10))) qFatal("the shell does not end");
        return member;
    }
    static constexpr const char* until_released = "read line <&3";  // waits until the parent closes descriptor 3
};

void MembersTest::member_that_dies_soon_after_each_start_is_given_up() {
    CrashHistory crashes;
    for (int i = 0; i < CrashHistory::most_quick; ++i) {
        crashes.count(std::chrono::milliseconds(10));
        QVERIFY(!crashes.hopeless());
    }
    crashes.count(std::chrono::milliseconds(10));
    QVERIFY(crashes.hopeless() && crashes.newly_hopeless());
    crashes.count(CrashHistory::quick - std::chrono::milliseconds(1));
    QVERIFY(crashes.hopeless() && !crashes.newly_hopeless());  // already reported
    crashes.count(CrashHistory::quick);
    QVERIFY(!crashes.hopeless());
}

void MembersTest::orderly_exit_ends_a_cluster_and_a_signal_does_not() {
    Member divisid, router;
    divisid.name = orchestrator;
    router.name = "sr-1";
    QVERIFY(told_to_end(divisid, {0, 0}));
    QVERIFY(!told_to_end(divisid, {2, 0}));
    QVERIFY(!told_to_end(divisid, {0, 9}));
    QVERIFY(told_to_end(router, {process::exit_dismissed, 0}));
    QVERIFY(!told_to_end(router, {0, 0}));  // ended by a user
    QVERIFY(!told_to_end(router, {0, 9}));
}

void MembersTest::dismissed_member_restarts_later_if_others_still_run() {
    std::vector<Member> members;
    members.push_back(ended("m/node-1", process::exit_dismissed));
    members.push_back(running("m/node-2", until_released));
    members.push_back(ended("link-trend", process::exit_stopped));
    const pid_t dismissed = members[0].child->pid();
    const auto others = supervise(members, "/");
    QVERIFY(others.ok() && !others->ended && others->restarted.empty());
    QCOMPARE(members[0].child->pid(), dismissed);
    members[0].rests_until = std::chrono::steady_clock::now();  // while the other members still run
    const auto wanted = supervise(members, "/");
    QVERIFY(wanted.ok() && !wanted->ended);
    QCOMPARE(wanted->restarted, std::vector<std::string>{"m/node-1"});
    QVERIFY(members[0].child->wait_for(std::chrono::seconds(10)));
    members[1] = ended("m/node-2", process::exit_dismissed);
    const auto last = supervise(members, "/");
    QVERIFY(last.ok() && last->ended);
}

void MembersTest::orderly_end_of_the_orchestrator_ends_the_cluster() {
    std::vector<Member> members;
    members.push_back(ended(orchestrator, 0));
    members.push_back(running("m/node-1", until_released));
    const auto ends = supervise(members, "/");
    QVERIFY(ends.ok() && ends->ended);
    members[0] = ended(orchestrator, 3);  // crashed: it is restarted
    const auto died = supervise(members, "/");
    QVERIFY(died.ok() && !died->ended);
    QCOMPARE(died->restarted, std::vector<std::string>{orchestrator});
}

void MembersTest::only_members_that_were_stopped_count_as_stopped() {
    QVERIFY(has_stopped(ended("sr-1", process::exit_stopped)));
    QVERIFY(!has_stopped(ended("sr-1", process::exit_dismissed)));
    QVERIFY(!has_stopped(ended("sr-1", 0)));
    QVERIFY(!has_stopped(running("sr-1", until_released)));
    QVERIFY(!has_stopped(Member{}));
}

DIVISI_TEST(MembersTest)

}  // namespace members_test

#include "members_test.moc"
