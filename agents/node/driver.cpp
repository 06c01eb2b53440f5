// SPDX-License-Identifier: Apache-2.0
#include "agents/node/driver.h"

#include <signal.h>

#include <algorithm>
#include <cstdio>

#include "agents/node/machine.h"
#include "backend/base/hash.h"
#include "backend/base/version.h"
#include "backend/file/folder.h"
#include "backend/process/processor.h"

namespace divisi::node {
namespace {

constexpr Duration answer_deadline = std::chrono::seconds(10);

/// GPU time and energy stay absent: no device here tells them of one process.
control::Usage usage(const process::ProcessUsage& used) {
    control::Usage usage;
    usage.cpu_ms = used.cpu_ms;
    usage.peak_memory = used.peak_bytes;
    return usage;
}

/// Task and unit names become file names; a path separator must not.
std::string file_name(const InstanceId& instance) {
    std::string name = instance.value();
    std::replace(name.begin(), name.end(), '/', '.');
    return name;
}

}  // namespace

Driver::Driver(link::EventLoop& loop, link::Context& context, BlobHost& blobs, DriverConfig config)
    : loop_(loop),
      config_(std::move(config)),
      agent_(config_.info),
      context_(context),
      transport_(context, loop, config_.security.keys),
      orchestrator_(loop, transport_, config_.orchestrator, {"divisi-node", divisi::version, control::Role::agent, ""},
                    answer_deadline),
      prober_(loop, transport_, context.access_list(),
              {config_.info.id.value(), config_.listen, link::is_ipc(config_.orchestrator.endpoint)},
              [this](const control::Message& message) { orchestrator_.send(0, message); }),
      keeper_(
          loop_, blobs, config_.info.id,
          [this](const control::Message& message, BlobKeeper::Reply reply) {
              orchestrator_.request(message, std::move(reply));
          },
          [this](const control::Message& message) { orchestrator_.send(0, message); }) {}

void Driver::start() {
    orchestrator_.start(events());
    loop_.every(collection_interval, [this] {
        if (orchestrator_.up()) keeper_.collect();
    });
    loop_.every(control::heartbeat_interval, [this] {
        reap();
        const MachineLoad load = measure_machine();
        feed(control::node::Load{load.load, load.memory_free, usages()});
    });
}

void Driver::terminate() { feed(control::node::Terminate{}); }

link::AgentLink::Events Driver::events() {
    link::AgentLink::Events events;
    events.up = [this] {
        tell("connected to the orchestrator at " + config_.orchestrator.endpoint);
        loop_.after(first_collection, [this] { keeper_.collect(); });
        feed(control::node::Connected{});
    };
    events.down = [this] {
        prober_.stop();
        feed(control::node::Disconnected{});
    };
    events.message = [this](std::uint64_t correlation, const control::Message& message) {
        if (!take(message)) feed(control::node::FromOrchestrator{correlation, message});
    };
    events.waiting = [this](const std::string& why) {
        tell("the orchestrator cannot be reached: " + why);
        // A restarted orchestrator may listen elsewhere.
        if (auto connection = link::read_connection(config_.connection_file); connection)
            orchestrator_.retarget(*connection);
    };
    return events;
}

/// Each trouble once, however often it is met: whoever started this agent sees it here, and nowhere else.
void Driver::tell(const std::string& trouble) {
    if (std::exchange(told_, trouble) == trouble) return;
    std::fprintf(stderr, "divisi-node %s: %s\n", config_.info.id.value().c_str(), trouble.c_str());
}

void Driver::feed(const control::node::Input& input) {
    const control::node::Output output = agent_.step(input, loop_.clock().now());
    for (const auto& one : output.sends) orchestrator_.send(one.correlation, one.message);
    for (const auto& one : output.spawns) spawn(one.what);
    for (const auto& one : output.signals) {
        const auto child = children_.find(one.instance);
        if (child != children_.end()) child->second.send_signal(one.force ? SIGKILL : SIGTERM);
    }
    if (output.told) tell("not registered: " + output.told->message());
    if (output.failed) failure_ = output.failed;
    if (output.exit) loop_.stop();
}

void Driver::spawn(const control::StartInstance& what) {
    const std::string name = file_name(what.instance);
    const std::string threads = std::to_string(what.threads);
    process::ChildSpec spec;
    spec.program = process::program_folder() / "divisi-instance";
    spec.arguments = {"serve",
                      "--connect",
                      config_.connection_file.string(),
                      "--instance",
                      what.instance.value(),
                      "--sid",
                      what.sid.value(),
                      "--listen",
                      config_.listen,
                      "--data",
                      (config_.data / "instances" / name).string(),
                      "--blobs",
                      config_.blobs.string(),
                      "--fingerprint",
                      config_.info.fingerprint};
    if (!config_.keys.empty()) {
        spec.arguments.push_back("--keys");
        spec.arguments.push_back(config_.keys.string());
    }
    // at::set_num_threads does not reach OpenBLAS; the environment does, before the process starts.
    spec.environment = {{"OPENBLAS_NUM_THREADS", threads}, {"OMP_NUM_THREADS", threads}};
    if (const std::string kernels = process::blas_kernels(); !kernels.empty())
        spec.environment.emplace_back("OPENBLAS_CORETYPE", kernels);
    std::error_code ignored;
    std::filesystem::create_directories(config_.data / "logs", ignored);
    std::filesystem::create_directories(config_.data / "instances" / name, ignored);
    spec.log = config_.data / "logs" / (name + ".log");
    auto child = process::Child::start(spec);
    if (!child) {
        loop_.post([this, instance = what.instance, error = child.error()] {
            feed(control::node::SpawnFailed{instance, error});
        });
        return;
    }
    const pid_t pid = child->pid();
    if (child->exit_fd() >= 0) loop_.watch_fd(child->exit_fd(), [this] { reap(); });
    children_.insert_or_assign(what.instance, std::move(*child));
    loop_.post([this, instance = what.instance, pid] { feed(control::node::Spawned{instance, pid}); });
}

/// What concerns sockets and keys only, and no instance.
bool Driver::take(const control::Message& message) {
    if (const auto* list = std::get_if<control::AccessKeys>(&message)) follow(*list);
    else if (const auto* serve = std::get_if<control::ServeProbe>(&message)) prober_.serve(*serve);
    else if (const auto* run = std::get_if<control::RunProbe>(&message)) prober_.run(*run);
    else if (const auto* end = std::get_if<control::EndProbe>(&message)) prober_.end(*end);
    else return false;
    return true;
}

/// Who is on a page may come at once; who is on none of them may not, once the last is there.
void Driver::follow(const control::AccessKeys& list) {
    if (list.page == 0) arriving_.clear();
    for (const control::KeyChanged& key : list.keys) {
        context_.access_list().allow(key.public_key, {key.name, key.role});
        arriving_.insert(key.public_key);
    }
    if (list.more) return;
    for (const std::string& key : allowed_)
        if (!arriving_.contains(key)) context_.access_list().revoke(key);
    allowed_ = std::exchange(arriving_, {});
}

/// A process that was killed cannot unlink its sockets.
void Driver::remove_sockets(const InstanceId& instance) {
    if (!link::is_ipc(config_.orchestrator.endpoint)) return;
    char name[24];
    std::snprintf(name, sizeof name, "i-%016llx", static_cast<unsigned long long>(fnv1a(instance.value())));
    std::error_code ignored;
    for (const auto& path : file::list_folder(config_.listen, ignored))
        if (path.filename().string().starts_with(name)) std::filesystem::remove(path, ignored);
}

std::vector<control::InstanceUsage> Driver::usages() const {
    std::vector<control::InstanceUsage> all;
    for (const auto& [instance, child] : children_)
        if (const auto used = process::usage_of(child.pid())) all.push_back({instance, usage(*used)});
    return all;
}

void Driver::reap() {
    std::vector<control::node::ChildExited> exited;
    for (auto& [instance, child] : children_) {
        const auto status = child.poll();
        if (!status) continue;
        const bool quiet = status->code == 0 && status->signal == 0;
        exited.push_back({instance, status->code, status->signal, quiet ? "" : child.log_tail(), usage(status->usage)});
    }
    for (const auto& one : exited) {
        const auto child = children_.find(one.instance);
        if (child->second.exit_fd() >= 0) loop_.unwatch_fd(child->second.exit_fd());
        children_.erase(child);
        remove_sockets(one.instance);
        feed(one);
    }
}

}  // namespace divisi::node
