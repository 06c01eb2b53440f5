// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "backend/task/task_spec.h"

namespace divisi::panels {

/// Points to the value of a field in a spec; the type of the value determines the editor.
using Slot = std::variant<std::string*, std::int64_t*, std::uint64_t*, double*, bool*, std::vector<std::string>*,
                          std::map<std::string, std::string>*, std::map<std::string, std::int64_t>*>;

/// One row of the form, identified by its key in the task file.
struct TaskField {
    const char* key;      ///< key in the task file, such as "train.batch"
    const char* section;  ///< untranslated heading
    const char* label;    ///< untranslated
    const char* help;     ///< untranslated; the purpose of the field or a recommended value; field_help() adds the
                          ///< range
    Slot (*slot)(task::TaskSpec&);
    std::vector<const char*> choices;                   ///< for a string: a list to choose from instead of a line edit
    bool (*relevant)(const task::TaskSpec&) = nullptr;  ///< returns whether the field applies to the task; null: always
    bool is_path = false;
};

/// Returns the rows of all sections of the form: task, model (without the choice of a model), data, training, split and
/// faults.
const std::vector<TaskField>& task_fields();

}  // namespace divisi::panels
