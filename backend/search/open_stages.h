// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/search/segmentation_request.h"

namespace divisi::search {

/// Returns whether the request leaves the number of stages open.
bool stages_are_open(const SegmentationRequest& request);

/// Returns whether cuts are searched by price; such a search takes time, and its result depends on the prices.
bool is_searched(const SegmentationRequest& request);

}  // namespace divisi::search
