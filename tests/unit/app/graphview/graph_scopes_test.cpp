// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/diagram/graph_scopes.h"

#include <QSignalSpy>

#include "tests/support/test_program.h"
#include "tests/unit/app/held_layouts.h"
#include "tests/unit/app/shown_chain.h"

namespace graph_scopes_test {

using namespace divisi;
using graphview::GraphScopes;

namespace {

/// A fixture with three scopes of two operators each.
struct Scopes : testing::ViewedChain {
    const model::ModelPtr three =
        std::make_shared<const model::LoadedModel>(testing::scoped_chain(3, 2), model::ModelSource{});
    bool may_show = true;
    graphview::BlockSelection selection{canvas, camera};
    GraphScopes scopes{canvas, camera, selection, view, [this] { return may_show; }};

    std::size_t count() const { return blocks().size(); }
    std::int32_t scope(std::size_t which) const { return blocks()[which].block; }
};

}  // namespace

class GraphScopesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void scopes_open_and_close() {
        Scopes shown;
        const QSignalSpy told(&shown.scopes, &GraphScopes::shown);
        shown.scopes.show_model(shown.three);
        QVERIFY(shown.scopes.model() == shown.three);
        QCOMPARE(shown.count(), 6u);
        shown.scopes.close_all();
        QCOMPARE(shown.count(), 3u);
        const std::int32_t scope = shown.scope(1);
        shown.scopes.toggle(scope);
        QVERIFY(shown.scopes.is_open(scope));
        QCOMPARE(shown.count(), 4u);
        shown.scopes.toggle(scope);
        QVERIFY(!shown.scopes.is_open(scope));
        QCOMPARE(shown.selection.block(), scope);  // a closed scope is selected
        shown.scopes.open_all();
        QCOMPARE(shown.count(), 6u);
        QCOMPARE(told.size(), 5);
    }

    void an_operator_is_revealed_with_its_scope() {
        Scopes shown;
        shown.scopes.show_model(shown.three);
        shown.scopes.close_all();
        const std::int32_t block = shown.three->tree.operator_block[3];
        QVERIFY(!shown.scopes.shows(block));
        shown.scopes.reveal(3);
        QVERIFY(shown.scopes.shows(block));
        QCOMPARE(shown.selection.block(), block);
    }

    void a_layout_waits_for_the_end_of_a_gesture() {
        Scopes shown;
        shown.scopes.show_model(shown.three);
        shown.may_show = false;
        shown.scopes.close_all();
        QCOMPARE(shown.count(), 6u);
        shown.scopes.layouts().show_arrived();
        QCOMPARE(shown.count(), 3u);
        shown.scopes.open_all();
        shown.scopes.layouts().forget_arrived();
        shown.scopes.layouts().show_arrived();
        QCOMPARE(shown.count(), 3u);
    }

    void selection_made_during_a_layout_is_kept() {
        Scopes shown;
        shown.scopes.show_model(shown.three);
        shown.scopes.close_all();
        const std::int32_t first = shown.scope(0), second = shown.scope(1);
        shown.scopes.toggle(second);
        shown.may_show = false;
        shown.scopes.toggle(second);  // would select the closed scope
        shown.selection.select(first, false);
        shown.scopes.layouts().show_arrived();
        QVERIFY(shown.selection.block() != second);
    }

    void closing_the_model_clears_the_graph() {
        Scopes shown;
        shown.scopes.show_model(shown.three);
        shown.scopes.clear();
        QVERIFY(!shown.scopes.model());
        QVERIFY(!shown.scopes.shows(0));
        QCOMPARE(shown.count(), 0u);
    }

    void cancelled_layout_keeps_the_shown_graph() {
        testing::HeldLayouts held;
        Scopes shown;
        shown.scopes.layouts().service().set_make(held.make());
        const auto large = std::make_shared<const model::LoadedModel>(testing::residual(7000), model::ModelSource{});
        shown.scopes.show_model(large);
        QVERIFY(shown.scopes.layouts().service().busy());
        QVERIFY(!shown.scopes.model());
        shown.scopes.cancel();
        QVERIFY(!shown.scopes.layouts().service().busy());
        QCOMPARE(shown.count(), 0u);
        held.open.release(1000);
    }
};

DIVISI_WINDOW_TEST(GraphScopesTest)

}  // namespace graph_scopes_test

#include "graph_scopes_test.moc"
