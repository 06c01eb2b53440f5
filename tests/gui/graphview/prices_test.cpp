// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the prices of a moving cut: the landscape strip, Optimize, and a comparison of plans.
#include <QFile>
#include <QLabel>
#include <QMouseEvent>
#include <QPushButton>
#include <QTableWidget>
#include <algorithm>

#include "app/client/embedded_host.h"
#include "app/graphview/diagram/landscape_strip.h"
#include "app/model/wording/text.h"
#include "app/panels/cutting/split_panel.h"
#include "backend/process/processor.h"
#include "backend/store/link_store.h"
#include "backend/store/profile_store.h"
#include "tests/gui/console.h"
#include "tests/gui/headers.h"
#include "tests/gui/own_data_folder.h"
#include "tests/support/test_program.h"

namespace prices_test {

using namespace divisi;
using model::Cuts;

namespace {

testing::TaskFile gpt_task(const char* name, int layers) {
    return testing::TaskFile(name)
        .gpt(layers, 64, 2, 32)
        .replace("data", {{"kind", "text"}, {"path", "text.txt"}})
        .set("train.microbatches", 4);
}

testing::TaskFile priced_task() { return gpt_task("priced", 4); }

/// A fixture with a priced task whose cut is far from the best position.
struct PricedConsole : testing::Console {
    PricedConsole() { window->open_path(write("task.toml", priced_task().set("split.cuts", {"/layers/0/Add"}))); }
    model::PriceBoard& board() { return window->context().prices; }
    graphview::LandscapeStrip& strip() { return *find<graphview::LandscapeStrip>("landscape"); }
    /// Waits until the shown split is priced.
    bool settle() {
        return QTest::qWaitFor(
            [&] {
                return board().prices() && board().prices()->ok() && !board().busy() &&
                       !window->context().pool.busy() && board().prices()->cuts == document().shown_cuts() &&
                       !document().cuts().empty();
            },
            20'000);
    }
    /// Opens another task, whose model has fewer legal positions.
    bool open_small() {
        const QString path = write("small.toml", gpt_task("small", 1).set("split.cuts", {"/layers/0/Add"}));
        return loads([&] { window->open_path(path); });
    }
    double step_ms() { return board().prices()->prediction.step_ms; }
};

/// Returns the centre of a row's first cell, scrolled into view.
QPoint middle_of(QTableWidget& table, int row) {
    table.scrollToItem(table.item(row, 0));
    return table.visualItemRect(table.item(row, 0)).center();
}

}  // namespace

class PricesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void drag_is_priced_before_the_drop();
    void label_of_the_cut_has_its_price();
    void only_simulated_prices_are_compared();
    void drag_in_the_strip_is_one_undo_step();
    void shift_and_arrows_move_by_ten_in_the_strip();
    void unmeasured_prices_are_marked_at_the_cut();
    void escape_restores_a_cut_dragged_in_the_strip();
    void model_opened_during_a_drag_ends_the_drag();
    void resting_pointer_marks_no_position_in_a_new_model();
    void position_under_the_pointer_is_simulated();
    void strip_stays_wide_with_many_cuts();
    void drag_shows_the_distance_to_the_best_plan();
    void search_can_be_cancelled();
    void late_search_does_not_undo_a_manual_cut();
    void optimize_is_one_undo_step_and_finds_the_best();
    void optimize_uses_the_wanted_number_of_stages();
    void keys_act_on_the_final_position_of_moving_cuts();
    void optimize_replaces_a_split_that_is_still_being_planned();
    void forbidden_positions_say_why();
    void new_measurements_change_the_prices();
    void kept_plans_can_be_restored();
    void plans_are_sorted_by_a_header_and_can_be_restored();
    void segments_are_sorted_by_a_header_and_keep_their_cuts();
    void task_file_opens_with_the_cuts_of_its_method();
    void head_without_a_loss_is_not_priced();
    void task_without_a_loss_says_why_it_has_no_price();
};

void PricesTest::label_of_the_cut_has_its_price() {
    PricedConsole console;
    QVERIFY(console.settle());
    QTest::keyClick(&console.view(), Qt::Key_Tab);
    QVERIFY(console.settle());
    QVERIFY(QTest::qWaitFor([&] { return console.board().fastest() && console.board().fastest()->complete; }, 20'000));
    const auto distance = [&] {
        const double above = console.step_ms() / console.board().fastest()->step_ms - 1;
        return QStringLiteral(" (+%1 over the best plan)").arg(model::percent(above));
    };
    const QString before = console.view().cut_card().price();
    QVERIFY2(before.startsWith(model::ms_text(console.step_ms()) + distance()), qPrintable(before));
    // The price is simulated. The best position in the strip is not, so it is marked as approximate.
    QVERIFY2(console.strip().figures().contains(QStringLiteral("best here \u2248")),
             qPrintable(console.strip().figures()));
    console.shot("price-label");
    QTest::keyClick(&console.view(), Qt::Key_Down);
    QVERIFY(console.settle());
    const QString after = console.view().cut_card().price();
    QVERIFY2(after.startsWith(model::ms_text(console.step_ms()) + distance()), qPrintable(after));
    console.document().clear_cuts();
    QVERIFY(!console.view().cut_card().price().startsWith(before));
}

void PricesTest::shift_and_arrows_move_by_ten_in_the_strip() {
    PricedConsole console;
    QVERIFY(console.settle());
    const std::int32_t before = console.cuts()[0];
    const std::int32_t far = std::min(before + 10, console.document().legal_count() - 1);
    QVERIFY(far > before + 1);
    QTest::keyClick(&console.strip(), Qt::Key_Right, Qt::ShiftModifier);
    QCOMPARE(console.cuts(), Cuts{far});
    QTest::keyClick(&console.strip(), Qt::Key_Left);
    QCOMPARE(console.cuts(), Cuts{far - 1});
    QVERIFY(std::ranges::any_of(shell::Actions::view_keys(), [](const shell::ViewKey& key) {
        return QString::fromUtf8(key.text).contains(QStringLiteral("cost landscape"));
    }));
}

void PricesTest::unmeasured_prices_are_marked_at_the_cut() {
    const testing::OwnDataFolder data;
    PricedConsole console;
    QVERIFY(console.settle());
    const QString price = console.view().cut_card().price(), figures = console.strip().figures();
    QVERIFY2(price.endsWith(QStringLiteral(", unmeasured")), qPrintable(price));
    QVERIFY2(figures.contains(QStringLiteral(", unmeasured")), qPrintable(figures));
}

/// Only simulated plans are compared with each other. Values that are not simulated yet are marked.
void PricesTest::only_simulated_prices_are_compared() {
    PricedConsole console;
    int early = 0;
    connect(&console.board(), &model::PriceBoard::pricesChanged, this, [&] {
        const auto fastest = console.board().fastest();
        if (fastest && !fastest->complete && console.strip().price_text().contains(QStringLiteral("best plan")))
            ++early;
    });
    QVERIFY(console.settle());
    QVERIFY(QTest::qWaitFor([&] { return console.board().fastest() && console.board().fastest()->complete; }, 20'000));
    QCOMPARE(early, 0);  // an unfinished search has not found the best plan
    const auto figures = [&] { return console.strip().figures(); };
    const QString simulated = QStringLiteral("now ") + model::ms_text(console.step_ms());
    QVERIFY2(figures().startsWith(simulated + QStringLiteral(" (+")), qPrintable(figures()));
    // The curve gives an approximate value at once, before the simulation.
    console.document().preview(console.document().moved(0, console.cuts()[0] + 1));
    QVERIFY2(figures().startsWith(QStringLiteral("now \u2248 ")), qPrintable(figures()));
    QVERIFY2(!figures().contains(QStringLiteral("best plan")), qPrintable(figures()));
    QVERIFY(console.settle());
    QVERIFY2(!figures().startsWith(QStringLiteral("now \u2248 ")), qPrintable(figures()));
    console.document().drop_preview();
    QVERIFY(console.settle());
    // A plan with three stages is not compared with the best plan with two stages.
    const QString label = console.find<QLabel>("price")->text();
    QVERIFY2(label.contains(QStringLiteral("above the best found")), qPrintable(label));
    QVERIFY(console.document().add_cut(50));
    QVERIFY(!console.board().comparable());
    QVERIFY(!console.find<QLabel>("price")->text().contains(QStringLiteral("best")));
    QVERIFY(console.settle());
    QVERIFY(QTest::qWaitFor([&] { return console.board().comparable().has_value(); }, 20'000));
    disconnect(&console.board(), nullptr, this, nullptr);
}

void PricesTest::drag_is_priced_before_the_drop() {
    PricedConsole console;
    QVERIFY(console.settle());
    const double before = console.step_ms();
    const Cuts cuts = console.cuts();
    auto* table = console.find<QTableWidget>("segmentTable");
    const QString time = table->item(0, 2)->text();
    QVERIFY(!time.isEmpty());
    console.view().scopes().open_all();
    console.view().camera().fit_all();
    console.drag(0, console.document().legal_count() / 2, false);
    QVERIFY(console.document().previewing());
    QVERIFY(console.settle());
    QVERIFY(console.step_ms() < before);
    QVERIFY(table->item(0, 2)->text() != time);
    QCOMPARE(console.cuts(), cuts);
    console.shot("landscape-drag");
    QTest::keyClick(&console.view(), Qt::Key_Escape);
    QVERIFY(console.settle());
    QCOMPARE(console.step_ms(), before);
    QCOMPARE(table->item(0, 2)->text(), time);
}

void PricesTest::drag_in_the_strip_is_one_undo_step() {
    PricedConsole console;
    QVERIFY(console.settle());
    const Cuts before = console.cuts();
    QTest::mousePress(&console.strip(), Qt::LeftButton, {}, console.strip().point_of(before[0]));
    for (std::int32_t legal = before[0]; legal <= 40; ++legal) {
        QTest::mouseMove(&console.strip(), console.strip().point_of(legal));
        QVERIFY(console.document().previewing());
    }
    QTest::mouseRelease(&console.strip(), Qt::LeftButton, {}, console.strip().point_of(40));
    QCOMPARE(console.cuts(), Cuts{40});
    QCOMPARE(console.document().undo_stack().count(), 1);
    console.document().undo_stack().undo();
    QCOMPARE(console.cuts(), before);
}

void PricesTest::escape_restores_a_cut_dragged_in_the_strip() {
    PricedConsole console;
    QVERIFY(console.settle());
    const Cuts before = console.cuts();
    QTest::mousePress(&console.strip(), Qt::LeftButton, {}, console.strip().point_of(50));
    QCOMPARE(console.document().shown_cuts(), Cuts{50});
    QTest::keyClick(&console.strip(), Qt::Key_Escape);
    QTest::mouseRelease(&console.strip(), Qt::LeftButton, {}, console.strip().point_of(50));
    QCOMPARE(console.cuts(), before);
    QCOMPARE(console.document().undo_stack().count(), 0);
}

void PricesTest::model_opened_during_a_drag_ends_the_drag() {
    for (const bool priced : {false, true}) {  // the button is released before, or after, the new model is priced
        PricedConsole console;
        QVERIFY(console.settle());
        graphview::LandscapeStrip& strip = console.strip();
        QTest::mousePress(&strip, Qt::LeftButton, {}, strip.point_of(30));
        QTest::mouseMove(&strip, strip.point_of(32));
        QVERIFY(console.document().previewing());
        strip.setCursor(Qt::ForbiddenCursor);  // as over a position where the cut is forbidden
        QVERIFY(console.open_small());
        QVERIFY(!console.document().previewing());
        QCOMPARE(strip.cursor().shape(), Qt::ArrowCursor);
        if (priced) QVERIFY(console.settle());
        const Cuts cuts = console.cuts();
        QCOMPARE(cuts.size(), 1u);
        QTest::mouseMove(&strip, QPoint(strip.width() - 40, 60));  // the button is still pressed
        QVERIFY(!console.document().previewing());
        QTest::mouseRelease(&strip, Qt::LeftButton, {}, QPoint(strip.width() - 40, 60));
        QVERIFY(!console.document().previewing());
        QCOMPARE(console.cuts(), cuts);
        QCOMPARE(console.document().undo_stack().count(), 0);
        QVERIFY(console.settle());
    }
}

void PricesTest::resting_pointer_marks_no_position_in_a_new_model() {
    for (const bool in_score : {false, true}) {  // in the score view, the strip has the score's axis
        PricedConsole console;
        QVERIFY(console.settle());
        if (in_score) QTest::keyClick(console.window.get(), Qt::Key_S);
        QCoreApplication::processEvents();
        QCOMPARE(testing::WindowParts::operator_timeline(*console.window).isVisible(), in_score);
        graphview::LandscapeStrip& strip = console.strip();
        const QPoint there = strip.point_of(50);
        // Send the event to the strip only. The real pointer stays where it is and sends no further events to the
        // strip.
        QMouseEvent move(QEvent::MouseMove, there, strip.mapToGlobal(there), Qt::NoButton, Qt::NoButton, {});
        QCoreApplication::sendEvent(&strip, &move);
        QVERIFY(console.settle());
        const std::int32_t probe = console.board().prices()->probe;
        QVERIFY(probe >= 0);
        QVERIFY(console.open_small());
        QVERIFY(console.settle());
        QVERIFY(console.document().legal_count() <= probe);
        QCOMPARE(console.board().prices()->probe, -1);
        // No position is marked: the strip looks as it does after the pointer has left.
        const QImage rests = strip.grab().toImage();
        QEvent leave(QEvent::Leave);
        QCoreApplication::sendEvent(&strip, &leave);
        QCOMPARE(strip.grab().toImage(), rests);
    }
}

void PricesTest::position_under_the_pointer_is_simulated() {
    PricedConsole console;
    QVERIFY(console.settle());
    const std::int32_t there = console.cuts()[0] + 9;
    QVERIFY(console.strip().describe(there).contains(QStringLiteral("about")));
    QTest::mouseMove(&console.strip(), console.strip().point_of(there));
    QVERIFY(
        QTest::qWaitFor([&] { return !console.strip().describe(there).contains(QStringLiteral("about")); }, 20'000));
    const double simulated_ms = console.board().prices()->probe_ms;
    QCOMPARE(console.cuts(), Cuts{there - 9});
    QVERIFY(console.document().move_cut(0, there));
    QVERIFY(console.settle());
    QCOMPARE(console.step_ms(), simulated_ms);
}

void PricesTest::strip_stays_wide_with_many_cuts() {
    PricedConsole console;
    QVERIFY(console.settle());
    console.find<QSpinBox>("stages")->setValue(16);
    console.action("equal")->trigger();
    QCOMPARE(console.cuts().size(), 15u);
    console.view().cut_focus().show(7);
    QVERIFY(console.settle());
    QVERIFY(QTest::qWaitFor([&] { return console.board().prices()->moving == 7; }, 20'000));
    const int reach = console.strip().point_of(console.cuts()[8]).x() - console.strip().point_of(console.cuts()[6]).x();
    QVERIFY2(reach > console.strip().width() / 2, qPrintable(QString::number(reach)));
    console.shot("landscape-16");
    // A press beyond a neighbouring cut moves nothing and selects that cut.
    const Cuts before = console.cuts();
    QTest::mouseClick(&console.strip(), Qt::LeftButton, {}, console.strip().point_of(before[8]) + QPoint(2, 0));
    QCOMPARE(console.view().cut_focus().cut(), 8);
    QCOMPARE(console.cuts(), before);
    // The stages have one operator each, so the cut between them has only one legal position.
    console.document().set_cuts({30, 31, 32}, QStringLiteral("narrow"));
    console.view().cut_focus().show(1);
    QVERIFY(console.settle());
    QVERIFY(QTest::qWaitFor([&] { return console.board().prices()->moving == 1; }, 20'000));
    console.shot("landscape-narrow");
    QVERIFY(!console.strip().describe(31).contains(QStringLiteral("beyond")));
    QVERIFY(console.strip().describe(32).contains(QStringLiteral("beyond")));
}

void PricesTest::drag_shows_the_distance_to_the_best_plan() {
    PricedConsole console;
    QVERIFY(console.settle());
    const auto label = [&] { return console.find<QLabel>("price")->text(); };
    QVERIFY(QTest::qWaitFor([&] { return console.board().fastest() && console.board().fastest()->complete; }, 20'000));
    QTest::mousePress(&console.strip(), Qt::LeftButton, {}, console.strip().point_of(console.cuts()[0]));
    QStringList said;
    for (const std::int32_t legal : {10, 5}) {
        QTest::mouseMove(&console.strip(), console.strip().point_of(legal));
        QVERIFY(console.settle());
        QVERIFY(console.document().previewing());
        QVERIFY2(label().contains(QStringLiteral("above the best found")), qPrintable(label()));
        said << label();
    }
    QVERIFY(said[0] != said[1]);
    QTest::keyClick(&console.strip(), Qt::Key_Escape);
}

void PricesTest::search_can_be_cancelled() {
    PricedConsole console;
    QVERIFY(console.settle());
    const Cuts before = console.cuts();
    task::TaskSpec spec = console.window->context().draft.spec();
    spec.split.tabu_iterations = 1'000'000;  // makes the search run until it is cancelled
    console.window->context().draft.edit(spec, QStringLiteral("search longer"));
    console.find<QSpinBox>("stages")->setValue(6);
    QTest::mouseClick(console.find<QPushButton>("optimize"), Qt::LeftButton);
    auto* bar = console.find<QWidget>("messageBar");
    QVERIFY(QTest::qWaitFor([&] { return bar->isVisible(); }, 20'000));
    QSignalSpy progress(&console.board(), &model::PriceBoard::searching);
    QVERIFY(progress.wait(20'000));
    QVERIFY(console.find<QLabel>("messageText")->text().contains(u'%'));
    console.shot("search");
    QTest::mouseClick(bar->findChild<QPushButton*>(), Qt::LeftButton);
    QVERIFY(!bar->isVisible());
    QVERIFY(!QTest::qWaitFor([&] { return console.cuts() != before; }, 300));
    QVERIFY(console.settle());
}

void PricesTest::late_search_does_not_undo_a_manual_cut() {
    PricedConsole console;
    QVERIFY(console.settle());
    QSignalSpy found(&console.board(), &model::PriceBoard::found);
    console.find<QSpinBox>("stages")->setValue(5);
    console.action("optimize")->trigger();
    QVERIFY(console.document().move_cut(0, 50));
    QVERIFY(console.settle());
    QVERIFY(QTest::qWaitFor([&] { return console.board().fastest() && console.board().fastest()->complete; }, 20'000));
    QCOMPARE(console.cuts(), Cuts{50});
    QVERIFY(found.isEmpty());
}

void PricesTest::optimize_is_one_undo_step_and_finds_the_best() {
    PricedConsole console;
    QVERIFY(console.settle());
    const double before = console.step_ms();
    const Cuts hand_made = console.cuts();
    QVERIFY(QTest::qWaitFor(
        [&] { return console.find<QLabel>("price")->text().contains(QStringLiteral("above the best")); }, 20'000));
    QTest::mouseClick(console.find<QPushButton>("optimize"), Qt::LeftButton);
    QVERIFY(QTest::qWaitFor([&] { return console.document().undo_stack().count() == 1; }, 20'000));
    QVERIFY(console.settle());
    QVERIFY(console.step_ms() < before);
    QCOMPARE(console.cuts(), console.board().fastest()->cuts);
    QVERIFY(console.find<QLabel>("price")->text().contains(QStringLiteral("best plan found")));
    // No position of the landscape is faster than this plan by more than the error of the closed form.
    for (const price::LandscapePosition& position : console.board().prices()->landscape->positions)
        QVERIFY(position.step_s == 0 || position.step_s * 1e3 > 0.97 * console.step_ms());
    console.document().undo_stack().undo();
    QCOMPARE(console.cuts(), hand_made);
}

void PricesTest::optimize_uses_the_wanted_number_of_stages() {
    PricedConsole console;
    QVERIFY(console.settle());
    console.find<QSpinBox>("stages")->setValue(4);
    console.action("optimize")->trigger();
    QVERIFY(QTest::qWaitFor([&] { return console.document().undo_stack().count() == 1; }, 20'000));
    QCOMPARE(console.cuts().size(), 3u);
    console.document().undo_stack().undo();
    QCOMPARE(console.cuts().size(), 1u);
}

void PricesTest::keys_act_on_the_final_position_of_moving_cuts() {
    for (const int stages : {4, 2}) {
        PricedConsole console;
        QVERIFY(console.settle());
        if (stages == 2) QVERIFY(console.document().split_equally(5).ok());
        const int steps = console.document().undo_stack().count();
        console.view().setFocus();
        console.find<QSpinBox>("stages")->setValue(stages);
        console.action("optimize")->trigger();
        // As soon as the cuts start to move, select the last one and move it.
        QVERIFY(QTest::qWaitFor([&] { return console.document().previewing(); }, 20'000));
        const auto moving = static_cast<int>(console.document().shown_cuts().size());
        QCOMPARE(moving, stages - 1);
        QTest::keyClick(&console.view(), Qt::Key_BracketLeft);
        QVERIFY(console.document().previewing());
        QCOMPARE(console.view().cut_focus().cut(), moving - 1);
        QTest::keyClick(&console.view(), Qt::Key_Up);
        QVERIFY(!console.document().previewing());
        QCOMPARE(static_cast<int>(console.cuts().size()), stages - 1);
        QCOMPARE(console.document().undo_stack().count(), steps + 2);  // one for Optimize, one for the move
        QTest::keyClick(&console.view(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(QTest::qWaitFor(
            [&] { return console.board().fastest() && console.board().fastest()->cuts == console.cuts(); }, 20'000));
    }
}

void PricesTest::optimize_replaces_a_split_that_is_still_being_planned() {
    testing::Console console;
    const QString file = console.write("three.toml", priced_task().set("split.stages", 3));
    QSignalSpy loaded(&console.window->context().opener.loader(), &model::ModelLoader::loaded);
    console.window->open_path(file);
    QVERIFY(loaded.wait(10'000));
    QVERIFY(console.document().split().as_in_task);
    console.find<QSpinBox>("stages")->setValue(2);
    console.action("optimize")->trigger();
    QVERIFY(QTest::qWaitFor([&] { return console.document().undo_stack().count() == 1; }, 20'000));
    QCOMPARE(console.cuts().size(), 1u);
    QVERIFY(console.window->isWindowModified());
    QTest::keyClick(console.window.get(), Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(console.window->context().draft.text().contains(QStringLiteral("stages = 3")));
}

void PricesTest::new_measurements_change_the_prices() {
    const testing::OwnDataFolder data;
    PricedConsole console;
    QVERIFY(console.settle());
    const double before = console.step_ms();
    QVERIFY(console.find<QLabel>("price")->text().contains(QStringLiteral("default links")));
    // Measurements by other programs, such as divisictl profile and an embedded cluster, count.
    const std::filesystem::path file = client::default_data_folder() / store::profile_file;
    price::DeviceProfile slow = price::default_profile("cpu");
    slow.device_type = process::processor_model();
    slow.rates.product_flops_per_s /= 50;
    QVERIFY((*store::ProfileStore::open(file))->save(slow, 1).ok());
    QVERIFY(QTest::qWaitFor([&] { return console.settle() && console.step_ms() > 5 * before; }, 10'000));
    const std::string host = process::host_name();
    const control::LinkMeasured link{NodeId(), NodeId(), host, host, control::LinkTransport::ipc, {1e-3, 0, 0, 1e9, 0}};
    QVERIFY((*store::LinkStore::open(file))->save({link, TimePoint(Duration(1))}).ok());
    QVERIFY(QTest::qWaitFor(
        [&] { return console.find<QLabel>("price")->text().contains(QStringLiteral("measured links")); }, 10'000));
}

void PricesTest::forbidden_positions_say_why() {
    PricedConsole console;
    QVERIFY(console.settle());
    Bytes largest = 0;
    for (const price::PredictedStage& stage : console.board().prices()->prediction.stages)
        largest = std::max(largest, stage.memory);
    price::NodePool pool = price::default_pool();
    for (price::PlannedDevice& device : pool.nodes) device.memory = largest;
    console.board().set_pool(std::move(pool));
    const std::int32_t last = console.document().legal_count() - 1;
    QVERIFY(
        QTest::qWaitFor([&] { return console.strip().describe(0).contains(QStringLiteral("not possible")); }, 20'000));
    QVERIFY(console.strip().describe(0).contains(QStringLiteral("stage")));
    QVERIFY(!console.strip().describe(console.cuts()[0]).contains(QStringLiteral("not possible")));
    QVERIFY(!console.strip().describe(last).isEmpty());
    console.shot("landscape-forbidden");
}

void PricesTest::kept_plans_can_be_restored() {
    PricedConsole console;
    QVERIFY(console.settle());
    console.show_dock("Plans");
    const Cuts first = console.cuts();
    QTest::mouseClick(console.find<QPushButton>("keepPlan"), Qt::LeftButton);
    QVERIFY(console.document().move_cut(0, console.document().legal_count() / 8));
    QVERIFY(console.settle());
    // The table has the shown plan, the best found plan and the kept plan, each with its difference from the best.
    auto* table = console.find<QTableWidget>("planTable");
    QVERIFY(QTest::qWaitFor([&] { return table->rowCount() == 3; }, 20'000));
    QVERIFY(table->item(0, 2)->text() != table->item(2, 2)->text());
    QVERIFY(table->item(0, 3)->text().startsWith(u'+'));
    QCOMPARE(table->item(1, 3)->text(), QStringLiteral("="));
    QVERIFY(table->item(2, 3)->text().startsWith(u'+'));
    console.shot("plans");
    console.window->set_theme(shell::Theme::light);
    console.shot("plans-light");
    console.window->set_language(QStringLiteral("zh_CN"));
    console.shot("plans-chinese");
    console.window->set_language(QStringLiteral("en"));
    console.window->set_theme(shell::Theme::dark);
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualItemRect(table->item(2, 0)).center());
    QTest::mouseDClick(table->viewport(), Qt::LeftButton, {}, table->visualItemRect(table->item(2, 0)).center());
    QCOMPARE(console.cuts(), first);
    QCOMPARE(console.document().undo_stack().count(), 2);
}

void PricesTest::plans_are_sorted_by_a_header_and_can_be_restored() {
    PricedConsole console;
    QVERIFY(console.settle());
    console.show_dock("Plans");
    const Cuts kept = console.cuts();
    const double kept_ms = console.step_ms();
    QTest::mouseClick(console.find<QPushButton>("keepPlan"), Qt::LeftButton);
    QVERIFY(console.document().move_cut(0, console.document().legal_count() / 8));
    QVERIFY(console.settle());
    QVERIFY(QTest::qWaitFor([&] { return console.board().fastest() && console.board().fastest()->complete; }, 20'000));
    auto& table = *console.find<QTableWidget>("planTable");
    const auto names = [&] { return testing::shown_column(table, 0); };
    const QStringList as_they_come{QStringLiteral("On screen"), QStringLiteral("Best found"), QStringLiteral("Plan A")};
    QTRY_COMPARE_WITH_TIMEOUT(names(), as_they_come, 20'000);
    QStringList fastest_first{as_they_come[1], as_they_come[0], as_they_come[2]};
    if (kept_ms < console.step_ms()) fastest_first.swapItemsAt(1, 2);
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, middle_of(table, 2));
    testing::press_header(table, 2);  // sorts by the time of a step
    QCOMPARE(names(), fastest_first);
    QCOMPARE(table.currentRow(), fastest_first.indexOf(QStringLiteral("Plan A")));
    testing::press_header(table, 2);
    std::ranges::reverse(fastest_first);
    QCOMPARE(names(), fastest_first);
    const int row = table.currentRow();
    QCOMPARE(names()[row], QStringLiteral("Plan A"));
    QVERIFY(row != 2);
    console.shot("plans-sorted");
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, middle_of(table, row));
    QTest::mouseDClick(table.viewport(), Qt::LeftButton, {}, middle_of(table, row));
    QCOMPARE(console.cuts(), kept);
    QVERIFY(console.settle());
    QCOMPARE(names()[table.currentRow()], QStringLiteral("Plan A"));
    testing::press_header(table, 2);
    QTRY_COMPARE_WITH_TIMEOUT(names(), as_they_come, 20'000);
    QCOMPARE(table.currentRow(), 2);
}

void PricesTest::segments_are_sorted_by_a_header_and_keep_their_cuts() {
    PricedConsole console;
    QVERIFY(console.settle());
    const std::int32_t half = console.document().legal_count() / 2;
    QVERIFY(half > 2);
    QVERIFY(console.document().set_cuts({0, 1, half}, QStringLiteral("cuts")));
    QVERIFY(console.settle());
    console.show_dock("Split");
    auto& table = *console.find<QTableWidget>("segmentTable");
    const QSignalSpy chosen(qobject_cast<panels::SplitPanel*>(table.parentWidget()), &panels::SplitPanel::cutChosen);
    const auto numbers = [&] { return testing::shown_column(table, 0).join(u' '); };
    const auto longest_first = [&] {
        const auto& stages = console.board().prices()->prediction.stages;
        std::vector<std::size_t> order{0, 1, 2, 3};
        std::ranges::stable_sort(order, [&](std::size_t one, std::size_t other) {
            return stages.at(one).busy_ms > stages.at(other).busy_ms;
        });
        QStringList texts;
        for (const std::size_t stage : order) texts << QString::number(stage + 1);
        return texts.join(u' ');
    };
    const QString pipeline = QStringLiteral("1 2 3 4");
    QCOMPARE(numbers(), pipeline);
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, middle_of(table, 0));
    const QString cut = table.item(0, 6)->text();
    testing::press_header(table, 2);
    testing::press_header(table, 2);
    QCOMPARE(numbers(), longest_first());
    QVERIFY(numbers() != pipeline);
    QCOMPARE(table.item(table.currentRow(), 0)->text(), QStringLiteral("1"));
    QCOMPARE(table.item(table.currentRow(), 6)->text(), cut);
    console.shot("segments-sorted");
    for (int row = 0; row < table.rowCount(); ++row) {
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, middle_of(table, row));
        const int segment = table.item(row, 0)->text().toInt();
        QCOMPARE(chosen.back().front().toInt(), segment == 4 ? -1 : segment - 1);
    }
    QVERIFY(console.document().set_cuts({0, half - 1, half}, QStringLiteral("cuts")));
    QVERIFY(console.settle());
    QCOMPARE(numbers(), longest_first());
    testing::press_header(table, 2);
    QCOMPARE(numbers(), pipeline);
}

void PricesTest::task_file_opens_with_the_cuts_of_its_method() {
    const auto cuts_by = [](const char* method) {
        testing::Console console;
        const QString file =
            console.write("method.toml", priced_task().section("split", {{"stages", 3}, {"method", method}}));
        QSignalSpy loaded(&console.window->context().opener.loader(), &model::ModelLoader::loaded);
        console.window->open_path(file);
        if (!loaded.wait(10'000)) qFatal("no model");
        if (!QTest::qWaitFor([&] { return !console.cuts().empty(); }, 10'000)) qFatal("no cuts");
        if (console.window->context().draft.modified()) qFatal("the opened task is marked as modified");
        return console.cuts();
    };
    const Cuts layers = cuts_by("equal-layers"), parameters = cuts_by("equal-parameters");
    QCOMPARE(layers.size(), 2u);
    QCOMPARE(parameters.size(), 2u);
    QVERIFY(layers != parameters);
}

void PricesTest::head_without_a_loss_is_not_priced() {
    const auto step_ms = [&](const char* second) {
        testing::Console console;
        console.window->open_path(console.write(
            "heads.toml", testing::TaskFile("heads")
                              .section("model", {{"zoo", "multitask"}, {"heads", 3}})
                              .section("train", {{"batch", 16}, {"microbatches", 4}})
                              .section("train.losses", {{"logits_0", "cross_entropy"}, {"logits_1", second}})
                              .set("train.losses.logits_2", "mse")
                              .set("split.strategy", "business")));
        const model::PriceBoard& board = console.window->context().prices;
        const bool priced = QTest::qWaitFor(
            [&] {
                return !console.cuts().empty() && board.prices() && !board.busy() &&
                       board.prices()->cuts == console.cuts();
            },
            20'000);
        if (!priced || !board.prices()->ok()) qFatal("%s", qPrintable(board.prices()->problem));
        // The strategy of the task file cuts between the branches.
        if (console.cuts().empty()) qFatal("no cuts between the branches");
        return board.prices()->prediction.step_ms;
    };
    QVERIFY(step_ms("none") < step_ms("cross_entropy"));
}

void PricesTest::task_without_a_loss_says_why_it_has_no_price() {
    testing::Console console;
    task::TaskSpec spec = console.window->context().draft.spec();
    spec.model.output = "no such output";
    console.window->context().draft.edit(spec, QStringLiteral("another output"));
    console.show_chain();
    QVERIFY(QTest::qWaitFor(
        [&] { return console.window->context().prices.prices() && !console.window->context().prices.prices()->ok(); },
        20'000));
    QVERIFY(console.find<QLabel>("price")->text().contains(QStringLiteral("No price")));
}

DIVISI_WINDOW_TEST(PricesTest)

}  // namespace prices_test

#include "prices_test.moc"
