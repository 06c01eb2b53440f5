// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/base/ids.h"
#include "backend/base/result.h"
#include "backend/control/types/types.h"

namespace divisi::control::inline protocol {

// Messages of clients about tasks and their files.

/// Submits a task. Answered by SubmitReply. The client must then upload the files that have a hash to the nodes in
/// `uploads`, and send UploadsDone on the same connection. Otherwise the task fails. Without uploads the task is queued
/// at once.
struct SubmitTask {
    std::string text;
    std::string folder;
    std::string skeleton;  ///< content of the model's skeleton; empty for the zoo
    std::vector<FileRef> files;
    std::string submitted_by;
};
/// The files that a node must hold before the task can start. The node's blob store knows which of these files it
/// already holds.
struct Upload {
    NodeId node;
    std::string endpoint;
    std::string key;
    std::vector<std::string> hashes;
};
struct SubmitReply {
    TaskId task;
    std::vector<Upload> uploads;
};
/// Sent by a client that has uploaded the files of a task, or could not upload them. Answered by Done.
struct UploadsDone {
    TaskId task;
    std::optional<Error> error;  ///< why the files could not be uploaded; the task fails with this error
};
struct StopTask {
    TaskId task;
    std::string reason;
};
/// Sent by operators: lets a held task start. Answered by Done.
struct ReleaseTask {
    TaskId task;
};
/// Sent by operators: sets the number of data instances of a running task that has data instances. Answered by Done.
struct ScaleData {
    TaskId task;
    std::int32_t instances = 1;
};
/// Requests the skeleton of a task's model, for a client that exports a trained model. Answered by SkeletonData.
struct FetchSkeleton {
    TaskId task;
};
struct SkeletonData {
    std::string bytes;
};

}  // namespace divisi::control::inline protocol
