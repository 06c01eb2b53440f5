// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPoint>
#include <cstddef>

#include "app/model/documents/graph_document.h"
#include "app/model/wording/accessible_parts.h"

namespace divisi::graphview {

/// Returns what a screen reader is told about a cut, in every picture. `handle` is the centre of its handle.
model::AccessiblePart cut_part(const model::GraphDocument& document, std::size_t which, bool focused, QPoint handle);

}  // namespace divisi::graphview
