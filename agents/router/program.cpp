// SPDX-License-Identifier: Apache-2.0
#include "agents/router/program.h"

#include <CLI/CLI.hpp>
#include <iostream>

#include "agents/router/device.h"
#include "agents/router/steering_guard.h"
#include "agents/router/steering_text.h"
#include "backend/base/hash.h"
#include "backend/base/quantity.h"
#include "backend/base/version.h"
#include "backend/control/types/policy_settings.h"
#include "backend/file/folder.h"
#include "backend/metrics/metrics_server.h"
#include "backend/process/command_line.h"
#include "backend/process/lifeline.h"
#include "backend/process/open_files.h"

namespace divisi::router {
namespace {

constexpr const char* default_srv6_folder = "/run/divisi";

struct Options {
    std::string connect, name, mic, listen, runtime, keys, metrics;
    std::vector<std::string> neighbours;
    double buffer_mib = 256, window_mib = 8, cache_mib = 64;
    mesh::AdmissionConfig admission;
    double policy_s = 600, deadline_s = 2;
    std::string mic_rate, task_rate;
    bool srv6 = false;
};

void describe_gateway(CLI::App& app, Options& options) {
    app.add_option("--mic", options.mic, "the MIC whose gateway it is")->required();
    app.add_option("--policy-validity", options.policy_s,
                   "seconds for which it admits by its policy while the orchestrator is away; then nothing")
        ->check(CLI::Range(1.0, 86'400.0))
        ->capture_default_str();
    app.add_option("--set-up-deadline", options.deadline_s, "seconds until a set-up that nobody serves is answered")
        ->check(CLI::Range(0.1, 60.0))
        ->capture_default_str();
    app.add_option("--task-rate", options.task_rate,
                   "what the instances of one task may send, such as 200MB/s (default: no limit)");
    app.add_option("--mic-rate", options.mic_rate, "likewise all instances of the MIC together");
    const auto rate = [&](const char* name, double& value, const char* help) {
        app.add_option(name, value, help)->check(CLI::Range(0.0, 1e6))->capture_default_str();
    };
    rate("--task-set-ups", options.admission.task_set_ups_per_s,
         "flows that one task may set up in a second, and four times as many at once; 0: no limit");
    rate("--mic-set-ups", options.admission.mic_set_ups_per_s, "likewise of all tasks together");
    rate("--retries", options.admission.retries_per_s,
         "refused set-ups that may be tried again in a second, beside one for each five that were admitted; 0: no "
         "limit");
}

void describe_router(CLI::App& app, Options& options) {
    app.add_option("--cache", options.cache_mib,
                   "MiB of results of batches that it keeps for those who would compute the same again; 0: none")
        ->check(CLI::Range(0.0, 1e6))
        ->capture_default_str();
}

void describe(CLI::App& app, mesh::DeviceRole role, Options& options) {
    app.set_version_flag("--version", app.get_name() + " " + divisi::version);
    app.add_option("--connect", options.connect, "the connection file that divisid wrote")->required();
    app.add_option("--name", options.name, "a name of its own, such as mg-1 or sr-1")->required();
    if (role == mesh::DeviceRole::gateway) describe_gateway(app, options);
    else describe_router(app, options);
    app.add_option("--neighbours", options.neighbours, "names of the gateways and routers with which it has a link")
        ->delimiter(',');
    app.add_option("--listen", options.listen,
                   "on tcp: ADDRESS:PORT as neighbours and instances reach it; takes the next port too");
    app.add_option(
        "--runtime", options.runtime,
        "on ipc: folder of the sockets (default: the orchestrator's); with --srv6: of what the next start has "
        "to put back after a kill (default: /run/divisi)");
    app.add_option("--keys", options.keys, "on tcp: its key file, made at the first start");
    app.add_option("--buffer-mib", options.buffer_mib, "MiB of chunks that it promises to neighbours at most")
        ->check(CLI::Range(1.0, 1e6))
        ->capture_default_str();
    app.add_option("--window-mib", options.window_mib,
                   "MiB that one flow is promised on its path, more where measured links need it")
        ->check(CLI::Range(1.0, 1024.0))
        ->capture_default_str();
    app.add_option("--metrics", options.metrics, metrics::option_help);
    app.add_flag(
        "--srv6", options.srv6,
        role == mesh::DeviceRole::gateway
            ? "let the kernels carry what goes to neighbouring gateways, through the hosts of the chosen "
              "path's routers (SRv6); needs CAP_NET_ADMIN and IPv6 addresses"
            : "let this host's kernel carry what gateways with --srv6 send through it; needs CAP_NET_ADMIN and IPv6 "
              "forwarding");
    app.footer(
        "On tcp its public key, which it prints, must be allowed as an agent: in the cluster file, or by\n"
        "divisictl keys add.");
}

/// Parses a rate in bytes/s; 0 for an empty text, which means no limit.
Result<double> rate_of(const std::string& text, const char* option) {
    if (text.empty()) return 0.0;
    auto rate = parse_quantity(text, bandwidth_units);
    if (rate && *rate < static_cast<double>(control::least_rate))
        return Error{ErrorCode::invalid_input, "less than 1 MB/s would not carry a tensor in time", option,
                     "give a higher rate, or none"};
    if (!rate) return Error{rate.error().code, rate.error().what, option, "give a rate such as 200MB/s"};
    return *rate;
}

Result<DeviceConfig> configure(mesh::DeviceRole role, const Options& options) {
    DeviceConfig config;
    config.info.name = options.name;
    config.info.role = role;
    config.info.mic = MicId(options.mic);
    config.info.neighbours = options.neighbours;
    config.info.buffer = static_cast<Bytes>(options.buffer_mib * (1 << 20));
    config.window = static_cast<Bytes>(options.window_mib * (1 << 20));
    if (role == mesh::DeviceRole::router) config.cache = static_cast<Bytes>(options.cache_mib * (1 << 20));
    config.admission = options.admission;
    config.admission.policy_validity = std::chrono::round<Duration>(std::chrono::duration<double>(options.policy_s));
    config.admission.deadline = std::chrono::round<Duration>(std::chrono::duration<double>(options.deadline_s));
    DIVISI_ASSIGN(config.rates.mic_bytes_per_s, rate_of(options.mic_rate, "--mic-rate"));
    DIVISI_ASSIGN(config.rates.task_bytes_per_s, rate_of(options.task_rate, "--task-rate"));
    config.info.mic_bytes_per_s = config.rates.mic_bytes_per_s;
    config.info.task_bytes_per_s = config.rates.task_bytes_per_s;
    config.srv6 = options.srv6;
    config.srv6_folder =
        options.runtime.empty() ? default_srv6_folder : process::absolute_path(options.runtime).string();
    config.connection_file = process::absolute_path(options.connect);
    DIVISI_ASSIGN(config.orchestrator, link::read_connection(config.connection_file));
    const bool ipc = link::is_ipc(config.orchestrator.endpoint);
    if (options.srv6 && (ipc || !reachable_ipv6("tcp://" + options.listen)))
        return Error{ErrorCode::invalid_input, "it needs an IPv6 address of this host that the others reach", "--srv6",
                     ipc ? "come to the orchestrator by tcp, from a host of its own"
                         : "give --listen [ADDRESS]:PORT, no IPv4, loopback or link-local address"};
    if (ipc) {
        const std::string folder = options.runtime.empty()
                                       ? std::filesystem::path(config.orchestrator.endpoint.substr(6)).parent_path()
                                       : std::filesystem::path(options.runtime);
        DIVISI_TRY(link::make_private_folder(folder));
        char name[20];
        std::snprintf(name, sizeof name, "m-%016llx", static_cast<unsigned long long>(fnv1a(options.name)));
        config.listen = "ipc://" + folder + "/" + name;
        return config;
    }
    if (options.listen.empty() || options.keys.empty())
        return Error{ErrorCode::invalid_input, "on tcp it needs the address on which it takes data, and its key file",
                     options.name, "give --listen ADDRESS:PORT and --keys FILE"};
    DIVISI_ASSIGN(config.security.keys, link::load_or_make_keys(options.keys));
    config.listen = "tcp://" + options.listen;
    return config;
}

int fail(const Error& error) {
    std::cerr << "error: " << error.message() << std::endl;
    return 2;
}

}  // namespace

int run(mesh::DeviceRole role, int argc, char** argv) {
    if (argc == 3 && argv[1] == std::string_view(guard_argument)) return guard(role, argv[2]);
    process::allow_open_files();
    link::EventLoop loop;
    Device* running = nullptr;
    process::on_stop([&](const char*) {
        loop.post([&] {
            if (running) running->terminate();
            else loop.stop();
        });
    });
    Options options;
    const bool gateway = role == mesh::DeviceRole::gateway;
    CLI::App app(gateway ? "The microservice gateway (MG) of one MIC: entry and exit of what its instances exchange "
                           "with other MICs"
                         : "A service router (SR): forwards tensors between gateways by credit",
                 gateway ? "divisi-gateway" : "divisi-router");
    describe(app, role, options);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    auto config = configure(role, options);
    if (!config) return fail(config.error());
    if (config->security.keys)
        std::cerr << "public key " << config->security.keys->public_key << "\n"
                  << "unless it is allowed already: divisictl keys add '" << config->security.keys->public_key
                  << "' --name " << options.name << " --role agent --connect FILE" << std::endl;
    link::Context context;
    metrics::Board board;
    const auto served = metrics::serve(board, options.metrics);
    if (!served) return fail(served.error());
    Device device(loop, context, std::move(*config));
    if (*served) {
        std::cout << "metrics are at " << (*served)->url() << std::endl;
        device.show_on(board);
    }
    if (auto started = device.start(); !started) return fail(started.error());
    running = &device;
    loop.run();
    if (device.failure()) return fail(*device.failure());
    return device.dismissed() ? process::exit_dismissed : 0;
}

}  // namespace divisi::router
