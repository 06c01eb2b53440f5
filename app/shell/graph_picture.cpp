// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/graph_picture.h"

#include <QBuffer>
#include <QImage>
#include <QPainter>
#include <QSvgGenerator>
#include <algorithm>
#include <cmath>

#include "backend/file/atomic_file.h"

namespace divisi::shell {

namespace {

/// Pixels of a side: what QPainter paints on, and other programs open.
constexpr double longest_side = 16'384;
/// Pixels in all: 256 MiB while they are painted.
constexpr double most_pixels = 64.0 * 1024 * 1024;

Result<QByteArray> png_of(const graphview::GraphView& view, const QString& title, double zoom) {
    const QSizeF size = view.picture_size() * zoom;
    QImage image(static_cast<int>(std::ceil(size.width())), static_cast<int>(std::ceil(size.height())),
                 QImage::Format_RGB32);
    const Error no_memory{ErrorCode::exhausted, "there is no memory for a picture of this size", {}, "export SVG"};
    if (image.isNull()) return no_memory;
    QPainter painter(&image);
    painter.scale(zoom, zoom);
    view.paint_picture(painter, title);
    painter.end();
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (!image.save(&buffer, "PNG")) return no_memory;
    return bytes;
}

QByteArray svg_of(const graphview::GraphView& view, const QString& title) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setTitle(title);
    const QSize size(static_cast<int>(std::ceil(view.picture_size().width())),
                     static_cast<int>(std::ceil(view.picture_size().height())));
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(0, 0), size));
    QPainter painter(&generator);
    view.paint_picture(painter, title);
    painter.end();
    return bytes;
}

}  // namespace

Result<WrittenPicture> write_picture(const graphview::GraphView& view, const QString& title, const QString& path) {
    WrittenPicture written;
    QByteArray bytes;
    if (path.endsWith(QStringLiteral(".png"), Qt::CaseInsensitive)) {
        const QSizeF size = view.picture_size();
        written.zoom = std::min({1.0, longest_side / std::max(size.width(), size.height()),
                                 std::sqrt(most_pixels / (size.width() * size.height()))});
        DIVISI_ASSIGN(bytes, png_of(view, title, written.zoom));
    } else {
        bytes = svg_of(view, title);
    }
    const std::string_view text(bytes.constData(), static_cast<std::size_t>(bytes.size()));
    DIVISI_TRY(file::write_file(path.toStdString(), text, 0644));
    return written;
}

}  // namespace divisi::shell
