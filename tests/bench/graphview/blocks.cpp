// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/graphview/blocks.h"

#include <QLineEdit>
#include <QSettings>
#include <QTemporaryDir>

#include "app/shell/window/main_window.h"
#include "tests/gui/onnx_files.h"
#include "tests/gui/window_parts.h"
#include "tests/unit/app/sample_graphs.h"

namespace divisi::bench {

namespace {

constexpr double longest_block_ms = 100, first_frame_ms = 1000;

/// A window with its own settings.
struct Window {
    QTemporaryDir folder;
    QSettings settings{folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat};
    shell::MainWindow window{settings, nullptr};

    Window() {
        window.resize(1440, 900);
        window.show();
        wait_for([] { return false; }, 300);  // lets the start-up work finish
    }
    graphview::GraphView& view() { return testing::WindowParts::graph_view(window); }
    bool laid_out(std::size_t blocks) {
        return !view().scopes().layouts().service().busy() && view().layout().blocks().size() == blocks;
    }
    bool layout_ready() { return !view().scopes().layouts().service().busy() && !view().layout().blocks().empty(); }
    bool priced() {
        const model::PriceBoard& prices = window.context().prices;
        return prices.prices() && !prices.busy() && !window.context().pool.busy();
    }
    void trigger(const char* action) { window.context().actions.get(action)->trigger(); }
};

/// Measures the time from a file name to the painted graph. One worker reads the file and another lays out the graph; a
/// large model opens as scopes. Then measures the time until all operators are shown.
bool open_a_file(ProbedApplication& application) {
    Window shown;
    const QString path = shown.folder.filePath(QStringLiteral("large.onnx"));
    testing::write_onnx(testing::residual(3334), path);
    QElapsedTimer clock;
    double first_ms = 0;
    const Block longest = application.longest_block(
        [&] {
            clock.start();
            shown.window.open_path(path);
        },
        [&] {
            const auto& model = shown.window.context().document.model();
            if (first_ms == 0 && model && model->graph.nodes.size() == 10'002 && shown.layout_ready()) {
                shown.view().viewport()->repaint();
                first_ms = static_cast<double>(clock.nsecsElapsed()) / 1e6;
            }
            return first_ms > 0 && shown.priced();
        });
    bool good = report("first usable frame of a file", first_ms, first_frame_ms);
    good &= report("block: opening a file", longest, longest_block_ms);
    const Block all =
        application.longest_block([&] { shown.trigger("open_all"); }, [&] { return shown.laid_out(10'002); });
    good &= report("block: showing all its operators", all, longest_block_ms);
    return good;
}

/// Uses a hundred scopes of a hundred operators each.
bool work_with_scopes(ProbedApplication& application) {
    Window shown;
    const auto model =
        std::make_shared<const model::LoadedModel>(testing::scoped_chain(100, 100), model::ModelSource{});
    model::GraphDocument& document = shown.window.context().document;
    const auto measure = [&](const char* what, const std::function<void()>& gesture,
                             const std::function<bool()>& until) {
        return report(what, application.longest_block(gesture, until), longest_block_ms);
    };
    const auto opened = [&] { return shown.laid_out(10'000); };
    const auto closed = [&] { return shown.laid_out(100); };
    const auto priced = [&] { return shown.priced(); };
    bool good = measure(
        "block: a model of 100 scopes",
        [&] {
            document.set_model(model, {2000, 4000, 6000});
        },
        [&] { return closed() && shown.priced(); });
    good &= measure(
        "block: opening all scopes", [&] { shown.trigger("open_all"); }, opened);
    const int made = shown.view().scopes().layouts().service().made();
    good &= measure(
        "block: closing all scopes", [&] { shown.trigger("close_all"); }, closed);
    good &= measure(
        "block: opening them again", [&] { shown.trigger("open_all"); }, opened);
    good &= shown.view().scopes().layouts().service().made() == made;  // from the cache
    const std::int32_t scope = model->tree.blocks[0].children[50];
    good &= measure(
        "block: collapsing one scope", [&] { shown.view().scopes().toggle(scope); },
        [&] { return shown.laid_out(9901); });
    good &= measure(
        "block: opening it again", [&] { shown.view().scopes().toggle(scope); }, opened);
    good &= measure("block: searching", [&] { shown.trigger("find"); }, {});
    auto* input = shown.window.findChild<QLineEdit*>(QStringLiteral("searchInput"));
    good &= input != nullptr;
    for (const char* text : {"g", "gemm", "gemm7", "gemm77"})
        good &= measure("block: a letter of a search", [&] { input->setText(QString::fromLatin1(text)); }, {});
    good &= measure(
        "block: the next match", [&] { shown.trigger("find_next"); }, opened);
    good &= measure(
        "block: moving a cut", [&] { document.move_cut(1, 4100); }, priced);
    good &= measure(
        "block: undoing that", [&] { document.undo_stack().undo(); }, priced);
    good &= measure(
        "block: redoing it", [&] { document.undo_stack().redo(); }, priced);
    good &= measure("block: the score", [&] { shown.trigger("score"); }, {});
    good &= measure("block: the graph", [&] { shown.trigger("score"); }, {});
    return good;
}

}  // namespace

bool measure_blocks(ProbedApplication& application) {
    const bool opened = open_a_file(application);
    return work_with_scopes(application) && opened;
}

}  // namespace divisi::bench
