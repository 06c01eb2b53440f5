// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/task/task_spec.h"

namespace divisi::task {

/// A file or folder from which a task reads data.
struct DataFile {
    std::string purpose;   ///< data, labels, validation or validation_labels, as in FileRef
    std::string path;      ///< as written in the task file
    bool derived = false;  ///< not named by the task file: the label file next to an IDX file
};

/// Returns all files that a [data] section reads, in the order in which DataFile::purpose lists them; none for
/// synthetic data. `labelled`: images come with labels.
std::vector<DataFile> data_files(const DataSection& section, bool labelled = true);

/// Returns the label file next to an IDX image file: the last "images" in its name is replaced by "labels". Empty if
/// the name does not contain "images".
std::string labels_beside(const std::string& images);

}  // namespace divisi::task
