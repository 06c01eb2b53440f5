// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/cutting/graph_tools.h"

#include <QActionGroup>
#include <QBuffer>
#include <QFileDialog>
#include <QFileInfo>
#include <QImage>
#include <QLayout>
#include <QPainter>
#include <QSvgGenerator>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/client/refusal_text.h"
#include "app/model/wording/text.h"
#include "app/panels/cutting/measure_bar.h"
#include "app/panels/cutting/split_panel.h"
#include "backend/file/atomic_file.h"
#include "backend/process/child.h"

namespace divisi::shell {
namespace {

/// Maximum side length of a picture in pixels. QPainter can paint, and other programs can open, pictures of this size.
constexpr double longest_side = 16'384;
/// Maximum number of pixels, which take 256 MiB while being painted.
constexpr double most_pixels = 64.0 * 1024 * 1024;

Result<QByteArray> png_of(const graphview::GraphSnapshot& graph, double zoom) {
    const QSizeF size = graph.size() * zoom;
    QImage image(static_cast<int>(std::ceil(size.width())), static_cast<int>(std::ceil(size.height())),
                 QImage::Format_RGB32);
    const Error no_memory{ErrorCode::exhausted, "there is no memory for a picture of this size", {}, "export SVG"};
    if (image.isNull()) return no_memory;
    QPainter painter(&image);
    painter.scale(zoom, zoom);
    graph.paint(painter);
    painter.end();
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (!image.save(&buffer, "PNG")) return no_memory;
    return bytes;
}

QByteArray svg_of(const graphview::GraphSnapshot& graph) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setTitle(graph.title());
    const QSize size(static_cast<int>(std::ceil(graph.size().width())),
                     static_cast<int>(std::ceil(graph.size().height())));
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(0, 0), size));
    QPainter painter(&generator);
    graph.paint(painter);
    painter.end();
    return bytes;
}

}  // namespace

using model::ColourBy;

namespace {

/// The actions that choose the colouring, in the order in which the key for the next colouring goes through them.
constexpr std::array<std::pair<const char*, ColourBy>, 5> colour_actions{{{"colour_nothing", ColourBy::nothing},
                                                                          {"colour_segment", ColourBy::segment},
                                                                          {"colour_time", ColourBy::time},
                                                                          {"colour_memory", ColourBy::memory},
                                                                          {"colour_bytes", ColourBy::bytes}}};

QString colour_setting() { return QStringLiteral("colour"); }

}  // namespace

GraphTools::GraphTools(AppContext& context, GraphPage& page, panels::SplitPanel& split, MessageBar& messages,
                       QWidget& window)
    : QObject(&window),
      context_(context),
      view_(page.view()),
      strip_(page.strip()),
      messages_(messages),
      window_(window),
      export_(context.planning) {
    model::PriceBoard* prices = &context.prices;
    view_.cut_drag().set_judge([prices](int cut, std::int32_t legal) { return prices->refusal(cut, legal); });
    const auto show_price = [this] {
        view_.cut_drag().judge_again();  // new prices may show that the cut must not be dropped at its position
        view_.cut_card().set_price(strip_.price_text());
    };
    connect(prices, &model::PriceBoard::pricesChanged, this, show_price);
    connect(&context.document, &model::GraphDocument::cutsChanged, this, show_price);
    connect(prices, &model::PriceBoard::pricesChanged, this, [this] {
        const auto& known = context_.prices.prices();
        view_.colours().set_times(known && known->ok() ? known->times : nullptr);
    });
    // Put the bar next to the price, because the graph would change its size under the pointer if the bar were beside
    // the graph.
    split.layout()->addWidget(new panels::MeasureBar(context.draft, context.prices, context.client,
                                                     process::program_folder() / "divisi-instance", &split));
    build_colours();
    connect(context_.actions.get("export_graph"), &QAction::triggered, this, &GraphTools::choose_picture);
    connect(&messages_, &MessageBar::cancelRequested, this, &GraphTools::cancel_export);
}

void GraphTools::build_colours() {
    auto* group = new QActionGroup(this);
    const QString kept = context_.settings.value(colour_setting()).toString();
    for (const auto& [id, by] : colour_actions) {
        QAction* action = context_.actions.get(id);
        action->setCheckable(true);
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, by = by] { colour_by(by); });
        if (by == view_.colours().by() || kept == QLatin1String(id)) action->setChecked(true);
        if (kept == QLatin1String(id)) view_.colours().set_by(by);
    }
    connect(context_.actions.get("colour_next"), &QAction::triggered, this, [this] {
        std::size_t next = 0;
        for (std::size_t i = 0; i < colour_actions.size(); ++i)
            if (colour_actions[i].second == view_.colours().by()) next = (i + 1) % colour_actions.size();
        context_.actions.get(colour_actions[next].first)->trigger();
    });
}

void GraphTools::colour_by(ColourBy by) {
    view_.colours().set_by(by);
    for (const auto& [id, colours] : colour_actions) {
        if (colours != by) continue;
        context_.settings.setValue(colour_setting(), QString::fromLatin1(id));
        Q_EMIT context_.hint(context_.actions.get(id)->toolTip());
    }
}

/// Returns the picture's title, such as "gpt · Segments: 3 · 41.2 ms a step, predicted".
QString GraphTools::title() const {
    QStringList parts{context_.document.model()->source.title()};
    if (parts.front().isEmpty()) parts.front() = QString::fromStdString(context_.document.model()->graph.name);
    parts << tr("Segments: %1").arg(view_.brush().segment_count());
    const auto& prices = context_.prices.prices();
    if (prices && prices->ok() && prices->are_of(context_.document.shown_split()))
        parts << tr("%1 a step, predicted").arg(model::ms_text(prices->prediction.step_ms));
    return parts.join(QStringLiteral(" \u00b7 "));
}

void GraphTools::choose_picture() {
    if (!context_.document.model()) return;
    if (view_.layout().blocks().empty())
        return messages_.show_error(
            tr("The graph is not laid out yet, so there is no picture to export. Wait until it appears, or close "
               "scopes to lay out less."));
    auto* dialog =
        new QFileDialog(&window_, tr("Export graph"), context_.draft.folder(), tr("SVG (*.svg);;PNG (*.png)"));
    dialog->setObjectName(QStringLiteral("exportGraphDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("svg"));
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
        dialog->setDefaultSuffix(filter.contains(QStringLiteral("png")) ? QStringLiteral("png")
                                                                        : QStringLiteral("svg"));
    });
    connect(dialog, &QFileDialog::fileSelected, this, &GraphTools::write);
    dialog->open();
}

/// Exports a snapshot of the view on a worker thread: thousands of operators take seconds.
void GraphTools::write(const QString& path) {
    if (!context_.document.model() || view_.layout().blocks().empty()) return;
    messages_.show_progress(tr("Exporting %1...").arg(QFileInfo(path).fileName()));
    export_.ask(
        [graph = graphview::GraphSnapshot(view_, title()), path](const model::JobContext& context) {
            return write_picture(graph, path, [&context] { return context.cancelled(); });
        },
        [this, path](const Result<WrittenPicture>& written) { tell_written(path, written); });
}

void GraphTools::cancel_export() {
    if (!export_.busy()) return;
    export_.cancel();
    messages_.end_progress();
    Q_EMIT context_.hint(tr("Nothing was exported"));
}

void GraphTools::tell_written(const QString& path, const Result<WrittenPicture>& written) {
    messages_.end_progress();
    if (!written.ok())
        return messages_.show_error(tr("The graph was not exported. %1").arg(client::quoted(written.error())));
    const QString name = QFileInfo(path).fileName();
    Q_EMIT context_.hint(written->zoom < 1
                             ? tr("Exported to %1, reduced to %2 of the full size; an SVG file has no size "
                                  "limit")
                                   .arg(name, model::percent(written->zoom))
                             : tr("Exported to %1").arg(name));
}

Result<WrittenPicture> write_picture(const graphview::GraphSnapshot& graph, const QString& path,
                                     const std::function<bool()>& stop) {
    WrittenPicture written;
    QByteArray bytes;
    if (path.endsWith(QStringLiteral(".png"), Qt::CaseInsensitive)) {
        const QSizeF size = graph.size();
        written.zoom = std::min({1.0, longest_side / std::max(size.width(), size.height()),
                                 std::sqrt(most_pixels / (size.width() * size.height()))});
        DIVISI_ASSIGN(bytes, png_of(graph, written.zoom));
    } else {
        bytes = svg_of(graph);
    }
    if (stop && stop()) return Error{ErrorCode::failed, "the export was cancelled"};
    const std::string_view text(bytes.constData(), static_cast<std::size_t>(bytes.size()));
    DIVISI_TRY(file::write_file(path.toStdString(), text, 0644));
    return written;
}

}  // namespace divisi::shell

#include "moc_graph_tools.cpp"
