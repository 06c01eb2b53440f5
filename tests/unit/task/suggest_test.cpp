// SPDX-License-Identifier: Apache-2.0
#include "backend/task/suggest.h"

#include "tests/support/test_program.h"

namespace suggest_test {

using namespace divisi::task;

/// Tests the suggestion in a message about a mistyped name.
class SuggestTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nearest_name_is_suggested();
    void dissimilar_name_gets_the_list_of_all_names();
};

void SuggestTest::nearest_name_is_suggested() {
    const std::vector<std::string> zoo{"mlp", "lenet", "resnet18", "gpt", "vit"};
    QCOMPARE(suggest("gtp", zoo), std::string("did you mean 'gpt'?"));  // swapped neighbours
    QCOMPARE(suggest("lennet", zoo), std::string("did you mean 'lenet'?"));
    QCOMPARE(suggest("resnet", zoo), std::string("did you mean 'resnet18'?"));
    QCOMPARE(suggest("batchsize", {"microbatches", "batch"}), std::string("did you mean 'batch'?"));
    QCOMPARE(suggest("vti", zoo), std::string("did you mean 'vit'?"));
}

void SuggestTest::dissimilar_name_gets_the_list_of_all_names() {
    QCOMPARE(suggest("transformer", {"mlp", "gpt"}), std::string("use one of mlp, gpt"));
    QCOMPARE(suggest(std::string(1'000'000, 'x'), {"mlp"}), std::string("use one of mlp"));
    QCOMPARE(suggest("", {"a", "b"}), std::string("did you mean 'a'?"));
}

DIVISI_TEST(SuggestTest)

}  // namespace suggest_test

#include "suggest_test.moc"
