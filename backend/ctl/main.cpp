// SPDX-License-Identifier: Apache-2.0
// divisictl: the orchestrator's functions from a terminal.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "backend/base/version.h"
#include "backend/ctl/options/command_line.h"
#include "backend/ctl/terminal/terminal.h"
#include "backend/task/suggest.h"

namespace {

using namespace divisi;
using namespace divisi::ctl;

/// Returns the command line in the form that CLI11 expects: its words from last to first. One public key in 85 begins
/// with '-', and CLI11 would read such a key as an option. This function places the key after "--", where it counts as
/// an argument.
std::vector<std::string> words_for_parsing(int argc, char** argv) {
    std::vector<std::string> words, keys;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        constexpr std::array with_values{"--connect=", "--keys=", "--name=", "--role="};
        const bool key = i > 2 && std::string_view(argv[1]) == "keys" && word.size() == 40 && word[0] == '-' &&
                         std::none_of(with_values.begin(), with_values.end(),
                                      [&](const char* option) { return word.starts_with(option); });
        (key ? keys : words).push_back(word);
    }
    if (!keys.empty()) words.emplace_back("--");
    words.insert(words.end(), keys.begin(), keys.end());
    std::reverse(words.begin(), words.end());
    return words;
}

/// Returns an error if the word at the position of a command is unknown. CLI11 would only report that a command is
/// required.
std::optional<Error> unknown_command(const CLI::App& app, int argc, char** argv) {
    const CLI::App* parent = &app;
    for (int i = 1; i < argc && argv[i][0] != '-' && parent->get_require_subcommand_min() > 0; ++i) {
        const auto commands = parent->get_subcommands([](const CLI::App*) { return true; });
        const auto found = std::find_if(commands.begin(), commands.end(),
                                        [&](const CLI::App* command) { return command->get_name() == argv[i]; });
        if (found == commands.end()) {
            std::vector<std::string> known;
            for (const CLI::App* command : commands)
                if (!command->get_group().empty()) known.push_back(command->get_name());
            return Error{ErrorCode::invalid_input, "unknown command '" + std::string(argv[i]) + "'", parent->get_name(),
                         task::suggest(argv[i], known)};
        }
        parent = *found;
    }
    return std::nullopt;
}

/// Returns whether the command line contains --json. Called before the line is parsed, to report errors of the line
/// itself in this form.
bool asks_for_json(int argc, char** argv) {
    return std::any_of(argv + 1, argv + argc, [](const char* word) { return std::string_view(word) == "--json"; });
}

}  // namespace

int main(int argc, char** argv) {
    CommandLine line;
    CLI::App app("Divisi: split the training of a model over many machines", "divisictl");
    app.set_help_flag("-h,--help", "print this help");
    app.set_version_flag("--version", std::string("divisictl ") + version, "print the version");
    app.footer(
        "Exit status: 0 success; 1 failure, also of the task; 2 wrong command, file or name; 3 the task was stopped;\n"
        "130 interrupted; 141 the reader of the output has ended.\n"
        "Keys, states and measured prices are in ~/.local/share/divisi, or in the folder that DIVISI_DATA names.");
    app.require_subcommand(1);
    add_commands(app, line);
    const bool json = asks_for_json(argc, argv);
    print_errors_as_json(json);
    if (const auto unknown = unknown_command(app, argc, argv)) return print_error(*unknown);
    try {
        app.parse(words_for_parsing(argc, argv));
    } catch (const CLI::ParseError& error) {
        if (json && error.get_exit_code() != 0)
            return print_error(
                {ErrorCode::invalid_input, error.what(), "command line", "add --help to see its options"});
        return app.exit(error) == 0 ? 0 : 2;
    }
    print_errors_as_json(line.common.json);
    return line.action ? finish_output(line.action()) : 2;
}
