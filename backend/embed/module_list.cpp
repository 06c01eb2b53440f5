// SPDX-License-Identifier: Apache-2.0
#include "backend/embed/module_list.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <charconv>

#include "backend/file/descriptor.h"
#include "backend/file/system_error.h"

namespace divisi::embed {
namespace {

/// A line has tabs between number, name, program and arguments.
constexpr char between = '\t';
constexpr std::size_t most_bytes = 1 << 20;

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
        if (error != std::errc() || *end != '\0') continue;
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
        text += std::to_string(module.number) + between + module.name + between + module.program;
        for (const std::string& argument : module.arguments) text += between + argument;
        text += '\n';
    }
    return text;
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

}  // namespace divisi::embed
