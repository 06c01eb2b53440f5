// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPoint>
#include <cstddef>

#include "app/model/accessible_parts.h"
#include "app/model/graph_document.h"

namespace divisi::graphview {

/// What a screen reader is told of a cut, in every picture alike. `handle`: the middle of where it is taken.
model::AccessiblePart cut_part(const model::GraphDocument& document, std::size_t which, bool focused, QPoint handle);

}  // namespace divisi::graphview
