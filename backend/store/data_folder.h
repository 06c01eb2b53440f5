// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "backend/store/profile_store.h"

namespace divisi::store {

// Files that divisid stores in its data folder besides profile_file: all that a restore needs.

inline constexpr const char* events_file = "events.sqlite";
inline constexpr const char* receipts_key_file = "receipts.key";  ///< signs receipts
inline constexpr const char* server_key_file = "server.key";      ///< identifies the orchestrator to peers on tcp
inline constexpr const char* skeletons_folder = "skeletons";      ///< a model for each task, NAME.onnx
inline constexpr const char* skeleton_ending = ".onnx";

}  // namespace divisi::store
