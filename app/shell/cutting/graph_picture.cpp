// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/cutting/graph_picture.h"

#include <QBuffer>
#include <QImage>
#include <QPainter>
#include <QSvgGenerator>
#include <algorithm>
#include <cmath>

#include "backend/file/atomic_file.h"

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
