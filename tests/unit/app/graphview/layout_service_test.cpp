// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graphview/placing/layout_service.h"

#include <QSignalSpy>
#include <QThread>

#include "tests/support/test_program.h"
#include "tests/unit/app/held_layouts.h"
#include "tests/unit/app/sample_graphs.h"

namespace layout_service_test {

using namespace divisi;
using graphview::Layout;
using graphview::LayoutCache;
using graphview::LayoutPtr;
using graphview::LayoutService;
using testing::HeldLayouts;

namespace {

/// Returns a model large enough to be laid out by the worker.
model::ModelPtr large_model(int blocks = 1000) {
    return std::make_shared<const model::LoadedModel>(testing::residual(blocks), model::ModelSource{});
}

std::vector<bool> all_open(const model::LoadedModel& model) {
    return std::vector<bool>(model.tree.blocks.size(), true);
}

}  // namespace

class LayoutServiceTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void small_layout_is_made_at_once() {
        LayoutService service;
        const model::ModelPtr model = testing::chain_model(20);
        LayoutPtr shown;
        service.ask(model, all_open(*model), [&](const LayoutPtr& layout) { shown = layout; });
        QVERIFY(shown);
        QCOMPARE(shown->blocks().size(), 20u);
        QVERIFY(!service.busy());
        QCOMPARE(service.made(), 1);
    }

    void a_large_layout_is_made_by_a_worker() {
        LayoutService service;
        const QThread* worker = nullptr;
        service.set_make([&worker](const model::LoadedModel& model, const std::vector<bool>& open,
                                   const Layout::Cancelled& unwanted) {
            worker = QThread::currentThread();
            return Layout::made(model, open, unwanted);
        });
        const QSignalSpy busy(&service, &LayoutService::busyChanged);
        const model::ModelPtr model = large_model();
        LayoutPtr shown;
        const QThread* told = nullptr;
        service.ask(model, all_open(*model), [&](const LayoutPtr& layout) {
            shown = layout;
            told = QThread::currentThread();
        });
        QVERIFY(!shown);
        QVERIFY(service.busy());
        QTRY_VERIFY(shown);
        QVERIFY(!service.busy());
        QCOMPARE(busy.size(), 2);
        QCOMPARE(told, QThread::currentThread());
        QVERIFY(worker && worker != told);
        // The worker's result equals a layout without a worker.
        const Layout here(*model, all_open(*model));
        QCOMPARE(shown->blocks().size(), here.blocks().size());
        for (std::size_t i = 0; i < here.blocks().size(); ++i) QCOMPARE(shown->blocks()[i].rect, here.blocks()[i].rect);
    }

    void shown_layout_comes_from_the_cache() {
        LayoutService service;
        const model::ModelPtr model = large_model();
        LayoutPtr first, again, version;
        service.ask(model, all_open(*model), [&](const LayoutPtr& layout) { first = layout; });
        QTRY_VERIFY(first);
        service.ask(model, all_open(*model), [&](const LayoutPtr& layout) { again = layout; });
        QCOMPARE(again, first);
        // Another model of the same structure, like one with another batch size.
        service.ask(large_model(), all_open(*model), [&](const LayoutPtr& layout) { version = layout; });
        QCOMPARE(version, first);
        QCOMPARE(service.made(), 1);
    }

    void the_newest_request_wins() {
        HeldLayouts held;
        LayoutService service;
        service.set_make(held.make());
        const model::ModelPtr older = large_model(1000), newer = large_model(1001);
        std::vector<std::size_t> shown;
        const auto show = [&](const LayoutPtr& layout) { shown.push_back(layout->blocks().size()); };
        service.ask(older, all_open(*older), show);
        QVERIFY(held.begun.tryAcquire(1, 10'000));
        service.ask(newer, all_open(*newer), show);
        QVERIFY(held.begun.tryAcquire(1, 0) || QTest::qWaitFor([&] { return held.begun.tryAcquire(); }, 10'000));
        QCOMPARE(held.cancelled.load(), 1);  // the older layout was cancelled
        QVERIFY(service.busy());
        held.open.release();
        QVERIFY(QTest::qWaitFor([&] { return !service.busy(); }, 10'000));
        QCOMPARE(shown, std::vector<std::size_t>{3003});
    }

    void small_request_takes_precedence_over_a_large_one() {
        HeldLayouts held;
        LayoutService service;
        service.set_make(held.make());
        const model::ModelPtr large = large_model(), small = testing::chain_model(20);
        int large_shown = 0, small_shown = 0;
        service.ask(large, all_open(*large), [&](const LayoutPtr&) { ++large_shown; });
        QVERIFY(held.begun.tryAcquire(1, 10'000));
        service.ask(small, all_open(*small), [&](const LayoutPtr&) { ++small_shown; });
        QCOMPARE(small_shown, 1);
        QVERIFY(!service.busy());
        QVERIFY(QTest::qWaitFor([&] { return held.cancelled == 1; }, 10'000));
        QCoreApplication::processEvents();
        QCOMPARE(large_shown, 0);
    }

    void repeated_request_keeps_running_for_its_last_caller() {
        HeldLayouts held;
        LayoutService service;
        service.set_make(held.make());
        const model::ModelPtr model = large_model();
        int first = 0, last = 0;
        service.ask(model, all_open(*model), [&](const LayoutPtr&) { ++first; });
        QVERIFY(held.begun.tryAcquire(1, 10'000));
        service.ask(model, all_open(*model), [&](const LayoutPtr&) { ++last; });
        held.open.release();
        QVERIFY(QTest::qWaitFor([&] { return !service.busy(); }, 10'000));
        QCOMPARE(held.cancelled.load(), 0);
        QCOMPARE(first, 0);
        QCOMPARE(last, 1);
    }

    void cancelled_layout_is_never_shown() {
        HeldLayouts held;
        LayoutService service;
        service.set_make(held.make());
        const model::ModelPtr model = large_model();
        int shown = 0;
        service.ask(model, all_open(*model), [&](const LayoutPtr&) { ++shown; });
        QVERIFY(held.begun.tryAcquire(1, 10'000));
        service.cancel();
        QVERIFY(!service.busy());
        QVERIFY(QTest::qWaitFor([&] { return held.cancelled == 1; }, 10'000));
        QCoreApplication::processEvents();
        QCOMPARE(shown, 0);
        // The layout can be requested again.
        held.open.release();
        service.ask(model, all_open(*model), [&](const LayoutPtr&) { ++shown; });
        QVERIFY(QTest::qWaitFor([&] { return shown == 1; }, 10'000));
    }

    void destroyed_service_ends_its_layout() {
        HeldLayouts held;
        int shown = 0;
        {
            LayoutService service;
            service.set_make(held.make());
            const model::ModelPtr model = large_model();
            service.ask(model, all_open(*model), [&](const LayoutPtr&) { ++shown; });
            QVERIFY(held.begun.tryAcquire(1, 10'000));
        }
        QCOMPARE(held.cancelled.load(), 1);  // the destructor waited for the worker
        QCoreApplication::processEvents();
        QCOMPARE(shown, 0);
    }

    void cache_keeps_the_layouts_shown_last() {
        LayoutCache cache;
        const model::ModelPtr model = testing::chain_model(5);
        const auto layout = std::make_shared<const Layout>(*model, all_open(*model));
        for (int i = 0; i < 40; ++i) {
            cache.keep(QByteArray::number(i), layout);
            QVERIFY(cache.find("0"));  // in constant use
        }
        QCOMPARE(cache.size(), 32u);
        QVERIFY(cache.find("39"));
        QVERIFY(!cache.find("1"));
    }

    void cache_key_depends_only_on_the_visible_graph() {
        graph::Graph graph = testing::chain(12);
        for (std::size_t i = 0; i < graph.nodes.size(); ++i)  // /s/<0 to 2>/<0 or 1>/Gemm<i>
            graph.nodes[i].name =
                "/s" + std::to_string(i / 4) + "/" + std::to_string(i / 2 % 2) + "/Gemm" + std::to_string(i);
        const model::LoadedModel model(std::move(graph), {});
        const std::vector<bool> closed(model.tree.blocks.size(), false);
        const std::int32_t outer = model.tree.blocks[0].children[1];
        const std::int32_t inner = model.tree.blocks[static_cast<std::size_t>(outer)].children[0];
        const auto key = [&](std::initializer_list<std::int32_t> scopes) {
            std::vector<bool> open = closed;
            for (const std::int32_t scope : scopes) open[static_cast<std::size_t>(scope)] = true;
            return graphview::layout_key(model, open);
        };
        QVERIFY(!model.tree.blocks[static_cast<std::size_t>(inner)].is_operator());
        QCOMPARE(key({inner}), key({}));  // `inner` is inside a closed scope
        QCOMPARE(key({0}), key({}));
        QVERIFY(key({outer}) != key({}));
        QVERIFY(key({outer, inner}) != key({outer}));
        const std::int32_t leaf = model.tree.operator_block[0];
        QCOMPARE(key({leaf}), key({}));
    }
};

DIVISI_TEST(LayoutServiceTest)

}  // namespace layout_service_test

#include "layout_service_test.moc"
