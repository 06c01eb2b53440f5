// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/store/blob_store.h"

namespace divisi::store {

/// Makes a blob of a snapshot's tensors for these values, including all optimizer slots (state_name.h); returns its
/// hash. Values that the snapshot lacks are ignored. If no tensor has to be left out, returns the snapshot itself.
/// Fails with `not_found` without the snapshot, and with `corrupt` if its bytes have changed.
Result<std::string> select_tensors(BlobStore& blobs, const std::string& snapshot,
                                   const std::vector<std::string>& values);

}  // namespace divisi::store
