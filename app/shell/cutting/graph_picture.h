// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <functional>

#include "app/graphview/diagram/graph_snapshot.h"
#include "backend/base/result.h"

namespace divisi::shell {

/// The result of writing a picture of the graph.
struct WrittenPicture {
    double zoom = 1;  ///< zoom factor of a PNG: below 1 if the whole graph would exceed the pixel limit
};

/// Writes the graph to a file: as PNG if the name ends in .png, else as SVG. The file is written completely or not at
/// all.
///
/// Runs on any thread and takes seconds for thousands of operators. `stop` is checked between painting and writing; if
/// it returns true, no file is written, and the error is `failed`. Also fails if the file cannot be written, or with
/// `exhausted` if the pixels do not fit into memory.
Result<WrittenPicture> write_picture(const graphview::GraphSnapshot& graph, const QString& path,
                                     const std::function<bool()>& stop = {});

}  // namespace divisi::shell
