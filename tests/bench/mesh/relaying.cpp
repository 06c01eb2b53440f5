// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/mesh/relaying.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <new>

#include "backend/frame/crc32c.h"

namespace divisi::bench {

using std::chrono::steady_clock;

void give_up(const std::string& what) {
    std::fprintf(stderr, "divisi-bench-mesh: %s\n", what.c_str());
    std::exit(1);
}

double seconds_since(steady_clock::time_point begin) {
    return std::chrono::duration<double>(steady_clock::now() - begin).count();
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

double median_ratio(const std::vector<double>& ours, const std::vector<double>& theirs) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < ours.size(); ++i) ratios.push_back(ours[i] / theirs[i]);
    return median(std::move(ratios));
}

Sockets::Sockets(Wire wire)
    : folder_(std::filesystem::temp_directory_path() / ("dv-bench-" + std::to_string(::getpid()))), wire_(wire) {
    if (auto made = link::make_private_folder(folder_); !made) give_up(made.error().message());
}
Sockets::~Sockets() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}
std::string Sockets::address(const std::string& name) const { return "ipc://" + (folder_ / name).string(); }
std::unique_ptr<link::Transport> Sockets::transport(link::Context& context, link::EventLoop& loop) const {
    if (wire_ == Wire::tcp) return std::make_unique<PlainTcp>(context.get(), loop, ports_);
    return std::make_unique<link::ZmqTransport>(context, loop);
}

Plan neighbours() { return {{{1, "mg-1", "mic-1"}, {2, "mg-2", "mic-2"}}, {{1, 2}}}; }
Plan line() {
    return {{{1, "mg-1", "mic-1"}, {2, "mg-2", "mic-2"}, {3, "sr-3", ""}, {4, "sr-4", ""}}, {{1, 3}, {3, 4}, {4, 2}}};
}
Plan two_ways() {
    return {{{1, "mg-1", "mic-1"}, {2, "mg-2", "mic-2"}, {3, "sr-3", ""}, {4, "sr-4", ""}, {5, "sr-5", ""}},
            {{1, 3}, {3, 2}, {1, 4}, {4, 5}, {5, 2}}};
}

Sid source(int number) { return Sid("task/stage-0/" + std::to_string(number)); }
Sid destination() { return Sid("task/stage-1/0"); }

namespace {

mesh::Topology topology(const Sockets& sockets, const Plan& plan) {
    std::vector<mesh::Device> rows;
    for (const Plan::Row& one : plan.devices)
        rows.push_back({mesh::RoutingId(one.id), one.name,
                        *one.mic ? mesh::DeviceRole::gateway : mesh::DeviceRole::router, MicId(one.mic),
                        sockets.address(one.name) + ".data " + sockets.address(one.name) + ".lane", "", true, 0});
    std::vector<mesh::Link> links;
    for (const auto& [a, b] : plan.links) links.push_back({mesh::RoutingId(a), mesh::RoutingId(b), 1e-4, 1e9, 0, true});
    mesh::Topology all;
    if (!all.set(std::move(rows), std::move(links))) give_up("no topology");
    return all;
}

std::string instance_address(const Sockets& sockets, const std::string& name) {
    return sockets.address(name) + ".data " + sockets.address(name) + ".lane";
}

}  // namespace

Relaying::Relaying(link::Context& context, link::EventLoop& loop, const Sockets& sockets, const Plan& plan,
                   std::uint16_t id)
    : transport(sockets.transport(context, loop)),
      port(loop, *transport, std::ranges::find(plan.devices, id, &Plan::Row::id)->name, {}) {
    const Plan::Row& row = *std::ranges::find(plan.devices, id, &Plan::Row::id);
    if (const auto listening = port.listen(sockets.address(row.name)); !listening) give_up(listening.error().message());
    mesh::RelayConfig config;
    config.self = mesh::RoutingId(id);
    config.role = *row.mic ? mesh::DeviceRole::gateway : mesh::DeviceRole::router;
    config.window = plan.window;
    config.buffer = std::max(config.buffer, 2 * plan.window);
    if (plan.admission && *row.mic) admit(plan, id, loop.now());
    port.start(config);
    std::map<std::uint64_t, mesh::Place> places{
        {frame::flow_id(destination()), {TaskId("task"), destination(), mesh::RoutingId(2)}}};
    link::MeshPort::Instances instances;
    if (id == 2) instances[frame::flow_id(destination())] = {instance_address(sockets, "b"), ""};
    for (int i = 0; i < plan.sources; ++i) {
        const std::uint64_t sid = frame::flow_id(source(i));
        places[sid] = {TaskId("task"), source(i), mesh::RoutingId(1)};
        if (id == 1) instances[sid] = {instance_address(sockets, "a" + std::to_string(i)), ""};
    }
    if (plan.competing) {
        const auto& [task, from, to] = *plan.competing;
        places[frame::flow_id(from)] = {task, from, mesh::RoutingId(1)};
        places[frame::flow_id(to)] = {task, to, mesh::RoutingId(2)};
        if (id == 1) instances[frame::flow_id(from)] = {instance_address(sockets, "x"), ""};
        if (id == 2) instances[frame::flow_id(to)] = {instance_address(sockets, "y"), ""};
    }
    port.set_table(topology(sockets, plan), std::move(places), std::move(instances));
    if (const auto faults = plan.faults.find(id); faults != plan.faults.end()) port.impair(faults->second);
}

/// Installs one rule per instance, like an orchestrator. The destination acknowledges.
void Relaying::admit(const Plan& plan, std::uint16_t device, TimePoint now) {
    mesh::AdmissionConfig config;
    config.self = mesh::RoutingId(device);
    admission.emplace(config);
    mesh::PolicySnapshot policy{1, now, {}, {}};
    policy.rules.push_back({mesh::Owner{}, {mesh::Action::send}, "task", true, {destination(), 1}});
    for (int i = 0; i < plan.sources; ++i)
        policy.rules.push_back({mesh::Owner{}, {mesh::Action::send}, "task", true, {source(i), 1}});
    if (plan.competing)
        policy.rules.push_back(
            {mesh::Owner{}, {mesh::Action::send}, plan.competing->task.value(), true, {plan.competing->source, 1}});
    if (auto set = admission->set_policy(std::move(policy), now); !set) give_up(set.error().message());
    port.admit_by(*admission);
}

RouterProcess::RouterProcess(const Sockets& sockets, const Plan& plan, std::uint16_t device) {
    void* shared = ::mmap(nullptr, sizeof(Told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) give_up("no shared memory");
    told_ = new (shared) Told{};
    pid_ = ::fork();
    if (pid_ < 0) give_up("cannot fork");
    if (pid_ > 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    link::Context context;
    link::EventLoop loop;
    Relaying relaying(context, loop, sockets, plan, device);
    loop.every(std::chrono::milliseconds(1), [&] {
        const mesh::Relay& relay = relaying.port.relay();
        told_->held = relay.held();
        told_->promised = relay.promised();
        told_->bytes = relay.counters().bytes;
    });
    told_->ready = true;
    loop.run();
    std::_Exit(0);
}

RouterProcess::~RouterProcess() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    ::munmap(told_, sizeof(Told));
}

void RouterProcess::signal(int number) const { ::kill(pid_, number); }

std::uint64_t RouterProcess::resident() const {
    std::ifstream file("/proc/" + std::to_string(pid_) + "/statm");
    std::uint64_t size = 0, resident = 0;
    file >> size >> resident;
    return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

Receiving::Receiving(link::Context& context, link::EventLoop& loop, const Sockets& sockets, std::atomic<int>& count,
                     const std::string& name)
    : transport(sockets.transport(context, loop)) {
    link::Listener::Events events;
    events.message = [&count](const std::string&, const link::Credentials&, const link::Parts&) { ++count; };
    auto made = transport->listen({sockets.address(name) + ".data", link::Purpose::data, false}, events);
    auto other = transport->listen({sockets.address(name) + ".lane", link::Purpose::lane, false}, {});
    if (!made || !other) give_up((made ? other : made).error().message());
    data = *std::move(made);
    lane = *std::move(other);
}

Sending::Sending(link::Context& context, link::EventLoop& loop, const Sockets& sockets, const Plan& plan, int count,
                 int most, std::atomic<int>& came)
    : transport(sockets.transport(context, loop)),
      payload(std::make_shared<std::vector<std::byte>>(chunk_bytes)),
      chunks(count),
      slots(most),
      arrived(came) {
    link::Channel::Events events;
    events.up = [this] { pump(); };
    auto made = transport->connect({sockets.address("mg-1") + ".data", ""}, link::Purpose::data, "a", events);
    if (!made) give_up("cannot connect");
    channel = *std::move(made);
    loop.every(std::chrono::microseconds(200), [this] { pump(); });
    for (int i = 0; i < plan.sources; ++i) {
        frame::FrameHeader& header = headers.emplace_back();
        header.key.task = frame::flow_id(TaskId("task"));
        header.source = {frame::flow_id(source(i)), 1};
        header.destination = {frame::flow_id(destination()), 1};
        header.dtype = graph::DType::uint8;
        header.dims = {static_cast<std::int64_t>(chunk_bytes)};
        header.total_bytes = chunk_bytes;
        header.payload_bytes = chunk_bytes;
        header.payload_crc = frame::crc32c(*payload);
    }
}

void Sending::pump() {
    while (channel && sent < chunks && sent - arrived < slots) {
        frame::FrameHeader& header = headers[static_cast<std::size_t>(sent) % headers.size()];
        header.key.step = sent;
        const link::Parts parts{link::Part::of(frame::encode_header(header).value()),
                                {payload, std::span<const std::byte>(*payload)}};
        if (channel->send(parts) != link::Sent::yes) return;
        ++sent;
    }
}

double stream_s(const Plan& plan, int chunks, Wire wire) {
    const Sockets sockets(wire);
    std::atomic<int> arrived = 0;
    constexpr int slots = 64;
    std::vector<std::unique_ptr<Actor>> actors;
    actors.push_back(std::make_unique<Actor>([&](link::Context& context, link::EventLoop& loop) {
        return std::make_unique<Receiving>(context, loop, sockets, arrived);
    }));
    for (const Plan::Row& device : plan.devices)
        actors.push_back(std::make_unique<Actor>([&](link::Context& context, link::EventLoop& loop) {
            return std::make_unique<Relaying>(context, loop, sockets, plan, device.id);
        }));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));  // all connections are up
    const auto begin = steady_clock::now();
    actors.push_back(std::make_unique<Actor>([&](link::Context& context, link::EventLoop& loop) {
        return std::make_unique<Sending>(context, loop, sockets, plan, chunks, slots, arrived);
    }));
    while (arrived < chunks) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (seconds_since(begin) > patience_s) give_up("only " + std::to_string(arrived) + " chunks arrived");
    }
    const double seconds = seconds_since(begin);
    while (!actors.empty()) actors.pop_back();
    return seconds;
}

}  // namespace divisi::bench
