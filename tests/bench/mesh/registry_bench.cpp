// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <unordered_map>

#include "backend/base/hash.h"
#include "tests/bench/mesh/benches.h"
#include "tests/unit/mesh/registrations.h"

namespace divisi::bench {

namespace {

using mesh::Registration, mesh::Registry, mesh::Renewed;
using tests::epoch;

constexpr double least_per_s = 100'000;

/// Returns the instances of tasks with 8 stages of 4 replicas, shuffled.
std::vector<Registration> registrations(std::size_t count) {
    std::vector<Registration> all;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string task = "gpt-text-" + std::to_string(i / 32);
        all.push_back(tests::instance(task + "/stage-" + std::to_string(i / 4 % 8) + "/" + std::to_string(i % 4)));
        all.back().input_schema = all.back().output_schema = "float32[8,1024,768]";
    }
    std::ranges::sort(all, {}, [](const Registration& said) { return mix(1, fnv1a(said.sid.value())); });
    return all;
}

void must(bool ok) {
    if (!ok) std::exit((std::fprintf(stderr, "the registry refused a valid registration\n"), 1));
}

void print(const char* what, std::size_t count, double seconds) {
    std::printf("%-34s %10.0f a second\n", what, static_cast<double>(count) / seconds);
}

}  // namespace

int registry_bench(const Arguments& arguments) {
    const std::size_t count = arguments.empty() ? 100'000 : std::strtoul(arguments[0], nullptr, 10);
    if (count == 0 || count > mesh::most_services) {
        std::fprintf(stderr, "registry: ask for 1 to %zu instances\n", mesh::most_services);
        return 2;
    }
    const std::vector<Registration> all = registrations(count);
    TimePoint now = tests::start;
    std::vector<Registration> copies;  // copied beforehand, because both sides move the registrations
    std::unordered_map<std::string, Registration> map;
    const double map_s = median_s([&] { map.clear(), copies = all; },
                                  [&] {
                                      for (Registration& said : copies) {
                                          std::string sid = said.sid.value();
                                          map.emplace(std::move(sid), std::move(said));
                                      }
                                  });
    map.clear();
    std::optional<Registry> registry;
    const double add_s = median_s([&] { registry.emplace(epoch), copies = all; },
                                  [&] {
                                      for (Registration& said : copies) must(registry->add(std::move(said), now).ok());
                                  });
    const double renew_s = median_s([&] { now += mesh::renew_interval; },
                                    [&] {
                                        for (const Registration& said : all)
                                            must(registry->renew(said.sid, 1, epoch, now).ok());
                                    });
    const std::size_t changed = std::min<std::size_t>(count, 10'000);
    Generation generation = 1;
    const double change_s = median_s([&] { ++generation, copies = all; },
                                     [&] {
                                         for (std::size_t i = 0; i < changed; ++i) {
                                             copies[i].generation = generation;
                                             const mesh::Revision before = registry->revision();
                                             must(registry->add(std::move(copies[i]), now).ok());
                                             const auto news = registry->changes_since(epoch, before);
                                             must(get<mesh::Changes>(news).changes.size() == 1);
                                         }
                                     });
    const double expire_s = median_s(
        [&] {
            registry.emplace(epoch);
            for (const Registration& said : all) must(registry->add(said, now).ok());
            registry->advance(now + mesh::lease_length);
        },
        [&] { registry->advance(now + mesh::lease_length + mesh::longest_preservation); });
    must(registry->table().services() == 0);

    std::printf("%zu instances, medians\n", count);
    print("std::unordered_map takes", count, map_s);
    print("the registry takes", count, add_s);
    std::printf("  %.2f of the map's pace\n", map_s / add_s);
    print("renewals", count, renew_s);
    print("changes, each with its watch", changed, change_s);
    print("expiries", count, expire_s);
    if (static_cast<double>(count) / add_s >= least_per_s) return 0;
    std::fprintf(stderr, "registering is slower than %.0f a second\n", least_per_s);
    return 1;
}

}  // namespace divisi::bench
