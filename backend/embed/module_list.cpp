// SPDX-License-Identifier: Apache-2.0
#include "backend/embed/module_list.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "backend/file/descriptor.h"
#include "backend/file/system_error.h"
#include "backend/process/child.h"
#include "backend/process/command_line.h"

namespace divisi::embed {
namespace {

/// Tabs separate number, name, program and arguments of a line. The number and a known version are "NUMBER:VERSION".
constexpr char between = '\t', before_version = ':';
constexpr std::size_t most_bytes = 1 << 20;
constexpr std::string_view program_prefix = "divisi-module-";

std::filesystem::path list_of(const std::filesystem::path& data) { return data / "modules.list"; }

std::string read_all(int fd) {
    std::string text(most_bytes, '\0');
    std::size_t size = 0;
    while (size < text.size()) {
        const ssize_t got = ::pread(fd, text.data() + size, text.size() - size, static_cast<off_t>(size));
        if (got <= 0) break;
        size += static_cast<std::size_t>(got);
    }
    text.resize(size);
    return text;
}

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(at, begin), text.size());
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

std::vector<ListedModule> parse(const std::string& text) {
    std::vector<ListedModule> modules;
    for (const std::string& line : split(text, '\n')) {
        const std::vector<std::string> words = split(line, between);
        if (words.size() < 3) continue;
        ListedModule module;
        const auto [end, error] = std::from_chars(words[0].data(), words[0].data() + words[0].size(), module.number);
        if (error != std::errc() || (*end != '\0' && *end != before_version)) continue;
        if (*end == before_version) module.version = end + 1;
        module.name = words[1];
        module.program = words[2];
        module.arguments.assign(words.begin() + 3, words.end());
        modules.push_back(std::move(module));
    }
    return modules;
}

std::string print(const std::vector<ListedModule>& modules) {
    std::string text;
    for (const ListedModule& module : modules) {
        text += std::to_string(module.number) + (module.version.empty() ? "" : before_version + module.version);
        text += between + module.name + between + module.program;
        for (const std::string& argument : module.arguments) text += between + argument;
        text += '\n';
    }
    return text;
}

/// Checks that the line for the module can be written and read back unchanged.
Result<void> check_words(const ListedModule& module) {
    std::vector<std::string> words = module.arguments;
    words.insert(words.end(), {module.name, module.version});
    const bool plain = std::ranges::none_of(
        words, [](const std::string& word) { return word.find_first_of("\t\n") != std::string::npos; });
    if (plain && !module.name.empty()) return {};
    return Error{ErrorCode::invalid_input, "a name or an argument is empty or has a tab or a new line", module.name,
                 "write it without these characters"};
}

}  // namespace

std::vector<ListedModule> listed_modules(const std::filesystem::path& data) {
    const file::Descriptor list(::open(list_of(data).c_str(), O_RDONLY | O_CLOEXEC));
    if (!list.is_open() || ::flock(list.get(), LOCK_SH) != 0) return {};
    return parse(read_all(list.get()));
}

Result<void> change_modules(const std::filesystem::path& data,
                            const std::function<void(std::vector<ListedModule>&)>& change) {
    const file::Descriptor list(::open(list_of(data).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!list.is_open() || ::flock(list.get(), LOCK_EX) != 0)
        return file::system_error("write the list of modules", list_of(data));
    std::vector<ListedModule> modules = parse(read_all(list.get()));
    change(modules);
    const std::string text = print(modules);
    const bool written = ::ftruncate(list.get(), 0) == 0 &&
                         ::pwrite(list.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
    if (!written) return file::system_error("write the list of modules", list_of(data));
    return {};
}

Result<std::uint64_t> list_module(const std::filesystem::path& data, ListedModule module) {
    DIVISI_TRY(check_words(module));
    std::uint64_t number = 0;
    DIVISI_TRY(change_modules(data, [&](std::vector<ListedModule>& modules) {
        for (const ListedModule& one : modules) number = std::max(number, one.number);
        module.number = ++number;
        modules.push_back(std::move(module));
    }));
    return number;
}

Result<void> note_version(const std::filesystem::path& data, std::uint64_t number, const std::string& version) {
    DIVISI_TRY(check_words({number, "module", "", {}, version}));
    return change_modules(data, [&](std::vector<ListedModule>& modules) {
        for (ListedModule& one : modules)
            if (one.number == number) one.version = version;
    });
}

Result<std::size_t> unlist_modules(const std::filesystem::path& data,
                                   const std::function<bool(const ListedModule&)>& unwanted) {
    std::size_t count = 0;
    DIVISI_TRY(
        change_modules(data, [&](std::vector<ListedModule>& modules) { count = std::erase_if(modules, unwanted); }));
    return count;
}

Result<std::size_t> unlist_stopped(const std::filesystem::path& data, const std::string& name,
                                   const std::string& version) {
    return unlist_modules(
        data, [&](const ListedModule& one) { return one.name == name && (version.empty() || one.version == version); });
}

std::vector<std::string> known_modules() {
    std::vector<std::string> names;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(process::program_folder(), none)) {
        const std::string file = entry.path().filename().string();
        if (file.starts_with(program_prefix) && ::access(entry.path().c_str(), X_OK) == 0)
            names.push_back(file.substr(program_prefix.size()));
    }
    std::ranges::sort(names);
    return names;
}

Result<std::string> module_program(const std::string& name, const std::string& program) {
    const std::string file = program.empty() ? std::string(program_prefix) + name : program;
    const std::string path = file.find('/') == std::string::npos ? (process::program_folder() / file).string()
                                                                 : process::absolute_path(file).string();
    if (::access(path.c_str(), X_OK) == 0) return path;
    return Error{ErrorCode::not_found, "there is no such program", path,
                 "the included modules are link-trend and compute-routing; --program FILE names another"};
}

}  // namespace divisi::embed
