// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <functional>

#include "app/graphview/graph_snapshot.h"
#include "backend/base/result.h"

namespace divisi::shell {

/// How a picture of the graph was written.
struct WrittenPicture {
    double zoom = 1;  ///< of PNG: below 1 where the whole graph would have more pixels than a picture may
};

/// Writes it to a file: SVG, or PNG where its name ends so. The file appears whole or not at all. Takes seconds for
/// thousands of operators, on any thread; `stop` is looked at between painting and writing, and once it says so nothing
/// is written (failed). Fails with what the disk says, and (exhausted) where there is no memory for the pixels.
Result<WrittenPicture> write_picture(const graphview::GraphSnapshot& graph, const QString& path,
                                     const std::function<bool()>& stop = {});

}  // namespace divisi::shell
