// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "app/graphview/graph_view.h"
#include "backend/base/result.h"

namespace divisi::shell {

/// How a picture of the graph was written.
struct WrittenPicture {
    double zoom = 1;  ///< of PNG: below 1 where the whole graph would have more pixels than a picture may
};

/// Writes the whole graph with its cuts, a title and its legend to a file: SVG, or PNG where its name ends so. The file
/// appears whole or not at all. Fails with what the disk says, and (exhausted) where there is no memory for the pixels.
Result<WrittenPicture> write_picture(const graphview::GraphView& view, const QString& title, const QString& path);

}  // namespace divisi::shell
