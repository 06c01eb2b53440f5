// SPDX-License-Identifier: Apache-2.0
#include "backend/task/suggest.h"

#include "tests/support/test_program.h"

namespace suggest_test {

using namespace divisi::task;

/// What a message offers to who mistyped a name.
class SuggestTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void the_nearest_name_is_offered();
    void what_is_like_none_gets_the_list();
};

void SuggestTest::the_nearest_name_is_offered() {
    const std::vector<std::string> zoo{"mlp", "lenet", "resnet18", "gpt", "vit"};
    QCOMPARE(suggest("gtp", zoo), std::string("did you mean 'gpt'?"));  // neighbours exchanged
    QCOMPARE(suggest("lennet", zoo), std::string("did you mean 'lenet'?"));
    QCOMPARE(suggest("resnet", zoo), std::string("did you mean 'resnet18'?"));
    QCOMPARE(suggest("batchsize", {"microbatches", "batch"}), std::string("did you mean 'batch'?"));
    QCOMPARE(suggest("vti", zoo), std::string("did you mean 'vit'?"));
}

void SuggestTest::what_is_like_none_gets_the_list() {
    QCOMPARE(suggest("transformer", {"mlp", "gpt"}), std::string("use one of mlp, gpt"));
    QCOMPARE(suggest(std::string(1'000'000, 'x'), {"mlp"}), std::string("use one of mlp"));
    QCOMPARE(suggest("", {"a", "b"}), std::string("did you mean 'a'?"));
}

DIVISI_TEST(SuggestTest)

}  // namespace suggest_test

#include "suggest_test.moc"
