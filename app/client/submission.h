// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

#include "backend/base/result.h"
#include "backend/control/message.h"

namespace divisi::client {

/// What is sent for a task file's text: a zoo model goes by its name; of an imported one the skeleton goes
/// along, and its weights are written below `uploads` for the nodes to read. Slow: for a worker thread.
Result<control::SubmitTask> make_submission(const std::string& text, const std::string& folder,
                                            const std::filesystem::path& uploads);

}  // namespace divisi::client
