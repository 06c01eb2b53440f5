// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/bench/mesh/benches.h"
#include "tests/bench/mesh/routes_bench.h"

namespace {

int routes_bench(const divisi::bench::Arguments& arguments) {
    return divisi::bench::bench_routes(arguments.empty() ? 7 : std::atoi(arguments.front()));
}

struct Bench {
    std::string_view name;
    int (*run)(const divisi::bench::Arguments& arguments);
};
constexpr Bench benches[] = {
    {"registry", divisi::bench::registry_bench}, {"routes", routes_bench},
    {"relay", divisi::bench::relay_bench},       {"credit", divisi::bench::credit_bench},
    {"memory", divisi::bench::memory_bench},     {"failover", divisi::bench::failover_bench},
    {"steps", divisi::bench::steps_bench},       {"start", divisi::bench::start_bench},
    {"watch", divisi::bench::watch_bench},       {"scale", divisi::bench::scale_bench},
    {"hops", divisi::bench::hops_bench},         {"committed", divisi::bench::committed_bench},
    {"modules", divisi::bench::modules_bench},   {"blobs", divisi::bench::blobs_bench},
};

}  // namespace

int main(int argc, char** argv) {
    const std::string_view name = argc > 1 ? argv[1] : "";
    for (const Bench& bench : benches)
        if (bench.name == name) return bench.run({argv + 2, argv + argc});
    std::fprintf(stderr, "usage: divisi-bench-mesh BENCH [arguments]; benches:");
    for (const Bench& bench : benches) std::fprintf(stderr, " %s", bench.name.data());
    std::fprintf(stderr, "\n");
    return 2;
}
