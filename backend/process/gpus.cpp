// SPDX-License-Identifier: Apache-2.0
#include "backend/process/gpus.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "backend/process/processor.h"

namespace divisi::process {
namespace {

constexpr std::string_view gpu_prefix = "cuda";

/// Parses the whole text as a non-negative number; returns -1 if it is none.
int number_of(std::string_view text) {
    int number = -1;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    return code == std::errc() && end == text.data() + text.size() && number >= 0 ? number : -1;
}

std::vector<Gpu> visible_of(const std::vector<Gpu>& all, const std::string& visible) {
    std::vector<Gpu> chosen;
    std::istringstream words(visible);
    for (std::string word; std::getline(words, word, ',');) {
        const int number = number_of(word);
        const auto found = number >= 0 ? all.begin() + std::min<std::ptrdiff_t>(number, std::ssize(all))
                                       : std::find_if(all.begin(), all.end(), [&](const Gpu& gpu) {
                                             return !word.empty() && gpu.uuid.starts_with(word);
                                         });
        if (found == all.end()) break;
        chosen.push_back(*found);
    }
    return chosen;
}

}  // namespace

std::vector<Gpu> list_gpus(const std::filesystem::path& folder, const char* visible) {
    std::error_code ignored;
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    std::vector<Gpu> gpus;
    for (const auto& path : found) {
        const std::string file = path / "information";
        Gpu gpu{proc_value(file.c_str(), "Model"), proc_value(file.c_str(), "GPU UUID")};
        if (!gpu.model.empty()) gpus.push_back(std::move(gpu));
    }
    return visible ? visible_of(gpus, visible) : gpus;
}

std::string device_type(std::string_view device, const std::vector<Gpu>& gpus) {
    if (device == "cpu") return processor_model();
    if (!device.starts_with(gpu_prefix)) return std::string(device);
    const std::string_view rest = device.substr(gpu_prefix.size());
    const int number = rest.empty() ? 0 : rest.front() == ':' ? number_of(rest.substr(1)) : -1;
    return number >= 0 && number < std::ssize(gpus) ? gpus[static_cast<std::size_t>(number)].model
                                                    : std::string(device);
}

}  // namespace divisi::process
