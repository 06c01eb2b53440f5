// SPDX-License-Identifier: Apache-2.0

#include "backend/plan/cut_choice.h"
#include "tests/support/test_program.h"
#include "tests/unit/plan/graphs.h"

namespace cut_choice_test {

using namespace divisi;
using namespace divisi::plan;

namespace {

/// A model with its legal cuts.
struct Model {
    explicit Model(graph::Graph g) : graph(std::move(g)), cuts(graph::find_cuts(graph)) {}
    graph::Graph graph;
    graph::CutList cuts;
};

}  // namespace

class CutChoiceTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cuts_are_found_by_name_and_index();
    void wrong_cuts_are_named();
    void loss_joins_the_last_segment();
};

void CutChoiceTest::cuts_are_found_by_name_and_index() {
    const Model model(test::chain(4));
    const auto choice = choose_cuts(model.graph, model.cuts, {"relu_1", "0"});
    QVERIFY(choice.ok());
    QCOMPARE(choice->front(), 0);
    QCOMPARE(cut_names(model.graph, model.cuts, *choice).back(), std::string("relu_1"));
}

void CutChoiceTest::wrong_cuts_are_named() {
    const Model model(test::chain(4));
    for (const std::vector<std::string>& wrong :
         {std::vector<std::string>{"relu_9"}, {"99"}, {"relu_1", "relu_1"}, {"relu_3"}}) {
        const auto refused = choose_cuts(model.graph, model.cuts, wrong);
        QVERIFY(!refused.ok());
        QVERIFY(refused.error().where.find(wrong.back()) != std::string::npos);
        QVERIFY(!refused.error().next.empty());
    }
}

void CutChoiceTest::loss_joins_the_last_segment() {
    const Model model(test::chain(2));
    auto training = make_training_graph(model.graph, {Loss::mse, "", 0, {}});
    QVERIFY(training.ok());
    const auto segments = segments_from_cuts(model.graph, model.cuts, {1}, *training);
    QVERIFY(segments.ok());
    QCOMPARE(segments->size(), std::size_t{2});
    QVERIFY(segments->back().nodes == (std::vector<graph::NodeIndex>{2, 3, 4, 5, 6}));
    training->anchors.front() = 0;  // like a head whose output is in the first segment
    const auto anchored = segments_from_cuts(model.graph, model.cuts, {1}, *training);
    QVERIFY(anchored->front().nodes == (std::vector<graph::NodeIndex>{0, 1, 4}));
    // The model with its loss may replace the model, because its nodes have the same positions.
    const auto same = segments_from_cuts(training->graph, model.cuts, {1}, *training);
    QCOMPARE(same->size(), std::size_t{2});
    QVERIFY(same->front().nodes == anchored->front().nodes && same->back().nodes == anchored->back().nodes);
}

DIVISI_TEST(CutChoiceTest)

}  // namespace cut_choice_test

#include "cut_choice_test.moc"
