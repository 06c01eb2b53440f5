// SPDX-License-Identifier: Apache-2.0
#include "agents/router/program.h"

#include <CLI/CLI.hpp>

#include "agents/launch/program.h"
#include "agents/router/device.h"
#include "agents/router/steering_guard.h"
#include "agents/router/steering_text.h"
#include "backend/base/hash.h"
#include "backend/base/quantity.h"
#include "backend/control/types/policy_settings.h"
#include "backend/file/folder.h"
#include "backend/metrics/metrics_server.h"
#include "backend/process/command_line.h"
#include "backend/process/open_files.h"

namespace divisi::router {
namespace {

constexpr const char* default_srv6_folder = "/run/divisi";

/// Options of a device besides launch::Options.
struct DeviceOptions {
    std::string mic, listen, runtime;
    std::vector<std::string> neighbours;
    double buffer_mib = 256, window_mib = 8, cache_mib = 64;
    mesh::AdmissionConfig admission;
    double policy_s = 600, deadline_s = 2;
    std::string mic_rate, task_rate;
    bool srv6 = false;
};

void describe_gateway(CLI::App& app, DeviceOptions& options) {
    app.add_option("--mic", options.mic, "MIC of the gateway")->required();
    app.add_option("--policy-validity", options.policy_s,
                   "number of seconds for which the policy stays valid while the orchestrator is away")
        ->check(CLI::Range(1.0, 86'400.0))
        ->capture_default_str();
    app.add_option("--set-up-deadline", options.deadline_s,
                   "seconds after which a set-up is refused if no instance serves its SID")
        ->check(CLI::Range(0.1, 60.0))
        ->capture_default_str();
    app.add_option("--task-rate", options.task_rate,
                   "rate at which the instances of one task may send, such as 200MB/s (default: no limit)");
    app.add_option("--mic-rate", options.mic_rate,
                   "rate at which all instances of the MIC together may send (default: no limit)");
    const auto rate = [&](const char* name, double& value, const char* help) {
        app.add_option(name, value, help)->check(CLI::Range(0.0, 1e6))->capture_default_str();
    };
    rate("--task-set-ups", options.admission.task_set_ups_per_s,
         "number of flows that one task may set up per second, with bursts of four times as many; 0: no limit");
    rate("--mic-set-ups", options.admission.mic_set_ups_per_s, "the same limit for all tasks of the MIC together");
    rate("--retries", options.admission.retries_per_s,
         "number of refused set-ups that may be repeated per second, in addition to one per five admitted set-ups; 0: "
         "no limit");
}

void describe_router(CLI::App& app, DeviceOptions& options) {
    app.add_option("--cache", options.cache_mib,
                   "MiB of batch results that the router caches, so that instances need not recompute them; 0: none")
        ->check(CLI::Range(0.0, 1e6))
        ->capture_default_str();
}

void describe(CLI::App& app, mesh::DeviceRole role, launch::Options& common, DeviceOptions& options) {
    if (role == mesh::DeviceRole::gateway) describe_gateway(app, options);
    else describe_router(app, options);
    app.add_option("--neighbours", options.neighbours,
                   "names of the gateways and routers with a link to this device, separated by commas")
        ->delimiter(',');
    app.add_option("--listen", options.listen,
                   "on tcp: ADDRESS:PORT at which neighbours and instances connect; the next port is used too");
    app.add_option("--runtime", options.runtime,
                   "on ipc: folder of the sockets (default: the orchestrator's); with --srv6: folder of the network "
                   "settings that the next start restores after a kill (default: /run/divisi)");
    app.add_option("--keys", common.keys, "on tcp: key file, made at the first start");
    app.add_option("--buffer-mib", options.buffer_mib, "maximum MiB of chunks promised to all neighbours together")
        ->check(CLI::Range(1.0, 1e6))
        ->capture_default_str();
    app.add_option("--window-mib", options.window_mib,
                   "MiB promised to each flow on its path; more if the measured links need it")
        ->check(CLI::Range(1.0, 1024.0))
        ->capture_default_str();
    app.add_option("--metrics", common.metrics, metrics::option_help);
    app.add_flag("--srv6", options.srv6,
                 role == mesh::DeviceRole::gateway
                     ? "let the kernels forward the data for neighbouring gateways, through the hosts of the routers "
                       "on the chosen path (SRv6); needs CAP_NET_ADMIN and IPv6 addresses"
                     : "let this host's kernel forward the data that gateways with --srv6 send through it; needs "
                       "CAP_NET_ADMIN and IPv6 forwarding");
}

/// Parses a rate in bytes/s; 0 for an empty text, which means no limit.
Result<double> rate_of(const std::string& text, const char* option) {
    if (text.empty()) return 0.0;
    auto rate = parse_quantity(text, bandwidth_units);
    if (rate && *rate < static_cast<double>(control::least_rate))
        return Error{ErrorCode::invalid_input, "a rate below 1 MB/s is too low to send a tensor in time", option,
                     "give a higher rate, or none"};
    if (!rate) return Error{rate.error().code, rate.error().what, option, "give a rate such as 200MB/s"};
    return *rate;
}

Result<DeviceConfig> make_config(mesh::DeviceRole role, const launch::Options& common, const DeviceOptions& options) {
    DeviceConfig config;
    config.info.name = common.name;
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
    DIVISI_ASSIGN(config.uplink, link::read_uplink(process::absolute_path(common.connect)));
    const bool ipc = link::is_ipc(config.uplink.orchestrator.endpoint);
    if (options.srv6 && (ipc || !reachable_ipv6("tcp://" + options.listen)))
        return Error{ErrorCode::invalid_input, "it needs an IPv6 address of this host that others can reach", "--srv6",
                     ipc ? "connect to the orchestrator over tcp, from a separate host"
                         : "give --listen [ADDRESS]:PORT, no IPv4, loopback or link-local address"};
    if (ipc) {
        const std::string folder =
            options.runtime.empty() ? std::filesystem::path(config.uplink.orchestrator.endpoint.substr(6)).parent_path()
                                    : std::filesystem::path(options.runtime);
        DIVISI_TRY(link::make_private_folder(folder));
        char name[20];
        std::snprintf(name, sizeof name, "m-%016llx", static_cast<unsigned long long>(fnv1a(common.name)));
        config.listen = "ipc://" + folder + "/" + name;
        return config;
    }
    if (options.listen.empty() || common.keys.empty())
        return Error{ErrorCode::invalid_input, "on tcp it needs an address for receiving data, and its key file",
                     common.name, "give --listen ADDRESS:PORT and --keys FILE"};
    DIVISI_ASSIGN(config.uplink.security.keys, link::load_or_make_keys(common.keys));
    config.listen = "tcp://" + options.listen;
    return config;
}

class DeviceProgram final : public launch::Program {
public:
    explicit DeviceProgram(mesh::DeviceRole role) : role_(role) {}

    void add_options(CLI::App& app, launch::Options& options) override { describe(app, role_, options, options_); }

    Result<link::SocketSecurity> configure(const launch::Options& options) override {
        DIVISI_ASSIGN(config_, make_config(role_, options, options_));
        return config_.uplink.security;
    }

    Result<std::unique_ptr<launch::Agent>> make_agent(link::EventLoop& loop, link::Context& context) override {
        return std::unique_ptr<launch::Agent>(std::make_unique<Device>(loop, context, std::move(config_)));
    }

private:
    mesh::DeviceRole role_;
    DeviceOptions options_;
    DeviceConfig config_;
};

}  // namespace

int run(mesh::DeviceRole role, int argc, char** argv) {
    if (argc == 3 && argv[1] == std::string_view(guard_argument)) return guard(role, argv[2]);
    process::allow_open_files();
    const bool gateway = role == mesh::DeviceRole::gateway;
    launch::Texts texts;
    texts.program = gateway ? "divisi-gateway" : "divisi-router";
    texts.help = gateway ? "The microservice gateway (MG) of one MIC: entry and exit of all data of its instances "
                           "to and from other MICs"
                         : "A service router (SR): forwards tensors between gateways by credit";
    texts.name_help = "unique name, such as mg-1 or sr-1";
    DeviceProgram program(role);
    return launch::run(texts, program, argc, argv);
}

}  // namespace divisi::router
