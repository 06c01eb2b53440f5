// SPDX-License-Identifier: Apache-2.0
#include "backend/search/open_stages.h"

namespace divisi::search {

bool stages_are_open(const SegmentationRequest& request) {
    if (request.stages > 0 || !request.cuts.empty()) return false;
    return request.least_stages > 0 || request.most_stages > 0 || is_searched(request);
}

bool is_searched(const SegmentationRequest& request) {
    return request.cuts.empty() && (request.method == "optimal" || request.method == "tabu");
}

}  // namespace divisi::search
