// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/task/task_spec.h"

namespace divisi::task {

/// A file or folder that a task's data are read from.
struct DataFile {
    std::string purpose;   ///< data, labels, validation, validation_labels: FileRef's
    std::string path;      ///< as the task file has it
    bool derived = false;  ///< not named by the task file: labels that lie beside an IDX file, if it is one
};

/// All that a [data] section reads, in the order above; none for synthetic data. `labelled`: images come with labels.
std::vector<DataFile> data_files(const DataSection& section, bool labelled = true);

/// The label file beside an IDX image file: the last "images" of its name read as "labels"; empty without one.
std::string labels_beside(const std::string& images);

}  // namespace divisi::task
