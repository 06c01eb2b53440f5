// SPDX-License-Identifier: Apache-2.0
#include "agents/node/machine_meter.h"

#include <gnu/libc-version.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "backend/base/hash.h"
#include "backend/process/gpus.h"
#include "backend/process/processor.h"

namespace divisi::node {
namespace {

constexpr Duration rate_interval = std::chrono::seconds(1);
constexpr std::int64_t sector_bytes = 512;  // unit in /proc/diskstats for every disk

std::string text_of(const char* file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Returns whether this is a physical disk ("sda", "vdb", "nvme0n1", "xvda", "mmcblk0"): neither a partition nor a
/// device on top of another disk.
bool is_whole_disk(std::string_view name) {
    const bool digit = !name.empty() && std::isdigit(static_cast<unsigned char>(name.back())) != 0;
    if (name.starts_with("nvme") || name.starts_with("mmcblk"))
        return digit && name.find('p') == std::string_view::npos;
    return !digit &&
           (name.starts_with("sd") || name.starts_with("vd") || name.starts_with("xvd") || name.starts_with("hd"));
}

double per_second(std::int64_t before, std::int64_t now, double seconds) {
    return now > before ? static_cast<double>(now - before) / seconds : 0;
}

}  // namespace

Bytes memory_line(const char* key) { return std::atoll(process::proc_value("/proc/meminfo", key).c_str()) * 1024; }

void read_cpu(std::string_view text, MachineTotals& totals) {
    std::istringstream line{std::string(text.substr(0, text.find('\n')))};
    std::string name;
    std::uint64_t ticks = 0, all = 0, idle = 0;
    line >> name;
    // Fields: user nice system idle iowait irq softirq steal. The time of guests is included in user.
    for (int i = 0; i < 8 && line >> ticks; ++i) {
        all += ticks;
        if (i == 3 || i == 4) idle += ticks;
    }
    if (name != "cpu" || all == 0) return;
    totals.all_ticks = all;
    totals.busy_ticks = all - idle;
}

void read_network(std::string_view text, MachineTotals& totals) {
    std::istringstream lines{std::string(text)};
    totals.received_bytes = totals.sent_bytes = 0;
    for (std::string line; std::getline(lines, line);) {
        const std::size_t colon = line.find(':');
        if (colon == std::string::npos) continue;
        std::string name = line.substr(0, colon);
        name.erase(0, std::min(name.find_first_not_of(' '), name.size()));
        if (name == "lo") continue;
        // Fields: received bytes packets errs drop fifo frame compressed multicast, then sent bytes ...
        std::istringstream numbers(line.substr(colon + 1));
        std::int64_t number = 0;
        for (int i = 0; i <= 8 && numbers >> number; ++i) {
            if (i == 0) totals.received_bytes += number;
            if (i == 8) totals.sent_bytes += number;
        }
    }
}

void read_disks(std::string_view text, MachineTotals& totals) {
    std::istringstream lines{std::string(text)};
    totals.read_bytes = totals.written_bytes = 0;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream fields(line);
        std::string name;
        std::int64_t major = 0, minor = 0, number = 0;
        if (!(fields >> major >> minor >> name) || !is_whole_disk(name)) continue;
        // Fields: reads merged sectors ms writes merged sectors ...
        for (int i = 0; i <= 6 && fields >> number; ++i) {
            if (i == 2) totals.read_bytes += number * sector_bytes;
            if (i == 6) totals.written_bytes += number * sector_bytes;
        }
    }
}

void MachineMeter::rate(const MachineTotals& before, const MachineTotals& now, Duration between,
                        control::MachineFigures& figures) {
    const double seconds = std::chrono::duration<double>(between).count();
    if (seconds <= 0) return;
    figures.received_bytes_per_s = per_second(before.received_bytes, now.received_bytes, seconds);
    figures.sent_bytes_per_s = per_second(before.sent_bytes, now.sent_bytes, seconds);
    figures.read_bytes_per_s = per_second(before.read_bytes, now.read_bytes, seconds);
    figures.written_bytes_per_s = per_second(before.written_bytes, now.written_bytes, seconds);
    if (now.all_ticks > before.all_ticks && now.busy_ticks >= before.busy_ticks)
        figures.cpu_share = std::min(1.0, static_cast<double>(now.busy_ticks - before.busy_ticks) /
                                              static_cast<double>(now.all_ticks - before.all_ticks));
}

control::MachineFigures MachineMeter::read(TimePoint now) {
    if (last_ && now - last_time_ < rate_interval) return figures_;
    MachineTotals totals;
    read_cpu(text_of("/proc/stat"), totals);
    read_network(text_of("/proc/net/dev"), totals);
    read_disks(text_of("/proc/diskstats"), totals);
    if (last_) rate(*last_, totals, now - last_time_, figures_);
    last_ = totals;
    last_time_ = figures_.measured = now;
    figures_.memory = memory_line("MemTotal");
    figures_.memory_free = memory_line("MemAvailable");
    figures_.received_bytes = totals.received_bytes;
    figures_.sent_bytes = totals.sent_bytes;
    figures_.read_bytes = totals.read_bytes;
    figures_.written_bytes = totals.written_bytes;
    std::error_code code;
    const std::filesystem::space_info space = std::filesystem::space(folder_, code);
    figures_.disk = code ? 0 : static_cast<Bytes>(space.capacity);
    figures_.disk_free = code ? 0 : static_cast<Bytes>(space.available);
    return figures_;
}

using process::proc_value;

control::NodeInfo describe_machine() {
    control::NodeInfo info;
    info.host = process::host_name();
    info.machine = process::system_identity();
    const std::string model = process::processor_model();
    char flags[20];
    std::snprintf(flags, sizeof flags, "%016llx",
                  static_cast<unsigned long long>(fnv1a(proc_value("/proc/cpuinfo", "flags"))));
    info.fingerprint = model + "/" + flags + "/glibc " + gnu_get_libc_version() + "/" + process::blas_kernels();
    info.devices.push_back({"cpu", model, process::usable_cores(), memory_line("MemTotal")});
    for (const process::Gpu& gpu : process::list_gpus())
        info.devices.push_back({"cuda:" + std::to_string(info.devices.size() - 1), gpu.model, 0, 0});
    info.pid = ::getpid();
    return info;
}

MachineLoad measure_machine() {
    double average = 0;
    ::getloadavg(&average, 1);
    return {average, memory_line("MemAvailable")};
}

}  // namespace divisi::node
