// SPDX-License-Identifier: Apache-2.0
// Compares the data port with a bare pair of ZeroMQ sockets, alternately in one run.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/bench/link/lane.h"

namespace divisi::bench {

void give_up(const std::string& what) {
    std::fprintf(stderr, "error: %s\n", what.c_str());
    std::_Exit(1);
}

namespace {

constexpr std::size_t kib = 1024, mib = kib * kib;
constexpr std::size_t sizes[] = {kib, 16 * kib, 256 * kib, mib, 8 * mib, largest_tensor};
/// Limits of the number of tensors in one stream and in one echo, whatever their size.
constexpr std::size_t fewest = 4, most_streamed = 20'000, most_echoed = 400;

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

std::string size_text(std::size_t bytes) {
    return bytes < mib ? std::to_string(bytes / kib) + " KiB" : std::to_string(bytes / mib) + " MiB";
}

/// Figures of one lane for tensors of one size, one per round.
struct Figures {
    std::vector<double> mib_per_s, latency_us;

    void add(Lane& lane, std::size_t bytes, std::size_t volume) {
        const auto streamed = static_cast<int>(std::clamp(volume / bytes, fewest, most_streamed));
        const auto echoed = static_cast<int>(std::clamp(volume / 8 / bytes, fewest, most_echoed));
        const double megabytes = static_cast<double>(bytes) * streamed / static_cast<double>(mib);
        mib_per_s.push_back(megabytes / lane.stream(bytes, streamed));
        latency_us.push_back(lane.echo(bytes, echoed) / echoed / 2 * 1e6);
    }
};

double ratio(const std::vector<double>& one, const std::vector<double>& other) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < one.size(); ++i) ratios.push_back(one[i] / other[i]);
    return median(ratios);
}

void compare(const char* name, const std::string& folder, int rounds, std::size_t volume) {
    const auto raw = make_raw_lane(folder), port = make_port_lane(folder);
    for (const std::size_t bytes : sizes) {
        Figures bare, ours, warm_up;
        warm_up.add(*raw, bytes, volume / 8);
        warm_up.add(*port, bytes, volume / 8);
        for (int round = 0; round < rounds; ++round) {
            bare.add(*raw, bytes, volume);
            ours.add(*port, bytes, volume);
        }
        std::printf("%-10s%8s%12.0f%12.0f%8.2f%14.1f%12.1f%8.2f\n", name, size_text(bytes).c_str(),
                    median(bare.mib_per_s), median(ours.mib_per_s), ratio(ours.mib_per_s, bare.mib_per_s),
                    median(bare.latency_us), median(ours.latency_us), ratio(ours.latency_us, bare.latency_us));
        std::fflush(stdout);
    }
}

}  // namespace
}  // namespace divisi::bench

int main(int argc, char** argv) {
    using namespace divisi::bench;
    const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
    const std::size_t volume = static_cast<std::size_t>(argc > 2 ? std::max(1, std::atoi(argv[2])) : 256) * mib;
    std::string folder = (std::filesystem::temp_directory_path() / "divisi-link-XXXXXX").string();
    if (!::mkdtemp(folder.data())) give_up("cannot make " + folder);
    std::printf("%-10s%8s%12s%12s%8s%14s%12s%8s\n", "transport", "tensor", "bare MiB/s", "port MiB/s", "ratio",
                "bare us", "port us", "ratio");
    compare("ipc", folder, rounds, volume);
    compare("tcp CURVE", "", rounds, volume);
    std::filesystem::remove_all(folder);
    return 0;
}
