// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backend/control/protocol/policy_messages.h"
#include "backend/ctl/terminal/commands.h"

namespace CLI {
class App;
}

namespace divisi::ctl {

/// Values parsed from the command line; the chosen command sets `action`.
struct CommandLine {
    Common common;
    TaskFileOptions task_file;
    ProfileOptions profile;
    ReserveOptions reserve;
    std::uint64_t number = 0;
    std::string wanted;
    std::string name, output, prefix, receipt_key;
    std::vector<std::string> settings;
    LogOptions logs;
    control::KeyChanged key;
    std::string role = "viewer";
    std::string device = "cpu";
    int timeout_s = 30, threads = 1, seconds = 0;
    std::int64_t rows = 10, step = 0;
    std::optional<int> wait_s;
    SignalFilter signals;
    control::QueryRequests requests;
    control::Recut recut;
    control::DrainNode drain;
    StoreOptions store;
    StoreExportOptions store_export;
    std::string a, b, rate, delay, pause = "10s";  ///< used by `fault`
    HostOptions host;
    bool text = false, again = false, operators = false, watch = false, mesh = false, follow = false, part = false,
         standing = false;
    std::function<int()> action;
};

/// Adds all commands to `app`, grouped by purpose. Parsing then fills `line`, which must outlive `app`.
void add_commands(CLI::App& app, CommandLine& line);

}  // namespace divisi::ctl
