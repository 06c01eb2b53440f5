// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/search/segmentation_request.h"

namespace divisi::search {

/// True where the request leaves the number of stages open.
bool stages_are_open(const SegmentationRequest& request);

/// True where cuts are searched for with prices, which takes time and depends on them.
bool is_searched(const SegmentationRequest& request);

}  // namespace divisi::search
