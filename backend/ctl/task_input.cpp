// SPDX-License-Identifier: Apache-2.0
#include "backend/ctl/task_input.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "backend/control/planned_placement.h"
#include "backend/embed/embedded_cluster.h"
#include "backend/process/processor.h"
#include "backend/store/profile_store.h"
#include "backend/task/parse.h"

namespace divisi::ctl {

namespace {

Result<std::string> read_text(const TaskFileOptions& options) {
    if (std::filesystem::is_directory(options.file))
        return Error{ErrorCode::invalid_input, "is a folder, not a task file", options.file, "name the file in it"};
    std::ifstream stream(options.file, std::ios::binary);
    if (!stream)
        return Error{ErrorCode::not_found, "cannot read the task file", options.file,
                     "check the path; samples lie in resources/tasks"};
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

}  // namespace

Result<task::TaskSpec> read_spec(const TaskFileOptions& options) {
    DIVISI_ASSIGN(const std::string text, read_text(options));
    return task::parse_task(text, options.file, options.settings);
}

Result<TaskInput> read_task(const TaskFileOptions& options, const task::CompileOptions& compile) {
    DIVISI_ASSIGN(const std::string text, read_text(options));
    DIVISI_ASSIGN(task::TaskSpec spec, task::parse_task(text, options.file, options.settings));
    auto input = submit::load_task(std::move(spec), std::filesystem::absolute(options.file).parent_path(), compile);
    if (input.ok()) return input;
    Error error = std::move(input).error();
    error.where = task::where_written(text, options.file, options.settings, error.where);
    return error;
}

task::PlacementOf local_devices(const task::PlaceSection& place) {
    const control::Device here{place.device, process::processor_model(), process::usable_cores(), 0};
    const std::string type = place.device == "cpu" ? here.type : place.device;
    plan::DeviceProfile profile = plan::default_profile(place.device, static_cast<double>(place.threads));
    const auto file = embed::default_data_folder() / store::profile_file;
    std::error_code ignored;  // a file that cannot be read means default rates, which the output says
    if (std::filesystem::exists(file, ignored))
        if (const auto opened = store::ProfileStore::open(file); opened.ok())
            if (auto known = (*opened)->complete(place.device, type, place.threads); known.ok())
                profile = std::move(*known);
    control::PlacementWish wish;
    wish.data_node = place.data;
    wish.device = place.device;
    wish.threads = static_cast<double>(place.threads);
    return [wish, here, shared = std::make_shared<const plan::DeviceProfile>(std::move(profile))](std::int32_t stages) {
        control::PlacementWish asked = wish;
        asked.stages = stages;
        return control::one_host(asked, here, [&](const control::Device&) { return shared; });
    };
}

}  // namespace divisi::ctl
