// SPDX-License-Identifier: Apache-2.0
#include "backend/control/dispatch/store_questions.h"

#include "tests/support/test_program.h"
#include "tests/unit/control/fixture.h"

namespace store_questions_test {

using namespace divisi;
using namespace divisi::control;
using divisi::control::test::Fixture;

namespace {

const NodeId near("m/a"), far("m/b");
const Sid stage("t/stage-0/0");

/// A fixture with two nodes and a client that asks.
struct Library {
    Fixture fixture;
    StoreQuestions questions{fixture.context};
    PeerId first = fixture.node(1, "m/a", "host", "ipc://a"), second = fixture.node(2, "m/b", "host", "ipc://b");
    PeerId client = fixture.connect(7);

    Library() { fixture.clear(); }
    template <typename M>
    void ask(const M& message) {
        fixture.clear();
        fixture.say(questions, client, message);
    }
    /// Returns the number of the question that the node was sent.
    template <typename M>
    std::uint64_t number() {
        const auto sent = fixture.sent<M>();
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
    void error_from_the_node_reaches_the_client_as_a_refusal();
    void questions_to_unknown_or_absent_nodes_are_refused();
    void disconnected_node_leaves_no_question();
    void silent_node_times_out();
    void questions_are_bounded();
    void question_numbers_increase_across_restarts();
};

void StoreQuestionsTest::answer_goes_to_the_client_that_asked() {
    Library library;
    library.ask(ReadStore{near, stage, "step", 9, 10, 99});
    const auto passed = library.fixture.sent<ReadStore>();
    QCOMPARE(passed.size(), std::size_t{1});
    QCOMPARE(passed[0].first, library.first);
    QCOMPARE(passed[0].second.sid, stage);
    QCOMPARE(passed[0].second.before, std::int64_t{9});
    const std::uint64_t number = passed[0].second.question;
    QVERIFY(number != 0 && number != 99);
    library.fixture.clear();
    library.fixture.say(library.questions, library.first, StorePage{number, 3, {"step"}, {}, 1, 5});
    const auto answered = library.fixture.sent<StorePage>();
    QCOMPARE(answered.size(), std::size_t{1});
    QCOMPARE(answered[0].first, library.client);
    QCOMPARE(answered[0].second.damaged, std::int64_t{1});
    QCOMPARE(answered[0].second.question, std::uint64_t{0});
    QCOMPARE(library.fixture.context.output().sends[0].correlation, std::uint64_t{1});
    library.fixture.clear();
    library.fixture.say(library.questions, library.first, StorePage{number, 3});  // answered only once
    QVERIFY(library.fixture.context.output().sends.empty());
}

void StoreQuestionsTest::only_the_asked_node_may_answer() {
    Library library;
    library.ask(ListStores{near, ""});
    const std::uint64_t number = library.number<ListStores>();
    library.fixture.clear();
    library.fixture.say(library.questions, library.second, StoreList{number});
    QVERIFY(library.fixture.context.output().sends.empty());
    library.fixture.say(library.questions, library.first, StoreList{number, {{"t.sqlite", stage}}, true});
    const auto answered = library.fixture.sent<StoreList>();
    QCOMPARE(answered.size(), std::size_t{1});
    QVERIFY(answered[0].second.more);
}

void StoreQuestionsTest::error_from_the_node_reaches_the_client_as_a_refusal() {
    Library library;
    library.ask(ReadStore{near, stage, "step"});
    StorePage page{library.number<ReadStore>()};
    page.error = Error{ErrorCode::corrupt, "not a sound database", "t.sqlite", "move it away"};
    library.fixture.clear();
    library.fixture.say(library.questions, library.first, page);
    QCOMPARE(library.fixture.refusal(), page.error->what);
    QVERIFY(library.fixture.sent<StorePage>().empty());
}

void StoreQuestionsTest::questions_to_unknown_or_absent_nodes_are_refused() {
    Library library;
    library.ask(ListStores{NodeId("m/none"), ""});
    QCOMPARE(library.fixture.refusal(), std::string("there is no such node"));
    library.fixture.context.sessions().close(library.second);
    library.ask(ListStores{far, ""});
    QCOMPARE(library.fixture.refusal(), std::string("the node is away"));
    library.ask(ReadStore{near, Sid(std::string(longest_word + 1, 's')), "step"});
    QVERIFY(library.fixture.refusal().find("is too long") != std::string::npos);
    QVERIFY(library.fixture.sent<ReadStore>().empty());
}

void StoreQuestionsTest::disconnected_node_leaves_no_question() {
    Library library;
    library.ask(ListStores{near, ""});
    library.fixture.clear();
    library.questions.node_gone(far);
    QVERIFY(library.fixture.refusal().empty());
    library.questions.node_gone(near);
    QVERIFY(library.fixture.refusal().find("went away") != std::string::npos);
    QVERIFY(!library.questions.next_deadline());
}

void StoreQuestionsTest::silent_node_times_out() {
    Library library;
    library.ask(ListStores{near, ""});
    const std::uint64_t number = library.number<ListStores>();
    library.fixture.clear();
    const Duration patience = library.questions.next_deadline().value() - library.fixture.context.lived();
    library.fixture.pass(patience - std::chrono::seconds(1));
    library.questions.check_deadlines();
    QVERIFY(library.fixture.refusal().empty());
    library.fixture.pass(std::chrono::seconds(2));
    library.questions.check_deadlines();
    QCOMPARE(library.fixture.refusal(), std::string("the node does not answer"));
    library.fixture.clear();
    library.fixture.say(library.questions, library.first, StoreList{number});  // after the deadline
    QVERIFY(library.fixture.context.output().sends.empty());
}

void StoreQuestionsTest::questions_are_bounded() {
    Library library;
    for (std::size_t i = 0; i < most_questions_of_peer; ++i) library.ask(ListStores{near, ""});
    QVERIFY(library.fixture.refusal().empty());
    library.ask(ListStores{near, ""});
    QVERIFY(library.fixture.refusal().find("too many requests") != std::string::npos);
    const PeerId other = library.fixture.connect(8);
    library.fixture.clear();
    library.fixture.say(library.questions, other, ListStores{near, ""});
    QVERIFY(library.fixture.refusal().empty());
}

/// An answer to a question from before a restart must not match a new question. Every restart appends an event, so
/// question numbers increase.
void StoreQuestionsTest::question_numbers_increase_across_restarts() {
    Library library;
    library.ask(ListStores{near, ""});
    const std::uint64_t before = library.number<ListStores>();
    library.fixture.context.append(Noted{Severity::info, "orchestrator", "", "started again"});
    StoreQuestions next(library.fixture.context);
    library.fixture.clear();
    library.fixture.say(next, library.client, ListStores{near, ""});
    QVERIFY(library.number<ListStores>() > before);
}

DIVISI_TEST(StoreQuestionsTest)

}  // namespace store_questions_test

#include "store_questions_test.moc"
