// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/documents/painting.h"

#include <random>

#include "app/model/documents/graph_document.h"
#include "tests/support/test_program.h"
#include "tests/unit/app/sample_graphs.h"

namespace painting_test {

using namespace divisi;
using model::Painting;

namespace {

model::ModelPtr zoo(const char* name) {
    model::ModelSource source;
    source.zoo = name;
    const auto loaded = model::load_model(source);
    if (!loaded.ok()) qFatal("%s", loaded.error().message().c_str());
    return *loaded;
}

/// Returns a painting with runs of random length, so that segments are interleaved.
Painting random_painting(const model::LoadedModel& model, std::mt19937& random) {
    const auto segments = 1 + static_cast<std::int32_t>(random() % 5);
    Painting painting = model::painting_of(model, {}, {});
    painting.places.resize(static_cast<std::size_t>(segments));
    for (graph::NodeIndex node = 0; node < model.node_count();) {
        const auto end = std::min<graph::NodeIndex>(model.node_count(), node + 1 + static_cast<int>(random() % 9));
        model::paint(painting, node, end, static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(segments)));
        node = end;
    }
    model::follow_consumers(model, painting);
    return painting;
}

}  // namespace

class PaintingTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cuts_become_segments_and_cuts_again() {
        for (const char* name : {"gpt", "resnet18", "vit"}) {
            const model::ModelPtr model = zoo(name);
            const model::Cuts cuts{3, 7, 12};
            const Painting painting = model::painting_of(*model, cuts, {"a", "b", "c", "d"});
            QCOMPARE(painting.segments(), 4);
            QCOMPARE(painting.places[2], std::string("c"));
            QVERIFY(model::cycle_of(*model, painting).empty());
            QCOMPARE(model::cuts_of(*model, painting), cuts);
        }
    }

    void interleaved_segments_keep_the_cuts_around_them() {
        const auto model = testing::chain_model(20);
        Painting painting = model::painting_of(*model, {4, 9}, {});
        model::paint(painting, 2, 3, 1);  // moves operators of the first segment into the second
        QCOMPARE(model::cuts_of(*model, painting), model::Cuts{9});
    }

    void listed_segments_are_read_back() {
        std::mt19937 random(3);
        for (const char* name : {"gpt", "resnet18", "vit", "multitask"}) {
            const model::ModelPtr model = zoo(name);
            for (int round = 0; round < 20; ++round) {
                const Painting painting = random_painting(*model, random);
                std::vector<task::SegmentSpec> segments = model::listed(*model, painting);
                // a segment has no operators
                if (static_cast<std::int32_t>(segments.size()) < painting.segments()) continue;
                const auto read = model::painting_of(*model, segments);
                QVERIFY2(read.ok(), read.ok() ? "" : read.error().message().c_str());
                QCOMPARE(*read, painting);
            }
        }
    }

    void cycle_is_found_explained_and_mended() {
        const auto model = testing::chain_model(20);
        Painting painting = model::painting_of(*model, {}, {});
        model::paint(painting, 5, 9, 1);
        const auto cycle = model::cycle_of(*model, painting);
        QCOMPARE(cycle.size(), 2u);
        const QString text = model::cycle_text(*model, cycle);
        QVERIFY2(text.contains(QStringLiteral("/stack/4/Gemm")) && text.contains(QStringLiteral("/stack/9/Gemm")),
                 qPrintable(text));
        std::vector<bool> kept(20, false);
        std::fill(kept.begin() + 5, kept.begin() + 9, true);
        const auto mended = model::mended(*model, painting, kept);
        QVERIFY(mended.has_value());
        QVERIFY(model::cycle_of(*model, *mended).empty());
        // moves the five operators before the kept ones; moving the operators after the kept ones would take eleven
        QCOMPARE(model::difference(*model, painting, *mended), 5);
        for (int node = 5; node < 9; ++node) QCOMPARE(mended->segment_of[static_cast<std::size_t>(node)], 1);
    }

    void mending_a_cycle_moves_as_few_operators_as_possible() {
        // The segments alternate between 0 and 1. The model can run only if operators 5 to 12 join operators 2 to 4 in
        // segment 1, or operators 2 to 4 join segment 0.
        const auto model = testing::chain_model(20);
        Painting painting = model::painting_of(*model, {}, {});
        model::paint(painting, 2, 5, 1);
        model::paint(painting, 13, 20, 1);
        const auto mended = model::mended(*model, painting, {});
        QVERIFY(mended.has_value());
        QCOMPARE(model::difference(*model, painting, *mended), 3);
        // If operators 2 to 4 were painted last, the other operators move instead.
        std::vector<bool> kept(20, false);
        std::fill(kept.begin() + 2, kept.begin() + 5, true);
        const auto kinder = model::mended(*model, painting, kept);
        QVERIFY(kinder.has_value());
        for (int node = 2; node < 5; ++node) QCOMPARE(kinder->segment_of[static_cast<std::size_t>(node)], 1);
        QCOMPARE(model::difference(*model, painting, *kinder), 8);
    }

    void every_mended_painting_can_run() {
        std::mt19937 random(5);
        int mended_count = 0;
        for (const char* name : {"gpt", "resnet18"}) {
            const model::ModelPtr model = zoo(name);
            for (int round = 0; round < 20; ++round) {
                const Painting painting = random_painting(*model, random);
                if (model::cycle_of(*model, painting).empty()) continue;
                const auto mended = model::mended(*model, painting, {});
                if (!mended) continue;
                ++mended_count;
                QVERIFY(model::cycle_of(*model, *mended).empty());
                const auto before = model::operator_counts(*model, painting);
                const auto after = model::operator_counts(*model, *mended);
                for (std::size_t i = 0; i < before.size(); ++i) QVERIFY(before[i] == 0 || after[i] > 0);
            }
        }
        QVERIFY(mended_count > 10);
    }

    void the_document_previews_commits_and_undoes_paint() {
        model::GraphDocument document;
        document.set_model(testing::chain_model(10), {4});
        Painting painting = document.start_painting();
        model::paint(painting, 8, 10, 2);
        document.preview({{}, painting});
        QVERIFY(document.shown_painting() && !document.painting());
        document.drop_preview();
        QVERIFY(!document.shown_painting());
        document.preview({{}, painting});
        document.commit_preview(QStringLiteral("paint"));
        QVERIFY(document.painting());
        QCOMPARE(document.cuts(), model::Cuts{});
        const auto segments = document.segments();
        QCOMPARE(segments.size(), 3u);
        QCOMPARE(segments[2].operators, 2);
        QCOMPARE(segments[2].bytes_out, 0);
        QVERIFY(segments[0].bytes_out > 0);
        double share = 0;
        for (const auto& segment : segments) share += segment.share;
        QVERIFY(qAbs(share - 1) < 1e-9);
        QVERIFY(document.paint_to_cuts());
        QCOMPARE(document.cuts(), (model::Cuts{4, 7}));
        document.undo_stack().undo();
        QVERIFY(document.painting());
        document.undo_stack().undo();
        QCOMPARE(document.cuts(), model::Cuts{4});
        QVERIFY(!document.painting());
    }
};

DIVISI_TEST(PaintingTest)

}  // namespace painting_test

#include "painting_test.moc"
