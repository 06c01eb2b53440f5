// SPDX-License-Identifier: Apache-2.0
// divisi-node: the node agent, the draft's DPU. One per machine.
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "agents/node/blob_host.h"
#include "agents/node/driver.h"
#include "agents/node/machine.h"
#include "backend/base/hash.h"
#include "backend/base/version.h"
#include "backend/file/folder.h"
#include "backend/process/arguments.h"
#include "backend/process/lifeline.h"
#include "backend/task/cluster_file.h"

namespace {

using namespace divisi;

constexpr const char* usage =
    "usage: divisi-node --connect FILE --name MIC/NODE --data FOLDER [--listen ADDRESS] [--keys FILE]\n"
    "                   [--blob-gib N] [--blob-days N]\n"
    "FILE is what divisid wrote. On tcp, ADDRESS is this machine's as the other nodes reach it, and the node's\n"
    "public key, which it prints, must be allowed as an agent (cluster file, or divisictl keys add).\n"
    "Of files that no task needs any more, the node keeps those used in the last N days (30), up to N GiB (64).";

int fail(const Error& error) {
    std::cerr << "error: " << error.message() << std::endl;
    return 2;
}

/// Address for instances' data sockets: the node's own folder on ipc, the host of its endpoint on tcp.
Result<std::string> listen_address(const process::Arguments& arguments, bool ipc) {
    if (arguments.has("listen")) return arguments.get("listen");
    if (ipc) return arguments.get("runtime");
    return Error{ErrorCode::invalid_input, "a node on tcp needs the address on which its instances take data",
                 "--listen", "give --listen ADDRESS, an address of this machine that the other nodes reach"};
}

Result<node::DriverConfig> configure(const process::Arguments& arguments) {
    node::DriverConfig config;
    config.info = node::describe_machine();
    for (const char* needed : {"connect", "name", "data"})
        if (!arguments.has(needed))
            return Error{ErrorCode::invalid_input, std::string("--") + needed + " is missing", "divisi-node", usage};
    config.connection_file = process::absolute_path(arguments.get("connect"));
    DIVISI_ASSIGN(config.orchestrator, link::read_connection(config.connection_file));
    const std::string name = arguments.get("name");
    const auto slash = name.find('/');
    if (slash == std::string::npos || slash == 0 || slash + 1 == name.size())
        return Error{ErrorCode::invalid_input, "'" + name + "' is not MIC/NODE", "--name", "write e.g. mic-1/node-2"};
    config.info.id = NodeId(name);
    config.info.mic = MicId(name.substr(0, slash));
    config.data = process::absolute_path(arguments.get("data"));
    config.blobs = config.data / "blobs";
    DIVISI_TRY(file::make_writable(config.data, 1));
    const bool ipc = link::is_ipc(config.orchestrator.endpoint);
    if (!ipc) {
        config.keys = arguments.has("keys") ? std::filesystem::path(arguments.get("keys")) : config.data / "node.key";
        DIVISI_ASSIGN(config.security.keys, link::load_or_make_keys(config.keys));
    }
    DIVISI_ASSIGN(config.listen, listen_address(arguments, ipc));
    if (ipc) {
        if (config.listen.empty())
            config.listen = std::filesystem::path(config.orchestrator.endpoint.substr(6)).parent_path();
        DIVISI_TRY(link::make_private_folder(config.listen));
    }
    return config;
}

/// A number from 0, or what is wrong with it.
Result<double> amount(const process::Arguments& arguments, const std::string& name, double otherwise) {
    if (!arguments.has(name)) return otherwise;
    const std::string text = arguments.get(name);
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    constexpr double most = 1e6;  // a petabyte, three thousand years
    if (!text.empty() && *end == '\0' && value >= 0 && value <= most) return value;
    return Error{ErrorCode::invalid_input, "'" + text + "' is no number from 0 to 1000000", "--" + name, usage};
}

Result<store::BlobLimits> blob_limits(const process::Arguments& arguments) {
    store::BlobLimits limits;
    constexpr double gib = Bytes{1} << 30, day_s = 24 * 3600;
    DIVISI_ASSIGN(const double most, amount(arguments, "blob-gib", static_cast<double>(limits.most) / gib));
    DIVISI_ASSIGN(const double days, amount(arguments, "blob-days", to_ms(limits.age) / 1000 / day_s));
    limits.most = static_cast<Bytes>(most * gib);
    limits.age = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(days * day_s));
    return limits;
}

/// Clients bring data and models here, and fetch weights; the orchestrator tells them where.
Result<std::unique_ptr<node::BlobHost>> host_blobs(link::Context& context, node::DriverConfig& config,
                                                   const store::BlobLimits& limits) {
    std::string endpoint = "tcp://" + config.listen + ":0";
    if (link::is_ipc(config.orchestrator.endpoint)) {
        char name[24];
        std::snprintf(name, sizeof name, "b-%016llx", static_cast<unsigned long long>(fnv1a(config.info.id.value())));
        endpoint = "ipc://" + config.listen + "/" + name;
    } else {
        config.info.blob_key = config.security.keys->public_key;
    }
    DIVISI_ASSIGN(auto host, node::BlobHost::start(context, config.blobs, endpoint, config.security.keys, limits));
    config.info.blob_endpoint = host->endpoint();
    return host;
}

}  // namespace

int main(int argc, char** argv) {
    link::EventLoop loop;
    node::Driver* running = nullptr;
    process::on_stop([&](const char*) {
        loop.post([&] {
            if (running) running->terminate();
            else loop.stop();
        });
    });
    const auto arguments = process::Arguments::parse(
        argc, argv, {"connect", "name", "data", "listen", "runtime", "keys", "blob-gib", "blob-days"},
        {"version", "help"});
    if (!arguments) return fail(arguments.error());
    if (arguments->has("help") || arguments->has("version")) {
        std::cout << (arguments->has("help") ? usage : std::string("divisi-node ") + divisi::version) << std::endl;
        return 0;
    }
    auto config = configure(*arguments);
    if (!config) return fail(config.error());
    const auto limits = blob_limits(*arguments);
    if (!limits) return fail(limits.error());
    if (config->security.keys)
        std::cerr << "public key " << config->security.keys->public_key << "\n"
                  << "unless it is allowed already: divisictl keys add '" << config->security.keys->public_key
                  << "' --name " << config->info.id.value() << " --role agent --connect FILE" << std::endl;
    link::Context context;
    const auto blobs = host_blobs(context, *config, *limits);
    if (!blobs) return fail(blobs.error());
    node::Driver driver(loop, context, **blobs, std::move(*config));
    running = &driver;
    driver.start();
    loop.run();
    return driver.failure() ? fail(*driver.failure()) : 0;
}
