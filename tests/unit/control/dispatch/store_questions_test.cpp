// SPDX-License-Identifier: Apache-2.0
#include "backend/control/dispatch/store_questions.h"

#include "tests/support/test_program.h"
#include "tests/unit/control/floor.h"

namespace store_questions_test {

using namespace divisi;
using namespace divisi::control;
using divisi::control::test::Floor;

namespace {

const NodeId near("m/a"), far("m/b");
const Sid stage("t/stage-0/0");

/// A fixture with two nodes and a client that asks.
struct Library {
    Floor floor;
    StoreQuestions questions{floor.desk};
    PeerId first = floor.node(1, "m/a", "host", "ipc://a"), second = floor.node(2, "m/b", "host", "ipc://b");
    PeerId client = floor.connect(7);

    Library() { floor.clear(); }
    template <typename M>
    void ask(const M& message) {
        floor.clear();
        floor.say(questions, client, message);
    }
    /// Returns the number of the question that the node was sent.
    template <typename M>
    std::uint64_t number() {
        const auto sent = floor.sent<M>();
        return sent.size() == 1 ? sent[0].second.question : 0;
    }
};

}  // namespace

/// Tests questions about state stores, which are forwarded to nodes and answered.
class StoreQuestionsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void answer_goes_to_the_client_that_asked();
    void only_the_asked_node_may_answer();
    void error_of_the_node_is_a_refusal();
    void unknown_and_absent_nodes_are_named();
    void disconnected_node_leaves_no_question();
    void silent_node_times_out();
    void questions_are_bounded();
    void numbers_rise_over_restarts();
};

void StoreQuestionsTest::answer_goes_to_the_client_that_asked() {
    Library library;
    library.ask(ReadStore{near, stage, "step", 9, 10, 99});
    const auto passed = library.floor.sent<ReadStore>();
    QCOMPARE(passed.size(), std::size_t{1});
    QCOMPARE(passed[0].first, library.first);
    QCOMPARE(passed[0].second.sid, stage);
    QCOMPARE(passed[0].second.before, std::int64_t{9});
    const std::uint64_t number = passed[0].second.question;
    QVERIFY(number != 0 && number != 99);
    library.floor.clear();
    library.floor.say(library.questions, library.first, StorePage{number, 3, {"step"}, {}, 1, 5});
    const auto answered = library.floor.sent<StorePage>();
    QCOMPARE(answered.size(), std::size_t{1});
    QCOMPARE(answered[0].first, library.client);
    QCOMPARE(answered[0].second.damaged, std::int64_t{1});
    QCOMPARE(answered[0].second.question, std::uint64_t{0});
    QCOMPARE(library.floor.desk.output().sends[0].correlation, std::uint64_t{1});
    library.floor.clear();
    library.floor.say(library.questions, library.first, StorePage{number, 3});  // answered only once
    QVERIFY(library.floor.desk.output().sends.empty());
}

void StoreQuestionsTest::only_the_asked_node_may_answer() {
    Library library;
    library.ask(ListStores{near, ""});
    const std::uint64_t number = library.number<ListStores>();
    library.floor.clear();
    library.floor.say(library.questions, library.second, StoreList{number});
    QVERIFY(library.floor.desk.output().sends.empty());
    library.floor.say(library.questions, library.first, StoreList{number, {{"t.sqlite", stage}}, true});
    const auto answered = library.floor.sent<StoreList>();
    QCOMPARE(answered.size(), std::size_t{1});
    QVERIFY(answered[0].second.more);
}

void StoreQuestionsTest::error_of_the_node_is_a_refusal() {
    Library library;
    library.ask(ReadStore{near, stage, "step"});
    StorePage page{library.number<ReadStore>()};
    page.error = Error{ErrorCode::corrupt, "not a sound database", "t.sqlite", "move it away"};
    library.floor.clear();
    library.floor.say(library.questions, library.first, page);
    QCOMPARE(library.floor.refusal(), page.error->what);
    QVERIFY(library.floor.sent<StorePage>().empty());
}

void StoreQuestionsTest::unknown_and_absent_nodes_are_named() {
    Library library;
    library.ask(ListStores{NodeId("m/none"), ""});
    QCOMPARE(library.floor.refusal(), std::string("there is no such node"));
    library.floor.desk.sessions().close(library.second);
    library.ask(ListStores{far, ""});
    QCOMPARE(library.floor.refusal(), std::string("the node is away"));
    library.ask(ReadStore{near, Sid(std::string(longest_word + 1, 's')), "step"});
    QVERIFY(library.floor.refusal().find("so long a name") != std::string::npos);
    QVERIFY(library.floor.sent<ReadStore>().empty());
}

void StoreQuestionsTest::disconnected_node_leaves_no_question() {
    Library library;
    library.ask(ListStores{near, ""});
    library.floor.clear();
    library.questions.node_gone(far);
    QVERIFY(library.floor.refusal().empty());
    library.questions.node_gone(near);
    QVERIFY(library.floor.refusal().find("went away") != std::string::npos);
    QVERIFY(!library.questions.next_deadline());
}

void StoreQuestionsTest::silent_node_times_out() {
    Library library;
    library.ask(ListStores{near, ""});
    const std::uint64_t number = library.number<ListStores>();
    library.floor.clear();
    const Duration patience = library.questions.next_deadline().value() - library.floor.desk.lived();
    library.floor.pass(patience - std::chrono::seconds(1));
    library.questions.check_deadlines();
    QVERIFY(library.floor.refusal().empty());
    library.floor.pass(std::chrono::seconds(2));
    library.questions.check_deadlines();
    QCOMPARE(library.floor.refusal(), std::string("the node does not answer"));
    library.floor.clear();
    library.floor.say(library.questions, library.first, StoreList{number});  // after the deadline
    QVERIFY(library.floor.desk.output().sends.empty());
}

void StoreQuestionsTest::questions_are_bounded() {
    Library library;
    for (std::size_t i = 0; i < most_questions_of_peer; ++i) library.ask(ListStores{near, ""});
    QVERIFY(library.floor.refusal().empty());
    library.ask(ListStores{near, ""});
    QVERIFY(library.floor.refusal().find("too many questions") != std::string::npos);
    const PeerId other = library.floor.connect(8);
    library.floor.clear();
    library.floor.say(library.questions, other, ListStores{near, ""});
    QVERIFY(library.floor.refusal().empty());
}

/// An answer to a question from before a restart must not match a new one. A restart appends an event, so numbers rise.
void StoreQuestionsTest::numbers_rise_over_restarts() {
    Library library;
    library.ask(ListStores{near, ""});
    const std::uint64_t before = library.number<ListStores>();
    library.floor.desk.append(Noted{Severity::info, "orchestrator", "", "started again"});
    StoreQuestions next(library.floor.desk);
    library.floor.clear();
    library.floor.say(next, library.client, ListStores{near, ""});
    QVERIFY(library.number<ListStores>() > before);
}

DIVISI_TEST(StoreQuestionsTest)

}  // namespace store_questions_test

#include "store_questions_test.moc"
