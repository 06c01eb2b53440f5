// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/store/blob_store.h"

namespace divisi::store {

/// Makes a blob of a snapshot's tensors for these values, including all optimizer slots (state_name()); returns its
/// hash. Values that are missing in the snapshot are ignored. If the selection contains all tensors, returns the
/// snapshot itself. Fails with `not_found` if the snapshot is missing, and with `corrupt` if its bytes have changed.
Result<std::string> select_tensors(BlobStore& blobs, const std::string& snapshot,
                                   const std::vector<std::string>& values);

}  // namespace divisi::store
