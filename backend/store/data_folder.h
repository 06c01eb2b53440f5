// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "backend/store/profile_store.h"

namespace divisi::store {

// Files of divisid's data folder that a backup contains, in addition to profile_file. A restore needs no other file.

inline constexpr const char* events_file = "events.sqlite";
inline constexpr const char* receipts_key_file = "receipts.key";  ///< key that signs receipts
inline constexpr const char* server_key_file = "server.key";      ///< key of the orchestrator for peers on tcp
inline constexpr const char* skeletons_folder = "skeletons";      ///< a model for each task, NAME.onnx
inline constexpr const char* skeleton_ending = ".onnx";

}  // namespace divisi::store
