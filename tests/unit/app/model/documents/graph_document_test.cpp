// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/documents/graph_document.h"

#include <QSignalSpy>

#include "tests/support/test_program.h"
#include "tests/unit/app/sample_graphs.h"

namespace graph_document_test {

using namespace divisi;
using model::Cuts;

class GraphDocumentTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void every_change_is_one_undo_step() {
        model::GraphDocument document;
        document.set_model(testing::chain_model(10));
        QVERIFY(document.add_cut(2));
        QVERIFY(document.add_cut(6));
        QVERIFY(document.move_cut(0, 4));
        QCOMPARE(document.cuts(), (Cuts{4, 6}));
        QCOMPARE(document.undo_stack().count(), 3);
        document.undo_stack().undo();
        QCOMPARE(document.cuts(), (Cuts{2, 6}));
        document.undo_stack().undo();
        document.undo_stack().undo();
        QCOMPARE(document.cuts(), Cuts{});
        document.undo_stack().redo();
        QCOMPARE(document.cuts(), Cuts{2});
    }

    void cuts_stay_distinct_and_inside_the_graph() {
        model::GraphDocument document;
        document.set_model(testing::chain_model(10));
        document.set_cuts({2, 5}, {});
        QCOMPARE(document.moved(0, 8), (Cuts{4, 5}));
        QCOMPARE(document.moved(1, 0), (Cuts{2, 3}));
        QCOMPARE(document.moved(1, 99), (Cuts{2, document.legal_count() - 1}));
        QVERIFY(!document.add_cut(2));
        QVERIFY(!document.add_cut(-1));
        QVERIFY(!document.add_cut(document.legal_count()));
    }

    void dropped_preview_changes_nothing() {
        model::GraphDocument document;
        document.set_model(testing::chain_model(10));
        document.set_cuts({2}, {});
        QSignalSpy changed(&document, &model::GraphDocument::cutsChanged);
        document.preview({5});
        QCOMPARE(document.shown_cuts(), Cuts{5});
        QCOMPARE(document.cuts(), Cuts{2});
        document.drop_preview();
        QCOMPARE(document.shown_cuts(), Cuts{2});
        QCOMPARE(document.undo_stack().count(), 1);
        QCOMPARE(changed.count(), 2);
        document.preview({6});
        document.commit_preview(QStringLiteral("move"));
        QCOMPARE(document.cuts(), Cuts{6});
        QCOMPARE(document.undo_stack().count(), 2);
    }

    void preview_that_returns_to_its_start_makes_no_undo_step() {
        model::GraphDocument document;
        document.set_model(testing::chain_model(10));
        document.set_cuts({2}, {});
        document.preview({5});
        document.preview({2});
        document.commit_preview(QStringLiteral("move"));
        QCOMPARE(document.undo_stack().count(), 1);
    }

    void work_shares_of_equal_segments_are_about_equal() {
        model::GraphDocument document;
        document.set_model(testing::chain_model(12));
        QVERIFY(document.split_equally(3).ok());
        const std::vector<model::SegmentSummary> segments = document.segments();
        QCOMPARE(segments.size(), 3u);
        double total = 0;
        graph::NodeIndex next = 0;
        for (const model::SegmentSummary& segment : segments) {
            QCOMPARE(segment.first, next);
            next = segment.last + 1;
            total += segment.share;
            QVERIFY(segment.share > 0.25 && segment.share < 0.42);
        }
        QVERIFY(qAbs(total - 1) < 1e-9);
        QCOMPARE(segments[0].bytes_out, Bytes{4 * 8 * 4});
        QCOMPARE(segments[2].bytes_out, Bytes{0});
    }

    void cuts_are_named_as_in_a_task_file() {
        model::GraphDocument document;
        document.set_model(testing::chain_model(10));
        document.set_cuts({3}, {});
        const std::vector<std::string> names = document.cut_names();
        QCOMPARE(names.size(), 1u);
        const Result<Cuts> found = document.find_cuts(names);
        QVERIFY(found.ok());
        QCOMPARE(*found, Cuts{3});
        QVERIFY(!document.find_cuts({"/stack/nowhere"}).ok());
    }
};

DIVISI_TEST(GraphDocumentTest)

}  // namespace graph_document_test

#include "graph_document_test.moc"
