// SPDX-License-Identifier: Apache-2.0
#include "backend/control/state/data_place.h"

#include <algorithm>

#include "backend/task/data_files.h"
#include "backend/task/model_source.h"

namespace divisi::control::inline state {

bool reads_anywhere(const TaskView& task, const task::TaskSpec& spec) {
    const auto is_brought = [](const FileRef& file) { return file.purpose != "weights" && !file.hash.empty(); };
    const auto files = task::data_files(spec.data, spec.batch.labels);
    return std::ranges::none_of(task.files, is_brought) && std::ranges::none_of(files, [](const task::DataFile& file) {
               return file.path.starts_with(task::node_prefix);
           });
}

}  // namespace divisi::control::inline state
