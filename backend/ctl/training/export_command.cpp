// SPDX-License-Identifier: Apache-2.0
// divisictl model export: writes a trained model as ONNX, with weights fetched from the nodes that hold them.
#include <cstdio>

#include "backend/control/types/json_lines.h"
#include "backend/ctl/terminal/commands.h"
#include "backend/ctl/terminal/terminal.h"
#include "backend/ctl/training/task_output.h"

namespace divisi::ctl {

int model_export(const Common& common, const std::string& task, const std::string& output) {
    // A key that may train models may also export them.
    auto session = open_session(common, control::Role::operate);
    if (!session) return print_error(session.error());
    if (auto done = export_trained(**session, task, output); !done) return print_error(done.error());
    if (common.json) std::printf("{\"file\":%s}\n", control::quoted(output).c_str());
    else std::printf("wrote %s\n", output.c_str());
    return 0;
}

}  // namespace divisi::ctl
