// SPDX-License-Identifier: Apache-2.0
// divisictl backup: copies all data that the orchestrator stores.
#include <cstdio>

#include "backend/base/units.h"
#include "backend/ctl/terminal/commands.h"
#include "backend/ctl/terminal/fields_json.h"
#include "backend/ctl/terminal/json_output.h"
#include "backend/ctl/terminal/terminal.h"
#include "backend/process/command_line.h"
#include "backend/store/backup.h"

namespace divisi::ctl {
namespace {

/// Time limit of a backup. Copying a log of the maximum size on a slow disk takes minutes.
constexpr Duration longest_backup = std::chrono::hours(1);

}  // namespace

int back_up(const Common& common, const std::string& folder) {
    auto session = open_session(common, control::Role::admin);
    if (!session) return print_error(session.error());
    const auto made =
        (*session)->ask<control::BackedUp>(control::BackUp{process::absolute_path(folder).string()}, longest_backup);
    if (!made) return print_error(made.error());
    if (common.json) print_json(fields_json(*made));
    else
        std::printf("%s contains the state after event %llu: %s, %s, in %.2g s; keep it as secret as the data folder\n",
                    made->folder.c_str(), static_cast<unsigned long long>(made->sequence),
                    counted(made->files, "file").c_str(), format_bytes(made->bytes).c_str(), made->seconds);
    return 0;
}

int verify_backup(const Common& common, const std::string& folder) {
    const auto found = store::verify_backup(process::absolute_path(folder));
    if (!found) return print_error(found.error());
    const auto files = static_cast<std::int64_t>(found->files.size());
    if (common.json)
        print_json({{"folder", folder},
                    {"version", found->version},
                    {"program", found->program},
                    {"time", to_ms(found->time.time_since_epoch()) / 1e3},
                    {"sequence", found->sequence},
                    {"files", files},
                    {"bytes", found->bytes()}});
    else
        std::printf("%s is complete: the state after event %llu, %s, %s, made %s by version %s\n", folder.c_str(),
                    static_cast<unsigned long long>(found->sequence), counted(files, "file").c_str(),
                    format_bytes(found->bytes()).c_str(), clock_time(found->time).c_str(), found->program.c_str());
    return 0;
}

}  // namespace divisi::ctl
