// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/estimates/figures.h"

#include <cmath>

#include "tests/support/test_program.h"
#include "tests/unit/app/sample_graphs.h"

namespace figures_test {

using namespace divisi;
using model::BlockFigures;
using model::ColourBy;

class FiguresTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void scope_has_the_memory_of_its_operators() {
        const model::LoadedModel model(testing::chain(4), {});
        const BlockFigures all = model::block_figures(model, {{0, 0}, {1, 3}}, ColourBy::memory, nullptr);
        // The block holds a weight of 8 x 8 and an output of 4 x 8, in float32.
        QCOMPARE(all.value[0], 4.0 * (64 + 32));
        QCOMPARE(all.value[1], 3 * all.value[0]);
        QCOMPARE(all.place(1), 1.0);
        QCOMPARE(all.place(0), 0.0);
        QVERIFY(!all.some_unmeasured);
    }

    void output_bytes_include_only_values_that_leave_the_block() {
        const model::LoadedModel model(testing::residual(2), {});
        const double value = 4.0 * 4 * 8;
        const BlockFigures each = model::block_figures(model, {{0, 0}, {1, 1}, {2, 2}}, ColourBy::bytes, nullptr);
        for (const double bytes : each.value) QCOMPARE(bytes, value);
        // Only the sum of the first residual block is read later. Its summands are made and read inside the block.
        const BlockFigures scope = model::block_figures(model, {{0, 2}, {3, 5}}, ColourBy::bytes, nullptr);
        QCOMPARE(scope.value[0], value);
        QCOMPARE(scope.value[1], value);  // the output of the model
    }

    void measured_share_of_times_is_known() {
        const model::LoadedModel model(testing::chain(4), {});
        const model::OperatorTimes times{{1, 2, 3, 0}, {true, true, false, true}};
        const BlockFigures figures = model::block_figures(model, {{0, 1}, {2, 2}, {3, 3}}, ColourBy::time, &times);
        QCOMPARE(figures.value[0], 3e-3);
        QVERIFY(figures.measured[0] && !figures.measured[1] && figures.measured[2]);
        QVERIFY(figures.some_unmeasured);
        const BlockFigures none = model::block_figures(model, {{0, 3}}, ColourBy::time, nullptr);
        QVERIFY(none.value.empty());
        const model::OperatorTimes others{{1}, {true}};  // from another model
        QVERIFY(model::block_figures(model, {{0, 3}}, ColourBy::time, &others).value.empty());
    }

    void scale_is_logarithmic_and_bounded() {
        BlockFigures figures;
        figures.value = {1, 10, 100, 0, 1e-9};
        figures.least = 1;
        figures.most = 100;
        QVERIFY(std::abs(figures.place(1) - 0.5) < 1e-12);
        QCOMPARE(figures.place(2), 1.0);
        QCOMPARE(figures.place(3), 0.0);
        QCOMPARE(figures.place(4), 0.0);
        const model::LoadedModel model(testing::chain(2), {});
        const model::OperatorTimes times{{1e3, 1e-6}, {true, true}};
        const BlockFigures wide = model::block_figures(model, {{0, 0}, {1, 1}}, ColourBy::time, &times);
        QCOMPARE(wide.least, 1 / model::widest_scale);
    }

    void unmeasured_time_is_marked_as_approximate() {
        QVERIFY(model::figure_text(ColourBy::time, 1e-3, false).startsWith(QChar(0x2248)));
        QVERIFY(!model::figure_text(ColourBy::time, 1e-3, true).contains(QChar(0x2248)));
        QVERIFY(model::figure_text(ColourBy::bytes, 2048).contains(QStringLiteral("KiB")));
    }
};

DIVISI_TEST(FiguresTest)

}  // namespace figures_test

#include "figures_test.moc"
