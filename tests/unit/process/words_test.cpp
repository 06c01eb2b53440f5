// SPDX-License-Identifier: Apache-2.0
#include "backend/process/words.h"

#include "backend/process/child.h"
#include "tests/support/test_program.h"

namespace words_test {

using namespace divisi::process;

/// Tests messages of a parent to its child over a pipe, which splits bytes arbitrarily.
class WordsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void word_lists_are_decoded_from_any_split_of_the_bytes();
    void endless_message_is_dropped();
    void only_the_addressed_child_receives_a_message();
};

void WordsTest::word_lists_are_decoded_from_any_split_of_the_bytes() {
    const std::vector<Words> lists{{"keep"}, {"play", "t-1/stage-0/0#1", "t-1/stage-0/0", "/a folder\nof two lines"}};
    const std::string bytes = encode_words(lists[0]) + encode_words(lists[1]);
    WordReader at_once;
    QVERIFY(at_once.take(bytes) == lists);
    WordReader one_by_one;
    std::vector<Words> come;
    for (const char byte : bytes)
        for (Words& words : one_by_one.take({&byte, 1})) come.push_back(std::move(words));
    QVERIFY(come == lists);
}

void WordsTest::endless_message_is_dropped() {
    WordReader reader;
    QVERIFY(reader.take(std::string(2 * WordReader::most_bytes, 'a')).empty());
    QVERIFY(reader.take(encode_words({"keep"})).empty());
}

void WordsTest::only_the_addressed_child_receives_a_message() {
    ChildSpec spec;
    spec.program = "/bin/sh";
    spec.arguments = {"-c", "read word && test \"$word\" = keep"};
    spec.told = true;
    auto child = Child::start(spec);
    QVERIFY(child.ok());
    QVERIFY(!child->tell(std::string(1 << 16, 'a')));  // written completely or not at all
    QVERIFY(child->tell("keep\n"));
    const auto ended = child->wait_for(Child::end_grace);
    QVERIFY(ended && ended->code == 0);
    spec.told = false;
    auto deaf = Child::start(spec);
    QVERIFY(deaf.ok());
    QVERIFY(!deaf->tell("keep\n"));
    const auto alone = deaf->wait_for(Child::end_grace);
    QVERIFY(alone && alone->code != 0);  // its input is empty
}

DIVISI_TEST(WordsTest)

}  // namespace words_test

#include "words_test.moc"
