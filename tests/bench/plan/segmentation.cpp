// SPDX-License-Identifier: Apache-2.0
// Measures how long segmentation takes and how much better it is than the simple rules. Contiguous cuts: 10,000
// operators in 16 stages must take at most 100 ms. Branching graphs: each is cut into 2 to 16 stages, which must take
// at most 2 s and stay within 5 % of its lower bound. Their profiles are arguments in PipeDream's text format. The best
// cuts of one linear order are printed for comparison. `--wide` adds a family of networks with far too many boundary
// sets to enumerate, under fast and slow links.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "backend/search/chain.h"
#include "backend/staging/staging.h"
#include "tests/unit/staging/wide_profiles.h"

namespace {

using namespace divisi;

double taken_ms(const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

search::Chain random_chain(std::size_t layers, std::size_t kinds) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> work(0, 1), crossing(0, 0.2);
    search::Chain chain;
    std::vector<double> before{0}, links(layers + 1);
    for (std::size_t i = 0; i < layers; ++i) before.push_back(before.back() + work(random));
    for (double& ms : links) ms = crossing(random) * before.back() / 16;
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        chain.devices.push_back({before});
        for (double& ms : chain.devices.back().before_ms) ms *= 1 + static_cast<double>(kind);
    }
    chain.crossing_ms.assign(kinds * kinds, links);
    chain.crossing_bytes = links;
    return chain;
}

/// Returns the step time if all stages have equally many operators, the simplest rule.
double equal_layers_ms(const search::Chain& chain, std::size_t stages) {
    const std::vector<double>& before = chain.devices[0].before_ms;
    double slowest = 0;
    for (std::size_t stage = 0; stage < stages; ++stage) {
        const std::size_t begin = (before.size() - 1) * stage / stages,
                          end = (before.size() - 1) * (stage + 1) / stages;
        slowest = std::max(slowest, before[end] - before[begin]);
        if (stage + 1 < stages) slowest = std::max(slowest, chain.crossing_ms[0][end]);
    }
    return slowest;
}

bool contiguous() {
    const search::Chain chain = random_chain(10'000, 1);
    double slowest = 0;
    std::vector<double> times;
    for (int round = 0; round < 11; ++round)
        times.push_back(
            taken_ms([&] { slowest = search::cut_chain(chain, std::vector<std::int32_t>(16, 0))->slowest_ms; }));
    std::sort(times.begin(), times.end());
    const double median = times[times.size() / 2];
    std::printf("10,000 operators, 16 stages of one type: %.1f ms (%.2f of 100 ms), %.2f of equal layers' slowest\n",
                median, median / 100, slowest / equal_layers_ms(chain, 16));
    const search::Chain two = random_chain(1'000, 2);
    const std::vector<std::int32_t> order{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
    double any = 0, given = 0;
    const double any_ms = taken_ms([&] { any = search::order_and_cut_chain(two, order, order.size())->slowest_ms; });
    const double given_ms = taken_ms([&] { given = search::cut_chain(two, order)->slowest_ms; });
    std::printf(
        "1,000 operators, 8 + 4 devices, all 495 orders: %.1f ms (%.1f of one order's time), %.3f of its slowest\n",
        any_ms, any_ms / given_ms, any / given);
    return median <= 100;
}

/// Orders the operators breadth first from the sources. Returns the step time of the best cuts of this linear order.
double one_order_ms(const staging::Profile& profile, std::int32_t stages, std::optional<double> bandwidth) {
    std::vector<std::int32_t> waiting(profile.nodes.size(), 0), order;
    std::vector<std::vector<std::int32_t>> after(profile.nodes.size());
    for (const auto& edge : profile.edges) {
        after[edge.from].push_back(edge.to);
        ++waiting[edge.to];
    }
    for (std::size_t i = 0; i < waiting.size(); ++i)
        if (waiting[i] == 0) order.push_back(static_cast<std::int32_t>(i));
    for (std::size_t i = 0; i < order.size(); ++i)
        for (const std::int32_t next : after[order[i]])
            if (--waiting[next] == 0) order.push_back(next);
    // Models the traffic across the cuts of this order as a chain.
    search::Chain chain;
    chain.devices.push_back({{0}});
    chain.crossing_ms.emplace_back();
    for (std::size_t i = 0; i <= order.size(); ++i) {
        const std::vector<std::vector<std::int32_t>> parts{
            {order.begin(), order.begin() + static_cast<std::ptrdiff_t>(i)},
            {order.begin() + static_cast<std::ptrdiff_t>(i), order.end()}};
        staging::Profile idle = profile;
        for (staging::ProfileNode& node : idle.nodes) node.forward_ms = node.backward_ms = 0;
        chain.crossing_ms[0].push_back(staging::slowest_ms(idle, parts, bandwidth));
        if (i == order.size()) break;
        const staging::ProfileNode& node = profile.nodes[order[i]];
        chain.devices[0].before_ms.push_back(chain.devices[0].before_ms.back() + node.forward_ms + node.backward_ms);
    }
    chain.crossing_bytes = chain.crossing_ms[0];
    double least = chain.devices[0].before_ms.back();  // the time with one stage
    for (std::int32_t count = 2; count <= std::min<std::int32_t>(stages, std::ssize(order)); ++count)
        least = std::min(least, search::cut_chain(chain, std::vector<std::int32_t>(count, 0))->slowest_ms);
    return least;
}

bool branching(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    const auto profile = staging::parse_profile(text.str(), file);
    if (!profile) {
        std::printf("%s\n", profile.error().message().c_str());
        return false;
    }
    bool good = true;
    for (const auto bandwidth : {std::optional<double>(), std::optional<double>(1e9)}) {
        for (const std::int32_t stages : {2, 4, 8, 16}) {
            staging::Staging staging;
            const double ms = taken_ms([&] { staging = staging::stage_profile(*profile, stages, bandwidth).value(); });
            std::printf("%s, %2d stages, links %s: %9.3f ms, gap %.4f, %.3f of one order's, %zu sets, in %.1f ms\n",
                        file.substr(file.rfind('/') + 1).c_str(), stages, bandwidth ? "1 GB/s" : "free  ",
                        staging.objective_ms, staging.gap(),
                        staging.objective_ms / one_order_ms(*profile, stages, bandwidth), staging.ideals, ms);
            good &= staging.gap() <= 0.05 && ms <= 2000;
        }
    }
    return good;
}

/// Link costs: how long the transfer of all activations in both directions takes, as a multiple of all work. With 0,
/// links are free.
constexpr double shares[] = {0, 0.5, 2, 6, 20, 60};

bool wide() {
    int count = 0, above = 0, sets = 0;
    double most_ms = 0, sum_ms = 0;
    for (const staging::test::NamedProfile& network : staging::test::wide_profiles()) {
        double worst = 0, slowest_ms = 0;
        for (const double share : shares) {
            std::optional<double> bandwidth;
            if (share > 0) bandwidth = staging::test::bandwidth_for(network.profile, share);
            for (const std::int32_t stages : {2, 4, 8, 16}) {
                staging::Staging staging;
                const double ms =
                    taken_ms([&] { staging = staging::stage_profile(network.profile, stages, bandwidth).value(); });
                worst = std::max(worst, staging.gap());
                slowest_ms = std::max(slowest_ms, ms);
                sum_ms += ms;
                ++count;
                if (staging.too_many_ideals) ++sets;
                if (staging.gap() <= 0.05) continue;
                ++above;
                std::printf("    %s, links %g, %d stages: gap %.4f\n", network.name.c_str(), share, stages,
                            staging.gap());
            }
        }
        std::printf("%-15s %4zu nodes: gap at most %.4f, %5.0f ms\n", network.name.c_str(),
                    network.profile.nodes.size(), worst, slowest_ms);
        most_ms = std::max(most_ms, slowest_ms);
    }
    std::printf("%d of %d have too many sets; %d have a gap above 5 %%; %.0f ms on average, at most %.0f\n", sets,
                count, above, sum_ms / count, most_ms);
    return most_ms <= 10'000;
}

}  // namespace

int main(int argc, char** argv) {
    bool good = contiguous();
    for (int i = 1; i < argc; ++i) good &= std::string_view(argv[i]) == "--wide" ? wide() : branching(argv[i]);
    return good ? 0 : 1;
}
