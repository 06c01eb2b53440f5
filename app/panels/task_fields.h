// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "backend/task/task_spec.h"

namespace divisi::panels {

/// Where a field's value lies in a spec; its type decides the editor.
using Slot = std::variant<std::string*, std::int64_t*, std::uint64_t*, double*, bool*, std::vector<std::string>*,
                          std::map<std::string, std::string>*, std::map<std::string, std::int64_t>*>;

/// One row of the form, named as the task file names it.
struct TaskField {
    const char* key;      ///< "train.batch"
    const char* section;  ///< untranslated heading
    const char* label;    ///< untranslated
    const char* help;     ///< untranslated; what it is for, or a good value: field_help() has it with the range
    Slot (*slot)(task::TaskSpec&);
    std::vector<const char*> choices;                   ///< of a string: a list instead of a line
    bool (*relevant)(const task::TaskSpec&) = nullptr;  ///< null: always
    bool is_path = false;
};

/// The rows of task, model (but for the choice of one), data, training, split and faults.
const std::vector<TaskField>& task_fields();

}  // namespace divisi::panels
