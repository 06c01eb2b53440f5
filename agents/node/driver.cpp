// SPDX-License-Identifier: Apache-2.0
#include "agents/node/driver.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "agents/node/machine_meter.h"
#include "agents/node/store_folder.h"
#include "backend/base/hash.h"
#include "backend/base/version.h"
#include "backend/control/protocol/access_messages.h"
#include "backend/control/protocol/probe_messages.h"
#include "backend/file/folder.h"
#include "backend/metrics/metrics_server.h"
#include "backend/process/lifeline.h"
#include "backend/process/processor.h"
#include "backend/process/words.h"

namespace divisi::node {
namespace {

constexpr Duration answer_deadline = std::chrono::seconds(10);
/// Interval of counting blobs. Counting reads a folder, so it is done less often than other measurements.
constexpr Duration blobs_interval = std::chrono::seconds(10);

/// Returns a file name for the instance. The instance's own name contains path separators.
std::string file_name(const InstanceId& instance) {
    std::string name = instance.value();
    std::replace(name.begin(), name.end(), '/', '.');
    return name;
}

}  // namespace

Driver::Driver(link::EventLoop& loop, link::Context& context, std::unique_ptr<BlobHost> blobs, DriverConfig config)
    : Agent(loop),
      blobs_(std::move(blobs)),
      config_(std::move(config)),
      agent_(config_.info),
      context_(context),
      transport_(context, loop, config_.uplink.security.keys),
      orchestrator_(loop, transport_, config_.uplink, {"divisi-node", divisi::version, control::Role::agent, ""},
                    answer_deadline),
      lines_(loop.clock(), orchestrator_, "divisi-node " + config_.info.id.value()),
      prober_(loop, transport_, context.access_list(),
              {config_.info.id.value(), config_.listen, link::is_ipc(config_.uplink.orchestrator.endpoint)},
              [this](const control::Message& message) { orchestrator_.send(0, message); }),
      keeper_(
          loop_, *blobs_, config_.info.id,
          [this](const control::Message& message, BlobCollector::Reply reply) {
              orchestrator_.request(message, std::move(reply));
          },
          [this](const control::Message& message) { orchestrator_.send(0, message); }),
      stores_(config_.data / "stores", [this](const control::Message& message) { say_later(message); }),
      machine_(config_.data) {}

/// Sends a message from another thread: posts a call to the loop. A loop that has ended runs no posted call.
void Driver::say_later(const control::Message& message) {
    loop_.post([this, message] { orchestrator_.send(0, message); });
}

Result<void> Driver::start() {
    if (!config_.metrics.empty())
        std::cout << "the metrics addresses of instances are listed in " << config_.metrics.string() << std::endl;
    hardware_.emplace();
    engage_courier();
    orchestrator_.start(events());
    loop_.every(collection_interval, [this] {
        if (orchestrator_.up()) keeper_.collect();
    });
    loop_.every(control::heartbeat_interval, [this] {
        reap();
        const MachineLoad load = measure_machine();
        feed(control::node::Load{load.load, load.memory_free, usages(), machine()});
        for (auto& [instance, running] : children_) pass_output_on(instance, running.output);
        lines_.send();
    });
    return {};
}

void Driver::begin_figures() {
    look_at_blobs();
    loop_.every(blobs_interval, [this] { look_at_blobs(); });
}

control::MachineFigures Driver::machine() {
    control::MachineFigures figures = machine_.read(loop_.now());
    const Hardware hardware = hardware_->last();
    figures.temperature_c = hardware.temperature_c;
    figures.power_w = hardware.power_w;
    return figures;
}

metrics::Figures Driver::figures() {
    NodeFigures figures{config_.info.id.value(), orchestrator_.up(), machine()};
    for (const auto& [instance, running] : children_) ++(running.kept ? figures.kept : figures.instances);
    figures.blobs = blobs_held_;
    figures.gpus = hardware_->last().gpus;
    return figures_of(figures);
}

/// Updates the number of stored blobs. The store's thread may post the result while this object is being destroyed.
/// That is harmless, because the loop has then ended and no longer runs posted calls.
void Driver::look_at_blobs() {
    blobs_->ask([this, &loop = loop_](const BlobService& service) {
        loop.post([this, held = service.holding()] { blobs_held_ = held; });
    });
}

void Driver::terminate(const std::string& /*reason*/) { feed(control::node::Terminate{}); }

link::AgentLink::Events Driver::events() {
    link::AgentLink::Events events;
    events.up = [this] {
        tell("connected to the orchestrator at " + config_.uplink.orchestrator.endpoint, Severity::info);
        loop_.after(first_collection, [this] { keeper_.collect(); });
        feed(control::node::Connected{});
    };
    events.down = [this] {
        prober_.stop();
        blobs_->ask_courier([](BlobCourier& courier) { courier.close_all(); });
        feed(control::node::Disconnected{});
    };
    events.message = [this](std::uint64_t correlation, const control::Message& message) {
        if (!take(message)) feed(control::node::FromOrchestrator{correlation, message});
    };
    events.waiting = [this](const std::string& why) { tell("the orchestrator cannot be reached: " + why); };
    return events;
}

/// Reports a problem to standard error and to the orchestrator, unless it repeats the last problem.
void Driver::tell(const std::string& trouble, Severity severity) { lines_.write_new(severity, "node", trouble); }

/// Passes an instance's output to the orchestrator, including the output of LibTorch and the runtime. The output is
/// also in the instance's log file.
void Driver::pass_output_on(const InstanceId& instance, OutputReader& output, bool ended) {
    const std::string component = "instance " + instance.value();
    if (ended) return lines_.pass_on_last(component, output.read_last());
    for (const std::string& line : output.read()) lines_.pass_on(component, line);
}

void Driver::feed(const control::node::Input& input) {
    const control::node::Output output = agent_.step(input, loop_.clock().now());
    for (const auto& one : output.sends) orchestrator_.send(one.correlation, one.message);
    for (const auto& one : output.spawns) spawn(one.what);
    for (const auto& one : output.signals) {
        const auto found = children_.find(one.instance);
        if (found != children_.end()) found->second.child.send_signal(one.force ? SIGKILL : SIGTERM);
    }
    for (const auto& one : output.pauses) pause(one);
    if (output.die) die();
    for (const InstanceId& instance : output.keeps) keep(instance);
    for (const auto& one : output.passes) pass_on(one);
    if (output.told) tell("not registered: " + output.told->message());
    if (output.failed) set_failure(*output.failed);
    if (!output.exit) return;
    if (output.dismissed) tell("the cluster has ended", Severity::info);
    end(output.dismissed ? process::exit_dismissed : 0);
}

void Driver::spawn(const control::StartInstance& what) {
    const std::string name = file_name(what.instance);
    const std::string threads = std::to_string(what.threads);
    process::ChildSpec spec;
    spec.program = process::program_folder() / "divisi-instance";
    spec.arguments = {"serve",
                      "--connect",
                      config_.uplink.connection_file.string(),
                      "--instance",
                      what.instance.value(),
                      "--sid",
                      what.sid.value(),
                      "--listen",
                      config_.listen,
                      "--data",
                      make_folder(what.instance).string(),
                      "--blobs",
                      config_.blobs.string(),
                      "--store",
                      make_store(config_.data / "stores", what.sid).string(),
                      "--fingerprint",
                      config_.info.fingerprint};
    if (!config_.keys.empty()) {
        spec.arguments.push_back("--keys");
        spec.arguments.push_back(config_.keys.string());
    }
    if (!config_.metrics.empty()) {
        spec.arguments.push_back("--metrics");
        spec.arguments.push_back(config_.metrics.string());
    }
    // at::set_num_threads does not affect OpenBLAS, so set the environment before the process starts.
    spec.environment = {{"OPENBLAS_NUM_THREADS", threads}, {"OMP_NUM_THREADS", threads}};
    if (const std::string kernels = process::blas_kernels(); !kernels.empty())
        spec.environment.emplace_back("OPENBLAS_CORETYPE", kernels);
    std::error_code ignored;
    std::filesystem::create_directories(config_.data / "logs", ignored);
    spec.told = true;
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
    children_.insert_or_assign(what.instance, Running{std::move(*child), 0, false, OutputReader(spec.log)});
    loop_.post([this, instance = what.instance, pid] { feed(control::node::Spawned{instance, pid}); });
}

std::filesystem::path Driver::make_folder(const InstanceId& instance) const {
    const std::filesystem::path folder = config_.data / "instances" / file_name(instance);
    std::error_code ignored;
    std::filesystem::create_directories(folder, ignored);
    return folder;
}

/// Ends an instance but keeps its process. Reports the instance's usage up to now; later usage belongs to the process's
/// next instance.
void Driver::keep(const InstanceId& instance) {
    const auto all = measure();
    const auto used = all.find(instance);
    const auto found = children_.find(instance);
    if (used == all.end() || !found->second.child.tell(process::encode_words({"keep"})))
        return loop_.post([this, instance] { feed(control::node::KeepFailed{instance}); });
    found->second.cpu_before_ms += used->second.cpu_ms.value_or(0);
    found->second.kept = true;
    energy_.forget(instance);
    loop_.post([this, kept = control::node::Kept{instance, used->second}] { feed(kept); });
}

/// Pauses an instance's process. When the pause ends, the process may run another instance or may have ended. If this
/// agent dies during the pause, the kernel resumes the process, because its process group is then orphaned.
void Driver::pause(const control::node::Pause& what) {
    const auto found = children_.find(what.instance);
    if (found == children_.end()) return;
    const pid_t pid = found->second.child.pid();
    const TimePoint until = loop_.now() + what.time;
    if (until <= found->second.paused_until) return;
    found->second.paused_until = until;
    found->second.child.send_signal(SIGSTOP);
    loop_.after(what.time, [this, pid, until] {
        for (const auto& [instance, running] : children_)
            if (running.child.pid() == pid && running.paused_until == until) running.child.send_signal(SIGCONT);
    });
}

/// Simulates a power failure: ends all processes without a goodbye and without cleaning up files.
void Driver::die() {
    for (const auto& [instance, running] : children_) running.child.send_signal(SIGKILL);
    ::kill(::getpid(), SIGKILL);
    std::abort();  // never reached
}

/// Orders a kept process to run an instance. If that process cannot be reached, starts another process.
void Driver::pass_on(const control::node::PassOn& passing) {
    const InstanceId& instance = passing.what.instance;
    const auto found = children_.find(passing.from);
    const Sid& sid = passing.what.sid;
    const process::Words words{"play", instance.value(), sid.value(), make_folder(instance).string(),
                               make_store(config_.data / "stores", sid).string()};
    if (found == children_.end()) return spawn(passing.what);
    if (!found->second.child.tell(process::encode_words(words))) {
        found->second.child.send_signal(SIGTERM);
        return spawn(passing.what);
    }
    pass_output_on(passing.from, found->second.output);
    auto running = children_.extract(found);
    running.key() = instance;
    running.mapped().kept = false;
    const pid_t pid = running.mapped().child.pid();
    children_.insert(std::move(running));
    loop_.post([this, instance, pid] { feed(control::node::Spawned{instance, pid}); });
}

/// Handles messages about sockets, keys, blobs and state files. Returns false for a message about instances.
bool Driver::take(const control::Message& message) {
    if (const auto* list = get_if<control::AccessKeys>(&message)) follow(*list);
    else if (const auto* serve = get_if<control::ServeProbe>(&message)) prober_.serve(*serve);
    else if (const auto* run = get_if<control::RunProbe>(&message)) prober_.run(*run);
    else if (const auto* end = get_if<control::EndProbe>(&message)) prober_.end(*end);
    else if (const auto* drop = get_if<control::DropBlobs>(&message)) keeper_.drop(*drop);
    else if (const auto* stores = get_if<control::ListStores>(&message)) stores_.ask(*stores);
    else if (const auto* read = get_if<control::ReadStore>(&message)) stores_.ask(*read);
    else return pass_to_courier(message);
    return true;
}

void Driver::engage_courier() {
    // The store's thread may outlive this object, but a loop that has ended runs no posted calls.
    blobs_->engage(
        {config_.info.id.value(), config_.listen, link::is_ipc(config_.uplink.orchestrator.endpoint)},
        [this, &loop = loop_](control::Message message) {
            loop.post([this, message = std::move(message)] { orchestrator_.send(0, message); });
        },
        [this, &loop = loop_](const Error& error) { loop.post([this, error] { tell(error.message()); }); });
}

bool Driver::pass_to_courier(const control::Message& message) {
    const auto pass = [&](auto method, const auto& what) {
        blobs_->ask_courier([method, what](BlobCourier& courier) { (courier.*method)(what); });
        return true;
    };
    if (const auto* open = get_if<control::OpenBlobEnd>(&message)) return pass(&BlobCourier::open, *open);
    if (const auto* join = get_if<control::JoinBlobEnds>(&message)) return pass(&BlobCourier::join, *join);
    if (const auto* fetch = get_if<control::FetchBlob>(&message)) return pass(&BlobCourier::fetch, *fetch);
    if (const auto* close = get_if<control::CloseBlobEnd>(&message)) return pass(&BlobCourier::close, *close);
    return false;
}

/// Applies a page of the access list. The keys on the page are allowed immediately. After the last page, all keys that
/// were not on any page are revoked.
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

/// Removes the files and sockets of an instance, since a killed process cannot remove them.
void Driver::clean_up_after(const InstanceId& instance) {
    std::error_code ignored;
    if (!config_.metrics.empty())
        std::filesystem::remove(metrics::target_file(config_.metrics, instance.value()), ignored);
    if (!link::is_ipc(config_.uplink.orchestrator.endpoint)) return;
    char name[24];
    std::snprintf(name, sizeof name, "i-%016llx", static_cast<unsigned long long>(fnv1a(instance.value())));
    for (const auto& path : file::list_folder(config_.listen, ignored))
        if (path.filename().string().starts_with(name)) std::filesystem::remove(path, ignored);
}

std::map<InstanceId, control::Usage> Driver::measure() {
    std::map<InstanceId, control::Usage> used;
    for (const auto& [instance, running] : children_) {
        if (running.kept) continue;  // the usage of this instance was already reported
        if (const auto now = process::usage_of(running.child.pid())) used[instance] = share_of(running, *now);
    }
    measure_energy(used);
    return used;
}

std::vector<control::InstanceUsage> Driver::usages() {
    std::vector<control::InstanceUsage> all;
    for (const auto& [instance, one] : measure()) all.push_back({instance, one});
    return all;
}

/// Returns the part of the process's usage that belongs to the instance. GPU time is absent: no device reports it for a
/// single process. Energy is added by measure_energy(). Peak memory is the peak of the whole process.
control::Usage Driver::share_of(const Running& running, const process::ProcessUsage& used) {
    control::Usage usage;
    usage.cpu_ms = std::max<std::int64_t>(used.cpu_ms - running.cpu_before_ms, 0);
    usage.peak_memory = used.peak_bytes;
    return usage;
}

/// Adds energy to `used`, if the machine reports it. `used` contains all instances, including instances whose process
/// has just ended.
void Driver::measure_energy(std::map<InstanceId, control::Usage>& used) {
    EnergyMeter::Reading reading{process::read_power_domains(), process::busy_ms(), {}};
    for (const auto& [instance, one] : used) reading.cpu_ms[instance] = one.cpu_ms.value_or(0);
    energy_.take(std::move(reading));
    for (auto& [instance, one] : used) one.energy_mj = energy_.energy_mj(instance);
}

void Driver::reap() {
    std::vector<control::node::ChildExited> exited;
    std::map<InstanceId, control::Usage> used;
    for (auto& [instance, running] : children_) {
        const auto status = running.child.poll();
        if (!status) {
            if (running.kept) continue;
            if (const auto now = process::usage_of(running.child.pid())) used[instance] = share_of(running, *now);
            continue;
        }
        used[instance] = share_of(running, status->usage);
        const bool quiet = status->code == 0 && status->signal == 0;
        exited.push_back({instance, status->code, status->signal, quiet ? "" : running.child.log_tail(), {}});
    }
    if (!exited.empty()) measure_energy(used);
    for (auto& one : exited) {
        one.usage = used.at(one.instance);
        energy_.forget(one.instance);
        const auto child = children_.find(one.instance);
        pass_output_on(one.instance, child->second.output, true);
        if (const int fd = child->second.child.exit_fd(); fd >= 0) loop_.unwatch_fd(fd);
        children_.erase(child);
        clean_up_after(one.instance);
        lines_.send();
        feed(one);
    }
}

}  // namespace divisi::node
