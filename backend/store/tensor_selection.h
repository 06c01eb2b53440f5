// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/store/blob_store.h"

namespace divisi::store {

/// Makes a blob of those tensors of a snapshot that belong to these values, with all slots of the optimizer for them
/// (state_name.h): its hash. Values that the snapshot lacks are left out; where nothing else is in it, it is the
/// snapshot itself. `not_found` without the snapshot, `corrupt` where its bytes are not those that were written.
Result<std::string> select_tensors(BlobStore& blobs, const std::string& snapshot,
                                   const std::vector<std::string>& values);

}  // namespace divisi::store
