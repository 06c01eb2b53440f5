// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPoint>
#include <cstddef>

#include "app/model/documents/graph_document.h"
#include "app/model/wording/accessible_parts.h"

namespace divisi::graphview {

/// Returns the description of a cut for screen readers, as used by all views that show cuts. `handle` is the centre of
/// the cut's handle.
model::AccessiblePart cut_part(const model::GraphDocument& document, std::size_t which, bool focused, QPoint handle);

}  // namespace divisi::graphview
